import * as SqlClient from "@effect/sql/SqlClient"
import type { Fragment } from "@effect/sql/Statement"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { AccountId } from "../../accounts/Domain.ts"
import * as Query from "../../database/Query.ts"
import { ProjectId } from "../../projects/Domain.ts"
import { RankingStatus } from "../Domain.ts"

/** Where a page starts, as the cursor has it: the snapshot, then impressions, clicks and key of the record before. */
export const Position = Schema.Tuple(
  Schema.NumberFromString,
  Schema.NumberFromString,
  Schema.NumberFromString,
  Schema.UUID
)
export type Position = typeof Position.Type

/** A page of an account's rankings. */
export const PageRequest = Schema.Struct({
  account: AccountId,
  site: Schema.NullOr(ProjectId),
  status: Schema.NullOr(RankingStatus),
  after: Schema.NullOr(Schema.typeSchema(Position)),
  count: Schema.Int
})
export type PageRequest = typeof PageRequest.Type

type Encoded = typeof PageRequest.Encoded

const SearchRequest = Schema.Struct({ ...PageRequest.fields, pattern: Schema.String, folded: Schema.String })

/** A record as the JSON that is answered, with what a cursor needs; `json` is null in the row that only tells the snapshot. */
export const Row = Schema.Struct({
  snapshot: Schema.String,
  oldest: Schema.String,
  json: Schema.NullOr(Schema.String),
  impressions: Schema.NullOr(Schema.String),
  clicks: Schema.NullOr(Schema.String),
  key: Schema.NullOr(Schema.String),
  /** The search stopped here: what follows was not looked at. */
  cut: Schema.NullOr(Schema.Boolean)
})
export type Row = typeof Row.Type

/** How often a text is in the first records of a list, and how many there are in all. */
export const Sample = Schema.Struct({ looked: Schema.Number, matches: Schema.Number, records: Schema.Number })
export type Sample = typeof Sample.Type

/** Records of each site that a sample looks at: 6,000 for a page of twenty, so that a text in one of a thousand is hardly ever missed. */
const sampled = ({ count, site }: Encoded) => Math.ceil((site === null ? 130 : 1300) * Math.sqrt(count))

/** Lists of rankings. Records are shaped as JSON by PostgreSQL: a page costs the server no decoding. */
export class KeywordsRepo extends Effect.Service<KeywordsRepo>()("rankings/KeywordsRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    const order = sql.literal("-r.impressions, -r.clicks, r.key")
    const text = sql.literal("coalesce(r.folded, r.query)")

    const chosen = ({ site, status, after }: Pick<Encoded, "site" | "status" | "after">) => ({
      site: site === null ? sql`true` : sql`g.site_id = ${site}`,
      status: status === null ? sql`true` : sql`r.ranking_status = ${status}`,
      after:
        after === null
          ? sql`true`
          : sql`(-r.impressions, -r.clicks, r.key) > (${-after[1]}::bigint, ${-after[2]}::bigint, ${after[3]}::uuid)`
    })

    /** `ofGeneration` selects from the rankings of generation `g`, which is then merged with those of the account's other sites. */
    const page = ({ account, after, count, site, status }: Encoded, ofGeneration: Fragment) => sql`
      WITH snapshot AS (
        SELECT coalesce(${after === null ? null : after[0]}::bigint, max(number), 0) AS number, coalesce(max(oldest), 0) AS oldest
        FROM ranking_snapshots WHERE account_id = ${account}
      )
      SELECT snapshot.number::text AS snapshot, snapshot.oldest::text AS oldest, r.impressions::text AS impressions,
        r.clicks::text AS clicks, r.key::text AS key, r.cut,
        CASE WHEN r.key IS NOT NULL THEN (SELECT row_to_json(record)::text FROM (
          SELECT 'kw_' || replace(r.key::text, '-', '') AS id, r.site_id, r.query, r.page AS page_path,
            r.current_position, r.previous_position, r.position_delta, r.impressions, r.clicks,
            CASE WHEN r.impressions = 0 THEN 0 ELSE r.clicks::double precision / r.impressions END AS ctr, r.ranking_status,
            (SELECT row_to_json(period) FROM (SELECT r.period_start AS start, r.period_end AS "end") AS period) AS period,
            iso(r.recorded_at) AS recorded_at
        ) AS record) END AS json
      FROM snapshot LEFT JOIN LATERAL (
        SELECT r.*, g.site_id, g.period_start, g.period_end, g.recorded_at
        FROM ranking_generations g CROSS JOIN LATERAL (${ofGeneration}) AS r
        WHERE g.account_id = ${account} AND ${chosen({ after, site, status }).site}
          AND g.published <= snapshot.number AND (g.superseded IS NULL OR g.superseded > snapshot.number)
        ORDER BY r.cut DESC, ${order} LIMIT ${count}
      ) AS r ON true
      ORDER BY r.cut DESC, ${order}`

    const list = Query.all({
      Request: PageRequest,
      Result: Row,
      execute: (request) => {
        const { after, status } = chosen(request)
        return page(
          request,
          sql`SELECT *, false AS cut FROM rankings r WHERE r.generation = g.id AND ${status} AND ${after}
              ORDER BY ${order} LIMIT ${request.count}`
        )
      }
    })

    const sample = Query.one({
      Request: SearchRequest,
      Result: Sample,
      execute: (request) => {
        const { after, site, status } = chosen(request)
        return sql`
          SELECT coalesce(sum(g.records), 0)::double precision AS records, coalesce(sum(s.looked), 0)::double precision AS looked,
            coalesce(sum(s.matches), 0)::double precision AS matches
          FROM ranking_generations g CROSS JOIN LATERAL (
            SELECT count(*) AS looked, count(*) FILTER (WHERE ${text} LIKE ${request.pattern}) AS matches FROM (
              SELECT query, folded FROM rankings r WHERE r.generation = g.id AND ${status} AND ${after}
              ORDER BY ${order} LIMIT ${sampled(request)}
            ) AS r
          ) AS s
          WHERE g.account_id = ${request.account} AND ${site} AND g.published IS NOT NULL AND g.superseded IS NULL`
      }
    })

    /** Looks through the records of each site in list order, through so many or (null) all; a row that is `cut` tells that more follow. */
    const scan = Query.all({
      Request: Schema.Struct({ ...SearchRequest.fields, most: Schema.NullOr(Schema.Int) }),
      Result: Row,
      execute: (request) => {
        const { after, status } = chosen(request)
        const inOrder = sql`SELECT * FROM rankings r WHERE r.generation = g.id AND ${status} AND ${after} ORDER BY ${order}`
        const { count, most, pattern } = request
        // Behind the last record that is looked at, the one that follows: it is only read when the page is not full by then.
        const looked = most === null ? inOrder : sql`${inOrder} LIMIT ${most}`
        const following = most === null ? sql`${inOrder} LIMIT 0` : sql`${inOrder} OFFSET ${most} LIMIT 1`
        return page(
          request,
          sql`SELECT *, false AS cut FROM (${looked}) AS r WHERE ${text} LIKE ${pattern}
              UNION ALL SELECT *, true AS cut FROM (${following}) AS r LIMIT ${count}`
        )
      }
    })

    /** Finds the queries by their trigrams first, and puts their records in order. */
    const lookUp = Query.all({
      Request: SearchRequest,
      Result: Row,
      execute: (request) => {
        const { after, status } = chosen(request)
        return page(
          request,
          sql`WITH found AS MATERIALIZED (
                SELECT key FROM ranking_keys k WHERE k.site_id = g.site_id
                  AND ranking_searchable(coalesce(k.folded, k.query)) LIKE
                    '%' || replace(replace(ranking_searchable(${request.folded}), '%', '\\%'), '_', '\\_') || '%'
                  AND coalesce(k.folded, k.query) LIKE ${request.pattern}
              )
              SELECT r.*, false AS cut FROM found JOIN rankings r ON r.generation = g.id AND r.key = found.key
              WHERE ${status} AND ${after} ORDER BY ${order} LIMIT ${request.count}`
        )
      }
    })

    return { list, lookUp, sample, scan }
  })
}) {}
