import * as SqlClient from "@effect/sql/SqlClient"
import type { Fragment } from "@effect/sql/Statement"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Query from "../../../foundation/database/Query.ts"
import type { RankingStatus } from "../Domain.ts"
import { blockLength } from "../generation/ComputeRepo.ts"
import { makeOrders, PageRequest, usual } from "./Orders.ts"

type Encoded = typeof PageRequest.Encoded

/** A page as one row from PostgreSQL. A row per record would cost the driver more than the records. */
const Page = Schema.Struct({
  /** The snapshot for all pages of the list. */
  snapshot: Schema.String,
  /** The days with data of the list's sites, as JSON. Null when the snapshot was replaced too long ago. */
  coverage: Schema.NullOr(Schema.String),
  /** The records, one a line, with the fields of `record` in order, separated by U+001F. Null without records. */
  records: Schema.NullOr(Schema.String),
  /**
   * Why records may be missing: the search reached its last block (`end`), or its limit of blocks with the text (`near`), or a generation has no blocks yet
   * (`unindexed`).
   */
  cut: Schema.NullOr(Schema.Literal("end", "near", "unindexed"))
})
export type Page = typeof Page.Type

/** A limit, or null for none. */
const Limit = Schema.NullOr(Schema.Int)

/** The request for a page of records, or of records with a folded text in the query. */
const ListRequest = Schema.Struct({ ...PageRequest.fields, folded: Schema.NullOr(Schema.String), most: Limit })
type ListRequest = typeof ListRequest.Encoded

/** The request for a search; `nearest` is the number of blocks to take records from. */
const SearchRequest = Schema.Struct({ ...PageRequest.fields, folded: Schema.String, nearest: Limit })

/** Lists of rankings. Numbers and texts of records arrive in the form of JSON, so a page needs no decoding. */
export class KeywordsRepo extends Effect.Service<KeywordsRepo>()("rankings/keywords/KeywordsRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const orderOf = makeOrders(sql)

    // Shared fragments: a list without filters then has few.
    const [every, nothing, none] = [sql`true`, sql.literal(""), sql.literal("NULL")]

    /**
     * The generations for all pages of a list: current ones at the first page. The project of a generation that is being removed belongs to no account. The
     * project is found by its id, because a join would read all projects of the account.
     */
    const generations = ({ account, after, site }: Encoded) => sql`
      generations AS MATERIALIZED (
        SELECT g.id, g.site_id, g.coverage, g.is_indexed, iso(g.recorded_at) AS recorded_at,
          format('{"start":%s,"end":%s}', to_json(g.period_start), to_json(g.period_end)) AS period, p.brand_folded
        FROM ranking_generations g CROSS JOIN LATERAL (
          SELECT brand_folded FROM projects WHERE id = g.site_id AND account_id = g.account_id LIMIT 1
        ) AS p
        WHERE g.account_id = ${account} AND ${site === null ? every : sql`g.site_id = ${site}`} AND ${
          after === null
            ? sql`g.published IS NOT NULL AND g.superseded IS NULL`
            : sql`g.published <= ${after[0]}::bigint AND (g.superseded IS NULL OR g.superseded > ${after[0]}::bigint)`
        }
      )`

    /**
     * The fields of a record, texts as JSON, which has no control characters. With `format` of the whole record as JSON, the database would take half as long
     * again for the page.
     */
    const record = sql.literal(`
      concat_ws(chr(31), r.key, r.site_id, to_json(r.query), to_json(r.page), coalesce(r.current_position::text, 'null'),
        coalesce(r.previous_position::text, 'null'), r.position_delta, r.impressions, r.clicks, r.ranking_status, r.period, r.recorded_at)`)

    const isUnindexed = sql`EXISTS (SELECT FROM generations WHERE NOT is_indexed)`

    /** The page as one row. */
    const row = ({ account, after }: Encoded, cut: Fragment = none) => {
      const own = sql`FROM ranking_snapshots WHERE account_id = ${account}`
      const [isThere, number] =
        after === null
          ? [every, sql`coalesce((SELECT number ${own}), 0)`]
          : [sql`${after[0]}::bigint >= coalesce((SELECT oldest ${own}), 0)`, sql`${after[0]}::bigint`]
      return sql`
        SELECT ${number}::text AS snapshot,
          CASE WHEN ${isThere} THEN
            (SELECT coalesce(json_agg(coverage ORDER BY site_id) FILTER (WHERE coverage IS NOT NULL), '[]')::text FROM generations)
          END AS coverage,
          (SELECT string_agg(${record}, chr(10)) FROM page r) AS records,
          ${cut} AS cut`
    }

    const holds = (folded: string) => sql`strpos(coalesce(r.folded, r.query), ${folded}) > 0`

    /** Whether the query of a record has one of the site's brand terms. */
    const isOfBrand = sql`EXISTS (SELECT FROM unnest(g.brand_folded) AS term WHERE strpos(coalesce(r.folded, r.query), term) > 0)`

    /** The filters without an index, which are checked on each record in the order of the list. */
    const passes = (
      { brand, max_position, min_impressions, min_position, page_path }: Encoded["filters"],
      folded: string | null
    ) => {
      const conditions = [
        ...(brand === undefined ? [] : [sql`${isOfBrand} = ${brand === "true"}`]),
        ...(min_impressions === undefined ? [] : [sql`-r.impressions <= ${-min_impressions}::bigint`]),
        ...(min_position === undefined ? [] : [sql`r.current_position >= ${min_position}::float8`]),
        ...(max_position === undefined ? [] : [sql`r.current_position <= ${max_position}::float8`]),
        ...(page_path === undefined ? [] : [sql`r.page = ${page_path}`]),
        ...(folded === null ? [] : [holds(folded)])
      ]
      return conditions.length === 0 ? every : sql.and(conditions)
    }

    /** The first records of a list that pass the filters, only among its first `most` if that is a number. */
    const first = ({ count, filters, folded, most }: ListRequest, records: Fragment, by: Fragment) => {
      const isPassed = passes(filters, folded)
      const found =
        most === null
          ? sql`${records} AND ${isPassed}`
          : sql`SELECT * FROM (${records} ORDER BY ${by} LIMIT ${most}) AS r WHERE ${isPassed}`
      return Query.limit(sql, count, sql`${found} ORDER BY ${by}`)
    }

    /** A list of each status, one after the other. */
    const listsOf = (statuses: ReadonlyArray<RankingStatus>) =>
      sql.literal(`CROSS JOIN unnest('{${statuses.join(",")}}'::text[]) AS s (status)`)

    /**
     * The list by impressions, of all records or of a status, along its index. Lists in other orders are sorted. `GET /keywords?status=new&limit=20`:
     *
     *     WITH generations AS MATERIALIZED (…), page AS (
     *       SELECT r.*, g.site_id, g.period, g.recorded_at
     *       FROM generations g CROSS JOIN unnest('{new}'::text[]) AS s (status) CROSS JOIN LATERAL (
     *         SELECT * FROM rankings r WHERE r.generation = g.id AND r.ranking_status = s.status AND true AND true
     *         ORDER BY -r.impressions, -r.clicks, r.key LIMIT 21
     *       ) AS r ORDER BY -r.impressions, -r.clicks, r.key LIMIT 21
     *     )
     *     SELECT … FROM page r
     */
    const fromRecords = (request: ListRequest) => {
      const { by, isBehind, statuses } = orderOf(request)
      const isWhole = request.filters.status === undefined
      const isOf = isWhole ? every : sql`r.ranking_status = s.status`
      const records = sql`SELECT * FROM rankings r WHERE r.generation = g.id AND ${isOf} AND ${isBehind}`
      return sql`
        WITH ${generations(request)}, page AS (
          SELECT r.*, g.site_id, g.period, g.recorded_at
          FROM generations g ${isWhole ? nothing : listsOf(statuses)} CROSS JOIN LATERAL (${first(request, records, by)}) AS r
          ORDER BY ${by} LIMIT ${request.count}
        )
        ${row(request)}`
    }

    /**
     * A list in another order. Blocks store this order for each status, with the place of their last record; a page reads blocks from its start until it is
     * full. A list that ends at a place (in the reverse direction, the last record read) ends with the block that has the place, and this block `e` is found
     * first. OFFSET 0 keeps one look-up per record, and records in the order of the blocks. `GET /keywords?sort=clicks&order=asc&page_path=/a&limit=20`, behind
     * a record with 7 clicks:
     *
     *     WITH generations AS MATERIALIZED (…), page AS (
     *       SELECT r.*, g.site_id, g.period, g.recorded_at
     *       FROM generations g CROSS JOIN unnest('{climbing,dropping,stable,new,lost}'::text[]) AS s (status) LEFT JOIN LATERAL (
     *         SELECT b.value, b.key FROM ranking_orders b
     *         WHERE b.generation = g.id AND b.sort = 'clicks' AND b.ranking_status = s.status AND (b.value, b.key) >= (-7, '4dce…')
     *         ORDER BY b.value, b.key LIMIT 1
     *       ) AS e ON true CROSS JOIN LATERAL (
     *         SELECT r.*, o.value AS block_value, o.key AS block_key, k.nth FROM ranking_orders o
     *         CROSS JOIN LATERAL unnest(o.impressions, o.clicks, o.keys) WITH ORDINALITY AS k (impressions, clicks, key, nth)
     *         CROSS JOIN LATERAL (SELECT * FROM rankings r WHERE … AND r.key = k.key OFFSET 0) AS r
     *         WHERE o.generation = g.id AND o.sort = 'clicks' AND o.ranking_status = s.status
     *           AND (o.value, o.key) <= (coalesce(e.value, 'infinity'), coalesce(e.key, 'ffff…'))
     *           AND (-r.clicks, r.key) < (-7, '4dce…') AND r.page = '/a'
     *         ORDER BY block_value DESC, block_key DESC, nth DESC LIMIT 21
     *       ) AS r ORDER BY -r.clicks DESC, r.key DESC LIMIT 21
     *     )
     *     SELECT … FROM page r
     */
    const inBlocks = (request: ListRequest) => {
      const { by, from, isBehind, isForward, statuses, to } = orderOf(request)
      const isOf = (block: string) =>
        sql.literal(
          `${block}.generation = g.id AND ${block}.sort = '${request.sort}' AND ${block}.ranking_status = s.status`
        )
      const end =
        to === undefined
          ? nothing
          : sql`LEFT JOIN LATERAL (
              SELECT b.value, b.key FROM ranking_orders b WHERE ${isOf("b")} AND (b.value, b.key) >= ${to} ORDER BY b.value, b.key LIMIT 1
            ) AS e ON true`
      const isUpToEnd = sql`(o.value, o.key) <= (coalesce(e.value, 'infinity'), coalesce(e.key, 'ffffffff-ffff-ffff-ffff-ffffffffffff'))`
      const isWithin = sql.and([
        isOf("o"),
        ...(from === undefined ? [] : [sql`(o.value, o.key) >= ${from}`]),
        ...(to === undefined ? [] : [isUpToEnd])
      ])
      const records = sql`
        SELECT r.*, o.value AS block_value, o.key AS block_key, k.nth FROM ranking_orders o
        CROSS JOIN LATERAL unnest(o.impressions, o.clicks, o.keys) WITH ORDINALITY AS k (impressions, clicks, key, nth)
        CROSS JOIN LATERAL (
          SELECT * FROM rankings r
          WHERE r.generation = g.id AND (-r.impressions) = -k.impressions AND (-r.clicks) = -k.clicks AND r.key = k.key OFFSET 0
        ) AS r
        WHERE ${isWithin} AND ${isBehind}`
      const within = sql.literal(
        isForward ? "block_value, block_key, nth" : "block_value DESC, block_key DESC, nth DESC"
      )
      return sql`
        WITH ${generations(request)}, page AS (
          SELECT r.*, g.site_id, g.period, g.recorded_at
          FROM generations g ${listsOf(statuses)} ${end} CROSS JOIN LATERAL (${first(request, records, within)}) AS r
          ORDER BY ${by} LIMIT ${request.count}
        )
        ${row(request, sql`CASE WHEN ${isUnindexed} THEN 'unindexed' END`)}`
    }

    const readRecords = Query.one({ Request: ListRequest, Result: Page, execute: fromRecords })
    const readBlocks = Query.one({ Request: ListRequest, Result: Page, execute: inBlocks })

    /** A page of the list, or, with a text, of the records with the text in the query. */
    const list = (request: typeof ListRequest.Type) =>
      request.sort === usual.sort
        ? readRecords(request)
        : Effect.filterOrElse(
            readBlocks(request),
            ({ cut }) => cut !== "unindexed",
            () => readRecords(request)
          )

    /** The place of a block `b` in the order of the blocks, which is the default order. */
    const place = sql.literal("-b.impressions, -b.clicks, b.key")

    /** Whether a block may have records after the last one read. Only in the block order do the places of blocks decide. */
    const reaches = ({ after, order, sort }: Encoded) =>
      after === null || sort !== usual.sort || order !== usual.order
        ? every
        : sql`(${place}) > (${-(after[1] ?? 0)}::bigint, ${-after[2]}::bigint, ${after[3]}::uuid)`

    /**
     * The records with the text in the first `nearest` of the `candidates`: blocks with the place `i, c, key` of their last record. More records may follow the
     * last of the `nearest` blocks, and the last searched block; a page that is full before is complete. `GET /keywords?query=shoe&limit=20`, by trigrams:
     *
     *     WITH generations AS MATERIALIZED (…), near AS MATERIALIZED (
     *       SELECT g.*, b.* FROM generations g CROSS JOIN LATERAL (
     *         SELECT *, row_number() OVER (ORDER BY i, c, key) AS nth FROM (
     *           SELECT -b.impressions AS i, -b.clicks AS c, b.key, b.records, false AS is_end FROM ranking_blocks b
     *           WHERE b.generation = g.id AND b.queries LIKE '%shoe%' AND true
     *         ) AS b ORDER BY i, c, key LIMIT 21
     *       ) AS b
     *     ), page AS (
     *       SELECT … FROM near g CROSS JOIN LATERAL (SELECT … FROM rankings r WHERE … LIMIT 32) AS r
     *       WHERE r.back <= g.records AND strpos(coalesce(r.folded, r.query), 'shoe') > 0 AND true AND true
     *       ORDER BY -r.impressions, -r.clicks, r.key LIMIT 21
     *     )
     *     SELECT …, (SELECT … FROM near b WHERE …) AS cut FROM page r
     */
    const among = ({ folded, nearest, ...request }: typeof SearchRequest.Encoded, candidates: Fragment) => {
      const { by, isBehind } = orderOf(request)
      const { count, filters } = request
      const isOf = filters.status === undefined ? every : sql`r.ranking_status = ${filters.status}`
      return sql`
        WITH ${generations(request)}, near AS MATERIALIZED (
          SELECT g.*, b.* FROM generations g CROSS JOIN LATERAL (
            SELECT *, row_number() OVER (ORDER BY i, c, key) AS nth FROM (${candidates}) AS b ORDER BY i, c, key LIMIT ${nearest}
          ) AS b
        ), page AS (
          SELECT r.*, g.site_id, g.period, g.recorded_at FROM near g CROSS JOIN LATERAL (
            SELECT *, row_number() OVER (ORDER BY -r.impressions DESC, -r.clicks DESC, r.key DESC) AS back
            FROM rankings r WHERE r.generation = g.id AND (-r.impressions, -r.clicks, r.key) <= (g.i, g.c, g.key)
            ORDER BY -r.impressions DESC, -r.clicks DESC, r.key DESC LIMIT ${sql.literal(String(blockLength))}
          ) AS r
          WHERE r.back <= g.records AND ${holds(folded)} AND ${isOf} AND ${isBehind} ORDER BY ${by} LIMIT ${count}
        )
        ${row(
          request,
          sql`CASE WHEN ${isUnindexed} THEN 'unindexed' ELSE (
            SELECT CASE WHEN is_end THEN 'end' ELSE 'near' END FROM near b WHERE (is_end OR nth = ${nearest})
              AND (SELECT count(*) FROM page r WHERE (-r.impressions, -r.clicks, r.key) <= (b.i, b.c, b.key)) < ${count}
            ORDER BY i, c, key LIMIT 1
          ) END`
        )}`
    }

    /** Looks through the first `most` blocks of the list. */
    const scanBlocks = Query.one({
      Request: Schema.Struct({ ...SearchRequest.fields, most: Limit }),
      Result: Page,
      execute: ({ most, ...request }) =>
        among(
          request,
          sql`SELECT i, c, key, records, is_end FROM (
                SELECT -b.impressions AS i, -b.clicks AS c, b.key, b.records, b.queries,
                  row_number() OVER (ORDER BY ${place}) IS NOT DISTINCT FROM ${most}::bigint AS is_end
                FROM ranking_blocks b WHERE b.generation = g.id AND ${reaches(request)} ORDER BY ${place} LIMIT ${most}
              ) AS b WHERE is_end OR strpos(queries, ranking_searchable(${request.folded})) > 0`
        )
    })

    /** Finds the blocks by their trigrams. */
    const lookUp = Query.one({
      Request: SearchRequest,
      Result: Page,
      execute: (request) =>
        among(
          request,
          sql`SELECT -b.impressions AS i, -b.clicks AS c, b.key, b.records, false AS is_end FROM ranking_blocks b
              WHERE b.generation = g.id AND b.queries LIKE ranking_pattern(${request.folded}) AND ${reaches(request)}`
        )
    })

    return { list, lookUp, scanBlocks }
  })
}) {}
