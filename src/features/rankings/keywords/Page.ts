import type * as SqlClient from "@effect/sql/SqlClient"
import type { Fragment } from "@effect/sql/Statement"
import * as Schema from "effect/Schema"
import { AccountId } from "../../accounts/Domain.ts"
import { OwnedId } from "../../accounts/Owned.ts"
import { ProjectId } from "../../projects/Domain.ts"
import { KeywordDirection, KeywordFilters, KeywordSort } from "../Api.ts"
import { RankingStatus } from "../Domain.ts"

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

type BlockRequest = typeof PageRequest.Encoded

/** A place in a list: what it is ordered by, as it rises along the list, and the id. */
interface Place {
  readonly value: number
  readonly key: string
}

const first = "00000000-0000-0000-0000-000000000000"
const last = "ffffffff-ffff-ffff-ffff-ffffffffffff"

/** Between which places the records of a page lie, both included; without records that have no position, those of a position that is asked for. */
const between = ({ after, filters, sort }: BlockRequest, isForward: boolean, isLost: boolean) => {
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
export const makeBlocks = (sql: SqlClient.SqlClient) => {
  const at = ({ key, value }: Place) => sql`(${value}::float8, ${key}::uuid)`

  const relation = (request: BlockRequest, isForward: boolean, isLost: boolean): Fragment => {
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

type OrderRequest = typeof PageRequest.Encoded

/** A part of the list that is stored in order: all records, or those of some statuses, which are merged. */
interface Run {
  readonly statuses: ReadonlyArray<RankingStatus> | null
  /** The records of a generation `g`, of the status `s.status` where there are statuses, as `r`. */
  readonly records: Fragment
  /** Of a record `r`: whether it follows the last one read. */
  readonly isBehind: Fragment
}

/** An order of the list, for the page that follows a position. */
export interface Order {
  /** Of records `r`, as `ORDER BY` takes it. */
  readonly by: Fragment
  /** The same within a run. */
  readonly within: Fragment
  readonly isBehind: Fragment
  readonly runs: ReadonlyArray<Run>
}

/** The order of all lists without another one. */
export const usual = { order: "desc", sort: "impressions" } as const

/** Whether a list is ordered by what it compares first in the direction in which ids rise among equals; the other direction is the reverse of it. */
const isForward = ({ order, sort }: Pick<OrderRequest, "order" | "sort">) => (order === "asc") === (sort === "position")

/** What each order compares before the id. */
const columns = {
  clicks: ["-r.clicks"],
  impressions: ["-r.impressions", "-r.clicks"],
  position: ["r.current_position"],
  position_delta: ["-r.position_delta"]
} as const

/** The orders of lists as SQL. */
export const makeOrders = (sql: SqlClient.SqlClient) => {
  const every = sql`true`
  const nothing = sql`false`
  const blocks = makeBlocks(sql)

  const valuesOf = (sort: OrderRequest["sort"], [, value, clicks]: NonNullable<OrderRequest["after"]>): Fragment => {
    const number = value ?? 0
    switch (sort) {
      case "clicks":
        return sql`${-number}::bigint`
      case "impressions":
        return sql`${-number}::bigint, ${-clicks}::bigint`
      case "position":
        return sql`${number}::float8`
      case "position_delta":
        return sql`${-number}::float8`
    }
  }

  const follows = (request: OrderRequest): Fragment => {
    const { after, sort } = request
    if (after === null) return every
    const place = sql.literal(`(${columns[sort].join(", ")}, r.key) ${isForward(request) ? ">" : "<"}`)
    return sql`${place} (${valuesOf(sort, after)}, ${after[3]}::uuid)`
  }

  /** Records without a position come last in both directions; the last one read may be one of them. */
  const byPosition = (request: OrderRequest) => {
    const { after, filters } = request
    const isPast = after !== null && after[1] === null
    const sign = sql.literal(isForward(request) ? ">" : "<")
    const known = isPast ? nothing : follows(request)
    const lost = isPast ? sql`r.key ${sign} ${after[3]}::uuid` : every
    const wanted = filters.status === undefined ? RankingStatus.literals : [filters.status]
    const isBounded = filters.min_position !== undefined || filters.max_position !== undefined
    const records = (isLost: boolean) => blocks.relation(request, isForward(request), isLost)
    return {
      isBehind: sql`CASE WHEN r.current_position IS NULL THEN ${lost} ELSE ${known} END`,
      runs: [
        { isBehind: known, records: records(false), statuses: wanted.filter((status) => status !== "lost" && !isPast) },
        {
          isBehind: sql`r.current_position IS NULL AND ${lost}`,
          records: records(true),
          statuses: wanted.filter((status) => status === "lost" && !isBounded)
        }
      ].filter(({ statuses }) => statuses.length > 0)
    }
  }

  return (request: OrderRequest): Order => {
    const { filters, sort } = request
    const way = isForward(request) ? "" : " DESC"
    const within = [...columns[sort], "r.key"].map((column) => `${column}${way}`).join(", ")
    const by = sql.literal(within)
    if (sort === "impressions") {
      const isBehind = follows(request)
      const isOf = sql.literal("(SELECT * FROM rankings WHERE generation = g.id")
      const all = { isBehind, records: sql`${isOf}) AS r`, statuses: null }
      const run =
        filters.status === undefined
          ? all
          : { isBehind, records: sql`${isOf} AND ranking_status = s.status) AS r`, statuses: [filters.status] }
      return { by, isBehind, runs: [run], within: by }
    }
    const inBlocks = blocks.within(isForward(request))
    if (sort === "position")
      return { ...byPosition(request), by: sql`r.current_position IS NULL, ${by}`, within: inBlocks }
    const isBehind = follows(request)
    const statuses = filters.status === undefined ? RankingStatus.literals : [filters.status]
    const records = blocks.relation(request, isForward(request), false)
    return { by, isBehind, runs: [{ isBehind, records, statuses }], within: inBlocks }
  }
}
