import { describe, expect } from "bun:test"
import { gzipSync } from "node:zlib"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import * as Worker from "../../../src/features/backlinks/Importing.ts"
import { score } from "../../../src/features/backlinks/Losses.ts"
import { Ranks } from "../../../src/features/backlinks/Ranks.ts"
import { suite } from "../../harness.ts"
import * as Server from "../../server.ts"
import { linked } from "./linking.ts"

const it = suite(Layer.mergeAll(Worker.layer, Ranks.Default).pipe(Layer.provideMerge(Server.layer)))

const header = "#harmonicc_pos\t#harmonicc_val\t#pr_pos\t#pr_val\t#host_rev\t#n_hosts"
const fileOf = (...lines: ReadonlyArray<string>) => new TextEncoder().encode(`${[header, ...lines].join("\n")}\n`)
const line = (place: number, name: string) => `${place}\t3.2E7\t${place}\t0.01\t${name}\t7`
const asOf = DateTime.unsafeMake("2026-10-01T00:00:00Z")

describe("the ranks of a web graph", () => {
  it("are the authority of domains and their subdomains, but not of blogs on a platform", function* () {
    const { replace } = yield* Ranks
    const { get, imported } = yield* linked()
    yield* imported(
      "Linking page\nhttps://www.news.example/a\nhttps://shop.big.co.uk/\nhttps://me.github.io/\nhttps://small.test.example/\n"
    )
    const file = fileOf(line(1, "com.a"), line(7, "example.news"), line(9, "uk.co.big"), line(12, "io.github"))
    expect(yield* replace(Stream.make(new Uint8Array(gzipSync(file))), asOf)).toEqual({ domains: 4 })
    const { body } = yield* get("/domains")
    const found = body.data.map(({ authority, domain }: { authority: { value: number } | null; domain: string }) => [
      domain,
      authority?.value ?? null
    ])
    expect(found).toEqual([
      ["me.github.io", null],
      ["news.example", 7],
      ["shop.big.co.uk", 9],
      ["small.test.example", null]
    ])
    expect(body.data[1].authority).toEqual({
      as_of: "2026-10-01T00:00:00.000000+00:00",
      scale: "harmonic-rank",
      source: "common-crawl",
      value: 7
    })
  })

  it("are replaced by a newer file, of which only the first million lines are read", function* () {
    const { replace } = yield* Ranks
    let isRead = false
    const rest = Stream.suspend(() => {
      isRead = true
      return Stream.make(new TextEncoder().encode("damaged"))
    })
    const bytes = Stream.concat(
      Stream.make(fileOf(line(1, "com.b"), line(1_000_000, "com.c"), line(1_000_001, "com.d"))),
      rest
    )
    expect(yield* replace(bytes, asOf)).toEqual({ domains: 2 })
    expect(isRead).toBe(false)
  })

  it("are kept when a file of another format is refused", function* () {
    const { replace } = yield* Ranks
    yield* replace(Stream.make(fileOf(line(1, "com.e"))), asOf)
    const other = Stream.make(new TextEncoder().encode("domain,authority\na.example,5\n"))
    expect(yield* Effect.flip(replace(other, asOf))).toMatchObject({
      message: expect.stringContaining("not a line of a Common Crawl ranks file")
    })
    expect(yield* Effect.flip(replace(Stream.empty, asOf))).toMatchObject({ message: "The file has no ranks" })
  })

  it("are scaled from 0 to 100, and high from 60 on", () =>
    Effect.sync(() => {
      const of = (value: number) => score({ scale: "harmonic-rank", value })
      expect([of(1), of(1000), of(1_000_000)]).toEqual([100, 80, 60])
      expect(score({ scale: "0-100", value: 61.5 })).toBe(61.5)
    }))
})
