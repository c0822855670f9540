import type { FileFormat } from "../../../src/features/rankings/Domain.ts"
import type { RawRow } from "../../../src/features/rankings/RawRow.ts"
import type * as movementModel from "./movementModel.ts"

interface Stored extends movementModel.Sums {
  readonly exact: boolean
  readonly grain: number
}

/** The rows of a site by date, query and page, then by their other dimensions: the expected database after the same imports. */
export type Store = Map<string, Map<string, Stored>>

const key = ({ date, page, query }: RawRow) => JSON.stringify([date, query, page])

const apart = ({ address, appearance, country, device }: RawRow) =>
  JSON.stringify([address, country, device, appearance])

const grain = ({ country, device }: RawRow) => (country === null ? 0 : 1) + (device === null ? 0 : 2)

/**
 * The meaning of one import, in memory. A bulk export replaces the days that it covers, and repeated rows in it are parts of a sum. In other formats each
 * row is a number of its own: a newer row replaces an older one, and exact rows replace rounded ones but not the other way round.
 */
export const importRows = (store: Store, format: FileFormat, rows: ReadonlyArray<RawRow>): void => {
  const incoming: Store = new Map()
  for (const row of rows.filter(({ page, query }) => page !== null && query !== null)) {
    const facts = incoming.get(key(row)) ?? new Map<string, Stored>()
    const before = format === "bigquery" ? facts.get(apart(row)) : undefined
    facts.set(apart(row), {
      clicks: row.clicks + (before?.clicks ?? 0),
      exact: row.table.exact,
      grain: grain(row),
      impressions: row.impressions + (before?.impressions ?? 0),
      sumTop: row.sumTop + (before?.sumTop ?? 0)
    })
    incoming.set(key(row), facts)
  }
  if (format === "bigquery") {
    const days = new Set(rows.map(({ date }) => date))
    for (const place of [...store.keys()]) if (days.has(JSON.parse(place)[0])) store.delete(place)
  }
  for (const [place, facts] of incoming) {
    const kept = store.get(place) ?? new Map<string, Stored>()
    const isExact = [...facts.values()].every(({ exact }) => exact)
    if (!isExact && [...kept.values()].some(({ exact }) => exact)) continue
    for (const [name, { exact }] of [...kept]) if (isExact && !exact) kept.delete(name)
    for (const [name, fact] of facts) kept.set(name, fact)
    store.set(place, kept)
  }
}

/** Totals by query and page over a range of days: of several grains the lowest counts. */
export const totals = (store: Store, from: string, to: string): Map<string, movementModel.Sums> => {
  const all = new Map<string, movementModel.Sums>()
  for (const [place, facts] of store) {
    const [date, query, page] = JSON.parse(place)
    if (date < from || date > to) continue
    const lowest = Math.min(...[...facts.values()].map(({ grain }) => grain))
    for (const fact of [...facts.values()].filter(({ grain }) => grain === lowest)) {
      const sums = all.get(JSON.stringify([query, page])) ?? { impressions: 0, clicks: 0, sumTop: 0 }
      all.set(JSON.stringify([query, page]), {
        impressions: sums.impressions + fact.impressions,
        clicks: sums.clicks + fact.clicks,
        sumTop: sums.sumTop + fact.sumTop
      })
    }
  }
  return new Map([...all].sort(([a], [b]) => (a < b ? -1 : 1)))
}
