import * as SqlClient from "@effect/sql/SqlClient"
import type { Fragment } from "@effect/sql/Statement"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Query from "../../../foundation/database/Query.ts"
import { blockLength } from "../generation/ComputeRepo.ts"
import * as Page from "./Page.ts"

type Encoded = typeof Page.PageRequest.Encoded

/** A page of the records whose query holds the text, which is folded. */
const SearchRequest = Schema.Struct({ ...Page.PageRequest.fields, folded: Schema.String })

/** `nearest`: blocks to take records from, null for all. */
const BlocksRequest = Schema.Struct({ ...SearchRequest.fields, nearest: Schema.NullOr(Schema.Int) })

/** Lists of rankings. Records are shaped as JSON by PostgreSQL: a page costs the server no decoding. */
export class KeywordsRepo extends Effect.Service<KeywordsRepo>()("rankings/keywords/KeywordsRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    // Made once, so that a list without filters consists of few fragments.
    const every = sql`true`
    const { page, place } = Page.make(sql)

    /** The place of the last record of a block `b`. */
    const end = sql.literal("-b.impressions, -b.clicks, b.key")

    const isBehind = (of: Fragment, after: Encoded["after"]) =>
      after === null ? every : sql`(${of}) > (${-after[1]}::bigint, ${-after[2]}::bigint, ${after[3]}::uuid)`

    const hasStatus = ({ status }: Encoded["filters"]) =>
      status === undefined ? every : sql`r.ranking_status = ${status}`

    const holds = (folded: string) => sql`strpos(coalesce(r.folded, r.query), ${folded}) > 0`

    /** A record belongs to the brand when its query holds one of the site's terms. */
    const isOfBrand = sql`EXISTS (SELECT FROM unnest(g.brand_folded) AS term WHERE strpos(coalesce(r.folded, r.query), term) > 0)`

    /** The filters that no index serves: each record in the order of the list is checked. */
    const passes = ({ brand, max_position, min_impressions, min_position, page_path }: Encoded["filters"]) => {
      const conditions = [
        ...(brand === undefined ? [] : [sql`${isOfBrand} = ${brand === "true"}`]),
        ...(min_impressions === undefined ? [] : [sql`-r.impressions <= ${-min_impressions}::bigint`]),
        ...(min_position === undefined ? [] : [sql`r.current_position >= ${min_position}::float8`]),
        ...(max_position === undefined ? [] : [sql`r.current_position <= ${max_position}::float8`]),
        ...(page_path === undefined ? [] : [sql`r.page = ${page_path}`])
      ]
      return conditions.length === 0 ? every : sql.and(conditions)
    }

    /** The first records of each generation. */
    const listed = ({ after, count, filters }: Encoded, isFound: Fragment): Page.Parts => ({
      records: sql`generations g CROSS JOIN LATERAL (${Query.limit(
        sql,
        count,
        sql`
        SELECT * FROM rankings r
        WHERE r.generation = g.id AND ${hasStatus(filters)} AND ${isBehind(place, after)} AND ${passes(filters)} AND ${isFound}
        ORDER BY ${place}`
      )}) AS r`
    })

    const list = Query.one({
      Request: Page.PageRequest,
      Result: Page.Page,
      execute: (request) => page(request, listed(request, every))
    })

    /** Looks through the list, or through that of one status, to its end. */
    const scanRecords = Query.one({
      Request: SearchRequest,
      Result: Page.Page,
      execute: ({ folded, ...request }) => page(request, listed(request, holds(folded)))
    })

    /**
     * The records that hold the text in the first `nearest` (null: all) of the `candidates`: blocks with the place `i, c, key` of their last record.
     * More records may follow the last of the `nearest` blocks, and the block at which the search ended; a page that is full before that is complete.
     */
    const among = (
      { after, count, filters, folded, nearest }: typeof BlocksRequest.Encoded,
      candidates: Fragment
    ): Page.Parts => ({
      relations: sql`, near AS MATERIALIZED (
        SELECT g.*, b.* FROM generations g CROSS JOIN LATERAL (
          SELECT *, row_number() OVER (ORDER BY i, c, key) AS nth FROM (${candidates}) AS b ORDER BY i, c, key LIMIT ${nearest}
        ) AS b
      )`,
      records: sql`near g CROSS JOIN LATERAL (
        SELECT *, row_number() OVER (ORDER BY -r.impressions DESC, -r.clicks DESC, r.key DESC) AS back
        FROM rankings r WHERE r.generation = g.id AND (${place}) <= (g.i, g.c, g.key)
        ORDER BY -r.impressions DESC, -r.clicks DESC, r.key DESC LIMIT ${sql.literal(String(blockLength))}
      ) AS r
      WHERE r.back <= g.records AND ${holds(folded)} AND ${hasStatus(filters)} AND ${isBehind(place, after)}`,
      cut: sql`(
        SELECT CASE WHEN is_end THEN 'end' ELSE 'near' END FROM near b
        WHERE (is_end OR nth = ${nearest}) AND (SELECT count(*) FROM page r WHERE (${place}) <= (b.i, b.c, b.key)) < ${count}
        ORDER BY i, c, key LIMIT 1
      )`
    })

    const ofBlock = sql.literal("-b.impressions AS i, -b.clicks AS c, b.key, b.records")

    /** Looks through the first `most` (null: all) blocks of the list. */
    const scanBlocks = Query.one({
      Request: Schema.Struct({ ...BlocksRequest.fields, most: Schema.NullOr(Schema.Int) }),
      Result: Page.Page,
      execute: ({ most, ...request }) =>
        page(
          request,
          among(
            request,
            sql`SELECT i, c, key, records, is_end FROM (
                  SELECT ${ofBlock}, b.queries, row_number() OVER (ORDER BY ${end}) IS NOT DISTINCT FROM ${most}::bigint AS is_end
                  FROM ranking_blocks b WHERE b.generation = g.id AND ${isBehind(end, request.after)}
                  ORDER BY ${end} LIMIT ${most}
                ) AS b WHERE is_end OR strpos(queries, ranking_searchable(${request.folded})) > 0`
          )
        )
    })

    /** Finds the blocks by their trigrams. */
    const lookUp = Query.one({
      Request: BlocksRequest,
      Result: Page.Page,
      execute: (request) =>
        page(
          request,
          among(
            request,
            sql`SELECT ${ofBlock}, false AS is_end FROM ranking_blocks b
                WHERE b.generation = g.id AND b.queries LIKE ranking_pattern(${request.folded}) AND ${isBehind(end, request.after)}`
          )
        )
    })

    return { list, lookUp, scanRecords, scanBlocks }
  })
}) {}
