import type { Batch, RawRow } from "../../src/rankings/RawRow.ts"
import type * as Movement from "./movementModel.ts"

interface Stored extends RawRow {
  readonly shape: string
  readonly exact: boolean
}

/** The rows of a site, by date, query and page, then by variant: what the database must hold after the same imports. */
export type Store = Map<string, Map<number, Stored>>

/**
 * The meaning of an import, in memory. Within a file, repeated rows of the bulk export are parts of a sum, of other formats
 * the larger stands. Across files and imports a row replaces its like unless it (bulk) counts less; rows of another shape for the same
 * date, query and page are replaced as a whole, and so are rounded rows by exact ones, but never exact rows by rounded ones.
 */
export const importFile = (store: Store, batch: Batch): void => {
  for (const row of withinFile(batch)) {
    const place = key(row)
    const kept = store.get(place) ?? new Map<number, Stored>()
    const before = [...kept.values()]
    if (!row.exact && before.some(({ exact }) => exact)) continue
    if (before.some(({ exact, shape }) => shape !== row.shape || exact !== row.exact)) kept.clear()
    const old = kept.get(row.variant)
    if (old === undefined || replaces(row, old)) kept.set(row.variant, row)
    store.set(place, kept)
  }
}

/** Totals by query and page over a range of days. */
export const totals = (store: Store, from: string, to: string): Map<string, Movement.Sums> => {
  const all = new Map<string, Movement.Sums>()
  for (const row of [...store.values()].flatMap((kept) => [...kept.values()])) {
    if (row.date < from || row.date > to) continue
    const place = JSON.stringify([row.query, row.page])
    const sums = all.get(place) ?? { impressions: 0, clicks: 0, sumTop: 0 }
    all.set(place, {
      impressions: sums.impressions + row.impressions,
      clicks: sums.clicks + row.clicks,
      sumTop: sums.sumTop + row.sumTop
    })
  }
  return new Map([...all].sort(([a], [b]) => (a < b ? -1 : 1)))
}

const key = ({ date, page, query }: RawRow) => JSON.stringify([date, query, page])

const isBulk = (shape: string) => shape.startsWith("bulk")

const replaces = (row: Stored, old: Stored) => !isBulk(row.shape) || row.impressions >= old.impressions

const withinFile = ({ exact, rows, shape }: Batch): Iterable<Stored> => {
  const found = new Map<string, Stored>()
  for (const row of rows) {
    const place = JSON.stringify([key(row), row.variant])
    const old = found.get(place)
    found.set(place, old === undefined ? { ...row, shape, exact } : joined(old, { ...row, shape, exact }))
  }
  return found.values()
}

const joined = (a: Stored, b: Stored): Stored =>
  isBulk(a.shape)
    ? { ...a, impressions: a.impressions + b.impressions, clicks: a.clicks + b.clicks, sumTop: a.sumTop + b.sumTop }
    : a.impressions >= b.impressions
      ? a
      : b
