import type * as SqlClient from "@effect/sql/SqlClient"
import type { Fragment } from "@effect/sql/Statement"
import * as Schema from "effect/Schema"
import { AccountId } from "../../accounts/Domain.ts"
import { OwnedId } from "../../accounts/Owned.ts"
import { ProjectId } from "../../projects/Domain.ts"
import { KeywordDirection, KeywordFilters, KeywordSort } from "../Api.ts"

/** What a list is ordered by; empty for a position that there is none of. */
const Value = Schema.transform(Schema.String, Schema.NullOr(Schema.Number), {
  strict: true,
  decode: (text) => (text === "" ? null : Number(text)),
  encode: (value) => (value === null ? "" : String(value))
})

/** Where a page starts, as the cursor has it: the snapshot, then what the list is ordered by, clicks and key of the record before. */
export const Position = Schema.Tuple(Schema.NumberFromString, Value, Schema.NumberFromString, Schema.UUID)

/** A page of an account's rankings. The site is an owned one, and the query a folded text of its own. */
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

/** A page as PostgreSQL writes it, in one row: a row for each record costs the driver more than the records themselves. */
export const Page = Schema.Struct({
  /** The snapshot that the walk sees. */
  snapshot: Schema.String,
  /** As JSON: of which days the sites of the list have data. Null when the snapshot was replaced too long ago. */
  coverage: Schema.NullOr(Schema.String),
  /** The records as JSON, which holds no line end, one a line. Null where there are none. */
  records: Schema.NullOr(Schema.String),
  /** Why records may be missing: the search reached its last block (`end`), or its limit of blocks that hold the text (`near`). */
  cut: Schema.NullOr(Schema.Literal("end", "near"))
})
export type Page = typeof Page.Type

/** The parts of the statement: relations after `generations`, the records as `r` beside their generation `g`, and why some may be missing. */
export interface Parts {
  /** The order of the records. */
  readonly by: Fragment
  readonly relations?: Fragment
  readonly records: Fragment
  readonly cut?: Fragment
}

/** The statement of a page. */
export const make = (sql: SqlClient.SqlClient) => {
  const every = sql`true`
  const nothing = sql.literal("")
  const none = sql.literal("NULL")

  /** A record as JSON: `format` takes half the time of `row_to_json`, which looks up the type of each value anew. */
  const record = sql.literal(`
    format('{"id":"kw_%s","site_id":"%s","query":%s,"page_path":%s,"current_position":%s,"previous_position":%s,"position_delta":%s,'
        '"impressions":%s,"clicks":%s,"ctr":%s,"ranking_status":"%s","period":%s,"recorded_at":"%s"}',
      replace(r.key::text, '-', ''), r.site_id, to_json(r.query), to_json(r.page), coalesce(r.current_position::text, 'null'),
      coalesce(r.previous_position::text, 'null'), r.position_delta, r.impressions, r.clicks,
      CASE WHEN r.impressions = 0 THEN 0 ELSE r.clicks::double precision / r.impressions END, r.ranking_status, r.period, r.recorded_at)`)

  /** A walk sees the generations that were current when it began. */
  const snapshot = ({ account, after }: Pick<Encoded, "account" | "after">) => {
    const own = sql`FROM ranking_snapshots WHERE account_id = ${account}`
    return after === null
      ? {
          isSeen: sql`g.published IS NOT NULL AND g.superseded IS NULL`,
          isThere: every,
          number: sql`coalesce((SELECT number ${own}), 0)`
        }
      : {
          isSeen: sql`g.published <= ${after[0]}::bigint AND (g.superseded IS NULL OR g.superseded > ${after[0]}::bigint)`,
          isThere: sql`${after[0]}::bigint >= coalesce((SELECT oldest ${own}), 0)`,
          number: sql`${after[0]}::bigint`
        }
  }

  /**
   * The records of all generations, in one list; the project of a generation that is being removed belongs to no account. It is found by its id, where a join
   * would read all projects of the account.
   */
  const page = ({ account, after, count, site }: Encoded, { by, cut = none, records, relations = nothing }: Parts) => {
    const { isSeen, isThere, number } = snapshot({ account, after })
    return sql`
      WITH generations AS MATERIALIZED (
        SELECT g.id, g.site_id, g.coverage, iso(g.recorded_at) AS recorded_at,
          format('{"start":%s,"end":%s}', to_json(g.period_start), to_json(g.period_end)) AS period,
          p.brand_folded
        FROM ranking_generations g CROSS JOIN LATERAL (
          SELECT brand_folded FROM projects WHERE id = g.site_id AND account_id = g.account_id LIMIT 1
        ) AS p
        WHERE g.account_id = ${account} AND ${site === null ? every : sql`g.site_id = ${site}`} AND ${isSeen}
      )${relations}, page AS (
        SELECT r.*, g.site_id, g.period, g.recorded_at FROM ${records} ORDER BY ${by} LIMIT ${count}
      )
      SELECT ${number}::text AS snapshot,
        CASE WHEN ${isThere} THEN
          (SELECT coalesce(json_agg(coverage ORDER BY site_id) FILTER (WHERE coverage IS NOT NULL), '[]')::text FROM generations)
        END AS coverage,
        (SELECT string_agg(${record}, chr(10)) FROM page r) AS records,
        ${cut} AS cut`
  }

  return page
}
