import * as SqlClient from "@effect/sql/SqlClient"
import type { Fragment } from "@effect/sql/Statement"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Query from "../../../foundation/database/Query.ts"
import { apiError } from "../../../foundation/http/ApiError.ts"
import * as Traced from "../../../foundation/schema/Traced.ts"
import { fold } from "../../../foundation/text/Words.ts"
import type { AccountId } from "../../accounts/Domain.ts"
import type { Batch } from "../../accounts/Handlers.ts"
import { Projects } from "../../projects/Projects.ts"
import type { KeywordFilters, KeywordOrder } from "../Api.ts"
import type { KeywordRanking } from "../Domain.ts"
import { blockLength } from "../generation/ComputeRepo.ts"
import * as Page from "./Page.ts"
import { type Page as ListPage, makeOrders, type PageRequest, Position, usual } from "./Page.ts"

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
    const page = Page.make(sql)
    const orderOf = makeOrders(sql)

    /** The place of a record `r` in the usual order, negated as in the index, so that one comparison of rows finds what follows. */
    const place = sql.literal("-r.impressions, -r.clicks, r.key")

    /** The place of the last record of a block `b`. */
    const end = sql.literal("-b.impressions, -b.clicks, b.key")

    /** Whether a block may have records that follow the last one read: in the order of the blocks alone their ends tell. */
    const reaches = ({ after, order, sort }: Encoded) =>
      after === null || sort !== usual.sort || order !== usual.order
        ? every
        : sql`(${end}) > (${-(after[1] ?? 0)}::bigint, ${-after[2]}::bigint, ${after[3]}::uuid)`

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

    /** The first records of each generation that pass; of the first `most` of each run, where that is a number. */
    const listed = (request: Encoded, isFound: Fragment, most: number | null = null): Page.Parts => {
      const { count, filters } = request
      const { by, runs, within } = orderOf(request)
      const first = (records: Fragment, behind: Fragment) => {
        const all = sql`SELECT * FROM ${records} WHERE ${behind}`
        const near =
          most === null
            ? sql`${all} AND ${passes(filters)} AND ${isFound}`
            : sql`SELECT * FROM (${all} ORDER BY ${within} LIMIT ${most}) AS r WHERE ${passes(filters)} AND ${isFound}`
        return Query.limit(sql, count, sql`${near} ORDER BY ${within}`)
      }
      const parts = runs.map(({ isBehind, records, statuses }) => {
        if (statuses === null) return sql`(${first(records, isBehind)})`
        const all = sql.literal(`unnest(ARRAY['${statuses.join("', '")}']) AS s (status)`)
        return sql`(SELECT r.* FROM ${all} CROSS JOIN LATERAL (${first(records, isBehind)}) AS r)`
      })
      const [head = sql`(SELECT * FROM rankings WHERE false)`, ...rest] = parts
      const union = rest.reduce((one, other) => sql`${one} UNION ALL ${other}`, head)
      return { by, records: sql`generations g CROSS JOIN LATERAL (${union}) AS r` }
    }

    const list = Query.one({
      Request: Page.PageRequest,
      Result: Page.Page,
      execute: (request) => page(request, listed(request, every))
    })

    /** Looks through the list, or through that of one status, to its end; or through the first `most` records of each of its runs. */
    const scanRecords = Query.one({
      Request: Schema.Struct({ ...SearchRequest.fields, most: Schema.NullOr(Schema.Int) }),
      Result: Page.Page,
      execute: ({ folded, most, ...request }) => page(request, listed(request, holds(folded), most))
    })

    /**
     * The records that hold the text in the first `nearest` (null: all) of the `candidates`: blocks with the place `i, c, key` of their last record.
     * More records may follow the last of the `nearest` blocks, and the block at which the search ended; a page that is full before that is complete.
     */
    const among = (
      { folded, nearest, ...request }: typeof BlocksRequest.Encoded,
      candidates: Fragment
    ): Page.Parts => ({
      by: orderOf(request).by,
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
      WHERE r.back <= g.records AND ${holds(folded)} AND ${hasStatus(request.filters)} AND ${orderOf(request).isBehind}`,
      cut: sql`(
        SELECT CASE WHEN is_end THEN 'end' ELSE 'near' END FROM near b
        WHERE (is_end OR nth = ${nearest}) AND (SELECT count(*) FROM page r WHERE (${place}) <= (b.i, b.c, b.key)) < ${request.count}
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
                  FROM ranking_blocks b WHERE b.generation = g.id AND ${reaches(request)}
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
                WHERE b.generation = g.id AND b.queries LIKE ranking_pattern(${request.folded}) AND ${reaches(request)}`
          )
        )
    })

    return { list, lookUp, scanRecords, scanBlocks }
  })
}) {}

/** How many blocks are scanned before the trigram index is used; measured by test/bench/rankings.ts. */
const blocksToScan = ({ count, filters }: PageRequest): number =>
  Math.ceil((filters.status === undefined ? 500 : 1000) * Math.sqrt(count))

/** How many blocks with the text usually fill a page: five times as many with a status, which one record in five has. */
const blocksToTake = ({ count, filters }: PageRequest): number => (count + 1) * (filters.status === undefined ? 1 : 5)

/** How many records of each status are scanned in another order than that of the blocks before the trigram index is used. */
const recordsToScan = ({ count }: PageRequest): number => 200 * count

/** What is listed, and how. */
type KeywordList = KeywordFilters & Partial<KeywordOrder>

const isUsual = ({ order, sort }: KeywordOrder): boolean => order === usual.order && sort === usual.sort

const stale = apiError(
  "invalid_cursor",
  "The cursor is too old: its list was replaced more than a day ago. Start again without a cursor"
)

/** A record as JSON, and the snapshot of the list that it stands in. */
interface Listed {
  readonly json: string
  readonly snapshot: string
}

/** Records of a page, and the coverage of their sites as JSON. */
interface Batched {
  readonly coverage: string
  readonly records: ReadonlyArray<Listed>
}

/** Whether the trigram index can find the queries that may hold a folded text: three letters or digits in a row, or anything beyond ASCII. */
const hasTrigrams = (folded: string): boolean => /[a-z0-9]{3}|[^\0-\x7f]/.test(folded)

/** Whether blocks can be searched: they know the status of their records, other filters need a look at each record. */
const isIndexed = ({ status: _, ...others }: PageRequest["filters"]): boolean => Object.keys(others).length === 0

const decodePosition = Schema.decodeUnknown(Position)

const listed = ({ records, snapshot }: ListPage): ReadonlyArray<Listed> =>
  records === null ? [] : records.split("\n").map((json) => ({ json, snapshot }))

/** The rankings of an account's sites. */
export class Keywords extends Effect.Service<Keywords>()("rankings/keywords/Keywords", {
  dependencies: [KeywordsRepo.Default, Projects.Default],
  effect: Effect.gen(function* () {
    const repo = yield* KeywordsRepo
    const projects = yield* Projects

    /**
     * A scan in the order of the list fills a page soon for a frequent text; trigrams find a rare one sooner. Where enough blocks hold the text and the
     * page is not full, either the status is rare, so that its own list is short, or the blocks match without a matching record.
     */
    const search = Effect.fnUntraced(function* (page: PageRequest, text: string) {
      const folded = fold(text)
      const nearest = blocksToTake(page)
      const most = hasTrigrams(folded) ? blocksToScan(page) : null
      const seen = yield* repo.scanBlocks({ ...page, folded, most, nearest })
      if (seen.cut === "near") return yield* repo.scanRecords({ ...page, folded, most: null })
      if (seen.cut === null) return seen
      const found = yield* repo.lookUp({ ...page, folded, nearest: page.filters.status === undefined ? nearest : null })
      return found.cut === null ? found : yield* repo.lookUp({ ...page, folded, nearest: null })
    })

    /** In another order than that of the blocks, all that the trigrams find is put in order, unless a frequent text has filled the page before. */
    const searchOrdered = Effect.fnUntraced(function* (page: PageRequest, text: string) {
      const folded = fold(text)
      const most = hasTrigrams(folded) ? recordsToScan(page) : null
      const seen = yield* repo.scanRecords({ ...page, folded, most })
      if (most === null || listed(seen).length >= page.count) return seen
      return yield* repo.lookUp({ ...page, folded, nearest: null })
    })

    /** One page; a site that is not the account's fails as one that is missing. */
    const list = Traced.fn("Keywords.list")(function* (
      account: AccountId,
      { order = usual.order, query, site_id, sort = usual.sort, ...filters }: KeywordList,
      { after: cursor, count }: Batch
    ) {
      const site = site_id === undefined ? null : yield* projects.own(account, site_id)
      const after = cursor === undefined ? null : yield* Effect.orDie(decodePosition(cursor))
      const page = { account, after, count, filters, order, site, sort }
      const found = yield* query === undefined || query === ""
        ? repo.list(page)
        : !isIndexed(filters)
          ? repo.scanRecords({ ...page, folded: fold(query), most: null })
          : isUsual(page)
            ? search(page, query)
            : searchOrdered(page, query)
      const { coverage } = found
      return coverage === null ? yield* stale : ({ coverage, records: listed(found) } satisfies Batched)
    })

    return { list }
  })
}) {
  /** Where a record stands in its list, as a cursor has it. */
  static position(sort: KeywordOrder["sort"] = usual.sort): (record: Listed) => ReadonlyArray<string> {
    return ({ json, snapshot }) => {
      const record: typeof KeywordRanking.Encoded = JSON.parse(json)
      const value = sort === "position" ? record.current_position : record[sort]
      const key = record.id.replace(/^kw_(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-")
      return [snapshot, value === null ? "" : String(value), String(record.clicks), key]
    }
  }

  /** The list as its cursors name it: every declared filter is part of it. */
  static identity({
    order = usual.order,
    query = "",
    site_id,
    sort = usual.sort,
    ...filters
  }: KeywordList): ReadonlyArray<string> {
    const list = { ...filters, order, query, site_id: site_id?.toLowerCase(), sort }
    return ["keywords", JSON.stringify(Object.fromEntries(Object.entries(list).sort()))]
  }
}
