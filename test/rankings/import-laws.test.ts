import { expect, test } from "bun:test"
import * as Either from "effect/Either"
import * as fc from "fast-check"
import type { Format } from "../../src/rankings/decode/Format.ts"
import { decode } from "./decoding.ts"
import { api, expected, type Fact, formats, scenario } from "./facts.ts"
import { importFile, type Store, totals } from "./importing.ts"

const importText = (store: Store, format: Format, text: string, piece: number) =>
  importFile(
    store,
    Either.getOrThrowWith(decode(format, text, {}, piece), (failed) => new Error(failed.message))
  )

test.each(formats)(
  "%s: any split of the data over files, in any order and with repeats, gives the same sums",
  (format, write, facts) => {
    fc.assert(
      fc.property(scenario(facts), ({ all, files, order, piece, repeats }) => {
        const store: Store = new Map()
        for (const file of [...order, ...repeats]) {
          importText(store, format, write(all.filter((_, index) => files[index] === file)), piece)
        }
        for (const [from, to] of [
          ["2026-10-01", "2026-10-07"],
          ["2026-10-08", "2026-10-14"]
        ] as const) {
          expect(totals(store, from, to)).toEqual(expected(all, from, to))
        }
      }),
      { numRuns: 150 }
    )
  }
)

test("the API's exact rows stand against the rounded ones of a table, whichever comes last", () => {
  const facts: ReadonlyArray<Fact> = [
    {
      date: "2026-10-01",
      query: "q",
      url: "https://example.com/a",
      device: "MOBILE",
      impressions: 3,
      clicks: 1,
      sumTop: 10
    }
  ]
  const rounded = "Date,Query,Page,Clicks,Impressions,Position\n2026-10-01,q,https://example.com/a,1,3,3.7\n"
  for (const order of [
    [0, 1],
    [1, 0]
  ]) {
    const store: Store = new Map()
    for (const which of order)
      importText(store, which === 0 ? "gsc-api" : "gsc-csv", which === 0 ? api(facts) : rounded, 100)
    expect([...totals(store, "2026-10-01", "2026-10-01").values()]).toEqual([{ impressions: 3, clicks: 1, sumTop: 10 }])
  }
})
