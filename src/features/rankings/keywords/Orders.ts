import type * as SqlClient from "@effect/sql/SqlClient"
import type { Fragment } from "@effect/sql/Statement"
import * as Schema from "effect/Schema"
import { AccountId } from "../../accounts/Domain.ts"
import { OwnedId } from "../../accounts/Owned.ts"
import { ProjectId } from "../../projects/Domain.ts"
import { KeywordDirection, KeywordFilters, KeywordSort } from "../Api.ts"
import { RankingStatus } from "../Domain.ts"

/** A sort value of a list; empty for a missing position. */
const Value = Schema.transform(Schema.String, Schema.NullOr(Schema.Number), {
  strict: true,
  decode: (text) => (text === "" ? null : Number(text)),
  encode: (value) => (value === null ? "" : String(value))
})

/** The start of a page in a cursor: the snapshot, then sort value, clicks and key of the previous record. */
export const Position = Schema.Tuple(Schema.NumberFromString, Value, Schema.NumberFromString, Schema.UUID)

/** The request for a page of an account's rankings. The account owns the site. */
export const PageRequest = Schema.Struct({
  account: AccountId,
  site: Schema.NullOr(OwnedId(ProjectId)),
  filters: Schema.typeSchema(KeywordFilters.omit("query", "site_id")),
  order: KeywordDirection,
  sort: KeywordSort,
  after: Schema.NullOr(Schema.typeSchema(Position)),
  count: Schema.Int
})
export type PageRequest = typeof PageRequest.Type

type Encoded = typeof PageRequest.Encoded

/** The default order of lists. */
export const usual = { order: "desc", sort: "impressions" } as const

/** An order of the list for the requested page. */
interface Order {
  /** The `ORDER BY` of records `r`. */
  readonly by: Fragment
  /** The condition that a record `r` follows the last one read. */
  readonly isBehind: Fragment
  /** Whether ids rise among equals; the other direction reverses all. */
  readonly isForward: boolean
  /** The statuses of possible records. */
  readonly statuses: ReadonlyArray<RankingStatus>
  /** The first and the last place, `(value, key)`, in `ranking_orders` for records of the status `s.status`, both inclusive. */
  readonly from: Fragment | undefined
  readonly to: Fragment | undefined
}

const [lowest, highest] = ["00000000-0000-0000-0000-000000000000", "ffffffff-ffff-ffff-ffff-ffffffffffff"]

/** The orders of lists as SQL. */
export const makeOrders = (sql: SqlClient.SqlClient) => {
  const every = sql`true`

  return ({ after, filters, order, sort }: Encoded): Order => {
    const [, value, clicks, key] = after ?? [0, 0, 0, lowest]
    const number = value ?? 0
    const isByPosition = sort === "position"
    const isForward = (order === "asc") === isByPosition

    /** The sort expressions before the id, with the values of the last record read. */
    const compared = () => {
      switch (sort) {
        case "clicks":
          return { columns: ["-r.clicks"], values: sql`${-number}::bigint` }
        case "impressions":
          return { columns: ["-r.impressions", "-r.clicks"], values: sql`${-number}::bigint, ${-clicks}::bigint` }
        case "position": {
          // Records without a position are last in both directions.
          const none = isForward ? "infinity" : "-infinity"
          return { columns: [`coalesce(r.current_position, '${none}')`], values: sql`${value ?? none}::float8` }
        }
        case "position_delta":
          return { columns: ["-r.position_delta"], values: sql`${-number}::float8` }
      }
    }
    const { columns, values } = compared()
    const place = `(${columns.join(", ")}, r.key)`

    const isPast = isByPosition && value === null
    const isBounded = filters.min_position !== undefined || filters.max_position !== undefined
    const wanted = filters.status === undefined ? RankingStatus.literals : [filters.status]
    /** Blocks store position 0 for lost records, so no block of theirs is skipped while records with a position are read. */
    const lost = isPast ? 0 : isForward ? "-infinity" : "infinity"
    const at = (value: number, key: string) =>
      isByPosition
        ? sql`(CASE s.status WHEN 'lost' THEN ${lost}::float8 ELSE ${value}::float8 END, ${key}::uuid)`
        : sql`(${value}::float8, ${key}::uuid)`
    const bound = (position: number | undefined, key: string) =>
      isByPosition && position !== undefined ? at(position, key) : undefined
    const read = after === null ? undefined : at(isByPosition ? number : -number, key)

    return {
      by: sql.literal([...columns, "r.key"].map((column) => `${column}${isForward ? "" : " DESC"}`).join(", ")),
      from: (isForward ? read : undefined) ?? bound(filters.min_position, lowest),
      isBehind:
        after === null ? every : sql`${sql.literal(`${place} ${isForward ? ">" : "<"}`)} (${values}, ${key}::uuid)`,
      isForward,
      statuses: isByPosition ? wanted.filter((status) => (status === "lost" ? !isBounded : !isPast)) : wanted,
      to: (isForward ? undefined : read) ?? bound(filters.max_position, highest)
    }
  }
}
