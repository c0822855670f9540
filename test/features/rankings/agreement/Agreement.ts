import * as Effect from "effect/Effect"
import { type Answer, questions, site } from "./asking.ts"
import { expected } from "./expected.ts"
import * as Files from "./files.ts"
import { corrected, seeded, truthOf } from "./truth.ts"

/** The comparisons of a round, and the differences. */
export interface Round {
  readonly numbers: number
  readonly differences: ReadonlyArray<string>
}

/** Values in a response. */
const size = ({ rows }: Answer) => 2 + 5 * rows.length

const same = (a: unknown, b: unknown) => Bun.deepEquals(a, b)

/** Search Console rounds its positions to a tenth; everything else in a response must be equal. */
const near = (told: Answer, exact: Answer) => {
  const without = ({ rows, totals, ...answer }: Answer) => ({
    ...answer,
    rows: rows.map(({ position: _, ...row }) => row),
    totals: totals === null ? null : { ...totals, position: 0 }
  })
  const positions = ({ rows, totals }: Answer) => [...rows, totals].map((of) => of?.position ?? 0)
  const expected = positions(exact)
  return (
    same(without(told), without(exact)) &&
    positions(told).every((position, index) => Math.abs(position - (expected[index] ?? 0)) <= 0.05 + 1e-9)
  )
}

/** The tables of a Search Console archive: each dimension by itself. */
const inInterface = ({ by, country, device, page_path }: Readonly<Record<string, string>>) =>
  by !== "query" && country === undefined && device === undefined && page_path === undefined

/**
 * Imports the same numbers as archives of the interface, as both tables of the bulk export and as API responses, each with any split, order and later
 * corrections; then reads them over HTTP and compares them with one another and with sums of the numbers themselves.
 */
export const round = (seed: number, { days, rows }: { readonly days: number; readonly rows: number }) =>
  Effect.gen(function* () {
    const random = seeded(seed)
    const first = truthOf(random, days, rows)
    const truth = corrected(random, first)
    const changed = [
      ...new Set(truth.property.flatMap((row, index) => (same(row, first.property[index]) ? [] : [row.day])))
    ]
    const all = [...truth.property, ...truth.shown].map(({ day }) => day).sort()
    const [zips, bulk, api] = [yield* site, yield* site, yield* site]
    for (const truths of [first, truth]) {
      for (const call of Files.interfaceZip(random, truths)) yield* zips.imported(call)
      for (const call of Files.bulk(random, truths)) yield* bulk.imported(call)
      for (const call of Files.api(random, truths)) yield* api.imported(call)
    }
    // Only corrected days, once more.
    for (const call of Files.bulk(random, truth, changed)) yield* bulk.imported(call)

    const differences: Array<string> = []
    let numbers = 0
    const compare = (what: string, told: Answer, exact: Answer, agree: typeof same | typeof near) => {
      numbers += size(exact)
      if (!agree(told, exact)) differences.push(`seed ${seed}, ${what}: ${JSON.stringify({ exact, told })}`)
    }
    for (const asked of questions(all[Math.floor(all.length / 3)] ?? "", all.at(-1) ?? "")) {
      const exact = expected(truth, asked)
      compare("bulk", yield* bulk.table(asked), exact, same)
      compare("api", yield* api.table(asked), exact, same)
      if (inInterface(asked)) compare("interface", yield* zips.table(asked), exact, near)
    }
    const [ofBulk, ofApi] = [yield* bulk.keywords, yield* api.keywords]
    numbers += 12 * ofBulk.length
    if (!same(ofBulk, ofApi)) differences.push(`seed ${seed}, keywords: ${JSON.stringify({ ofApi, ofBulk })}`)
    return { differences, numbers } satisfies Round
  })
