import type * as SqlClient from "@effect/sql/SqlClient"
import type { Fragment } from "@effect/sql/Statement"
import type { PageRequest } from "./Page.ts"

type Encoded = typeof PageRequest.Encoded

/** A place in a list: what it is ordered by, as it rises along the list, and the id. */
interface Place {
  readonly value: number
  readonly key: string
}

const first = "00000000-0000-0000-0000-000000000000"
const last = "ffffffff-ffff-ffff-ffff-ffffffffffff"

/** Between which places the records of a page lie, both included; without records that have no position, those of a position that is asked for. */
const between = ({ after, filters, sort }: Encoded, isForward: boolean, isLost: boolean) => {
  const sign = sort === "position" ? 1 : -1
  const read =
    after === null || isLost !== (after[1] === null)
      ? []
      : [{ key: after[3], value: isLost ? 0 : sign * (after[1] ?? 0) }]
  const isByPosition = sort === "position" && !isLost
  const bound = (value: number | undefined, key: string): ReadonlyArray<Place> =>
    isByPosition && value !== undefined ? [{ key, value }] : []
  return {
    from: [...(isForward ? read : []), ...bound(filters.min_position, first)],
    to: [...(isForward ? [] : read), ...bound(filters.max_position, last)]
  }
}

/**
 * The records of a generation `g` with the status `s.status` in another order than the usual one, as the relation `r`. They are named by blocks that have
 * the place of their last record, so that a page reads the blocks from where it starts to where it is full. Without an end of its own each look-up of a
 * record stays one (OFFSET 0), and the blocks' order stays that of the records.
 */
export const make = (sql: SqlClient.SqlClient) => {
  const at = ({ key, value }: Place) => sql`(${value}::float8, ${key}::uuid)`

  const relation = (request: Encoded, isForward: boolean, isLost: boolean): Fragment => {
    const isOf = (block: string) =>
      sql.literal(
        `${block}.generation = g.id AND ${block}.sort = '${request.sort}' AND ${block}.ranking_status = s.status`
      )
    /** Part of the end of the block that holds a place. */
    const end = (column: "key" | "value", place: Place) =>
      sql`(SELECT ${sql.literal(`b.${column}`)} FROM ranking_orders b WHERE ${isOf("b")} AND (b.value, b.key) >= ${at(place)} ORDER BY b.value, b.key LIMIT 1)`
    const { from, to } = between(request, isForward, isLost)
    const reached = sql.and([
      isOf("o"),
      ...from.map((place) => sql`(o.value, o.key) >= ${at(place)}`),
      ...to.map(
        (place) =>
          sql`(o.value, o.key) <= (coalesce(${end("value", place)}, 'infinity'), coalesce(${end("key", place)}, ${last}::uuid))`
      )
    ])
    return sql`(
      SELECT r.*, o.value AS block_value, o.key AS block_key, k.nth FROM ranking_orders o
      CROSS JOIN LATERAL unnest(o.impressions, o.clicks, o.keys) WITH ORDINALITY AS k (impressions, clicks, key, nth)
      CROSS JOIN LATERAL (
        SELECT * FROM rankings r
        WHERE r.generation = g.id AND (-r.impressions) = -k.impressions AND (-r.clicks) = -k.clicks AND r.key = k.key OFFSET 0
      ) AS r WHERE ${reached}
    ) AS r`
  }

  /** The order of the relation's records. */
  const within = (isForward: boolean) =>
    sql.literal(
      ["r.block_value", "r.block_key", "r.nth"].map((column) => `${column}${isForward ? "" : " DESC"}`).join(", ")
    )

  return { relation, within }
}
