import * as SqlClient from "@effect/sql/SqlClient"
import type { Fragment } from "@effect/sql/Statement"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Query from "../../database/Query.ts"
import { blockLength } from "../generation/ComputeRepo.ts"
import { PageRequest } from "./PageRequest.ts"

type Encoded = typeof PageRequest.Encoded

/** A page of the records whose query holds the text, which is folded. */
const SearchRequest = Schema.Struct({ ...PageRequest.fields, folded: Schema.String })

/** `nearest`: blocks to take records from, null for all. */
const BlocksRequest = Schema.Struct({ ...SearchRequest.fields, nearest: Schema.NullOr(Schema.Int) })
type Searched = typeof BlocksRequest.Encoded

/** A record as the JSON that is answered, and its place in the list; both are null in a row that only tells of the list. */
export const Row = Schema.Struct({
  json: Schema.NullOr(Schema.String),
  /** The snapshot, impressions, clicks and key, with commas between. */
  place: Schema.NullOr(Schema.String),
  /** In the first row, as JSON: of which days the sites of the list have data. Null when its snapshot was replaced too long ago. */
  coverage: Schema.NullOr(Schema.String),
  /** The search stopped here, at the end of what it looked at, or with as many blocks that hold the text as were asked for. */
  cut: Schema.NullOr(Schema.Literal("end", "near"))
})
export type Row = typeof Row.Type

/** Lists of rankings. Records are shaped as JSON by PostgreSQL: a page costs the server no decoding. */
export class KeywordsRepo extends Effect.Service<KeywordsRepo>()("rankings/keywords/KeywordsRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    const order = sql.literal("-r.impressions, -r.clicks, r.key")
    const endOrder = sql.literal("-s.impressions, -s.clicks, s.key")

    // Made once: a list without filters is then put together of few parts.
    const every = sql`true`

    const behind = (place: Fragment, after: Encoded["after"]) =>
      after === null ? every : sql`(${place}) > (${-after[1]}::bigint, ${-after[2]}::bigint, ${after[3]}::uuid)`

    const ofStatus = (status: Encoded["status"]) => (status === null ? every : sql`r.ranking_status = ${status}`)

    /** A record belongs to the brand when its query holds one of the site's terms. */
    const within = ({ brand, least, page }: Encoded["narrowed"]) => {
      if (brand === null && least === null && page === null) return every
      const held = sql`EXISTS (SELECT FROM unnest(g.brand_folded) AS term WHERE strpos(coalesce(r.folded, r.query), term) > 0)`
      return sql.and([
        ...(brand === null ? [] : [brand ? held : sql`NOT ${held}`]),
        ...(least === null ? [] : [sql`-r.impressions <= ${-least}::bigint`]),
        ...(page === null ? [] : [sql`r.page = ${page}`])
      ])
    }

    /** The records of generation `g` from the start of the page on. */
    const listed = ({ after, narrowed, status }: Pick<Encoded, "after" | "narrowed" | "status">) =>
      sql`rankings r WHERE r.generation = g.id AND ${ofStatus(status)} AND ${behind(order, after)} AND ${within(narrowed)}`

    /** `ofGeneration` selects from the rankings of generation `g`, which is then merged with those of the account's other sites. */
    const page = ({ account, after, count, site }: Encoded, ofGeneration: Fragment) => sql`
      WITH snapshot AS (
        SELECT coalesce(${after === null ? null : after[0]}::bigint, max(number), 0) AS number, coalesce(max(oldest), 0) AS oldest
        FROM ranking_snapshots WHERE account_id = ${account}
      ), generations AS MATERIALIZED (
        SELECT g.*, p.brand_folded, iso(g.recorded_at) AS recorded,
          (SELECT row_to_json(period) FROM (SELECT g.period_start AS start, g.period_end AS "end") AS period) AS period
        FROM ranking_generations g JOIN projects p ON p.id = g.site_id AND p.account_id = g.account_id, snapshot
        WHERE g.account_id = ${account} AND ${site === null ? every : sql`g.site_id = ${site}`}
          AND g.published <= snapshot.number AND (g.superseded IS NULL OR g.superseded > snapshot.number)
      )
      SELECT CASE WHEN row_number() OVER (ORDER BY ${order}) = 1 AND snapshot.number >= snapshot.oldest THEN
          (SELECT coalesce(json_agg(coverage ORDER BY site_id) FILTER (WHERE coverage IS NOT NULL), '[]')::text FROM generations)
        END AS coverage,
        CASE WHEN r.key IS NOT NULL AND r.cut IS NULL THEN concat_ws(',', snapshot.number, r.impressions, r.clicks, r.key) END AS place,
        r.cut,
        CASE WHEN r.key IS NOT NULL AND r.cut IS NULL THEN (SELECT row_to_json(record)::text FROM (
          SELECT 'kw_' || replace(r.key::text, '-', '') AS id, r.site_id, r.query, r.page AS page_path,
            r.current_position, r.previous_position, r.position_delta, r.impressions, r.clicks,
            CASE WHEN r.impressions = 0 THEN 0 ELSE r.clicks::double precision / r.impressions END AS ctr, r.ranking_status,
            r.period, r.recorded AS recorded_at
        ) AS record) END AS json
      FROM snapshot LEFT JOIN LATERAL (
        SELECT r.*, g.site_id, g.period, g.recorded
        FROM generations g CROSS JOIN LATERAL (${ofGeneration}) AS r
        ORDER BY ${order} LIMIT ${count}
      ) AS r ON true
      ORDER BY ${order}`

    const list = Query.all({
      Request: PageRequest,
      Result: Row,
      execute: (request) =>
        page(request, sql`SELECT *, NULL AS cut FROM ${listed(request)} ORDER BY ${order} LIMIT ${request.count}`)
    })

    const holds = (folded: string) => sql`strpos(coalesce(r.folded, r.query), ${folded}) > 0`

    /** Looks through the list, or through that of one status, to its end. */
    const scanRecords = Query.all({
      Request: SearchRequest,
      Result: Row,
      execute: ({ folded, ...request }) =>
        page(
          request,
          sql`SELECT *, NULL AS cut FROM ${listed(request)} AND ${holds(folded)} ORDER BY ${order} LIMIT ${request.count}`
        )
    })

    /**
     * The records that hold the text, as many as a page needs, in the first `nearest` (null: all) of the `candidates`: blocks, each with the
     * place `(i, c, key)` of its last record. Where more may follow, a row that is `cut` stands at the place up to which all are known.
     */
    const holding = ({ after, count, folded, nearest, status }: Searched, candidates: Fragment) => sql`
      WITH near AS MATERIALIZED (
        SELECT *, row_number() OVER (ORDER BY i, c, key) AS nth FROM (${candidates} ORDER BY i, c, key) AS s
        ORDER BY i, c, key LIMIT ${nearest ?? sql`ALL`}
      )
      (
        SELECT r.*, NULL AS cut FROM near CROSS JOIN LATERAL (
          SELECT *, row_number() OVER (ORDER BY -r.impressions DESC, -r.clicks DESC, r.key DESC) AS back
          FROM rankings r WHERE r.generation = g.id AND (${order}) <= (near.i, near.c, near.key)
          ORDER BY -r.impressions DESC, -r.clicks DESC, r.key DESC LIMIT ${sql.literal(String(blockLength))}
        ) AS r
        WHERE r.back <= near.records AND ${holds(folded)} AND ${ofStatus(status)} AND ${behind(order, after)} ORDER BY ${order} LIMIT ${count}
      )
      UNION ALL
      SELECT g.id, key, -i, -c, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, CASE WHEN is_end THEN 'end' ELSE 'near' END
      FROM near WHERE is_end OR nth = ${nearest}`

    const place = sql.literal("-s.impressions AS i, -s.clicks AS c, s.key, s.records")

    /** Looks through the first `most` (null: all) blocks of the list. */
    const scanBlocks = Query.all({
      Request: Schema.Struct({ ...BlocksRequest.fields, most: Schema.NullOr(Schema.Int) }),
      Result: Row,
      execute: ({ most, ...request }) =>
        page(
          request,
          holding(
            request,
            sql`SELECT i, c, key, records, is_end FROM (
                  SELECT ${place}, s.queries, row_number() OVER (ORDER BY ${endOrder}) IS NOT DISTINCT FROM ${most}::bigint AS is_end
                  FROM ranking_blocks s WHERE s.generation = g.id AND ${behind(endOrder, request.after)}
                  ORDER BY ${endOrder} LIMIT ${most ?? sql`ALL`}
                ) AS s WHERE is_end OR strpos(queries, ranking_searchable(${request.folded})) > 0`
          )
        )
    })

    /** Finds the blocks by their trigrams. */
    const lookUp = Query.all({
      Request: BlocksRequest,
      Result: Row,
      execute: (request) =>
        page(
          request,
          holding(
            request,
            sql`SELECT ${place}, false AS is_end FROM ranking_blocks s
                WHERE s.generation = g.id AND s.queries LIKE ranking_pattern(${request.folded}) AND ${behind(endOrder, request.after)}`
          )
        )
    })

    return { list, lookUp, scanRecords, scanBlocks }
  })
}) {}
