import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { apiError } from "../../../foundation/http/ApiError.ts"
import * as Traced from "../../../foundation/schema/Traced.ts"
import { fold } from "../../../foundation/text/Words.ts"
import type { AccountId } from "../../accounts/Domain.ts"
import type { Batch } from "../../accounts/Handlers.ts"
import { Projects } from "../../projects/Projects.ts"
import type { KeywordFilters, KeywordOrder } from "../Api.ts"
import type { KeywordRanking } from "../Domain.ts"
import { KeywordsRepo, type Page } from "./KeywordsRepo.ts"
import { type PageRequest, Position, usual } from "./Orders.ts"

/** Blocks scanned before we fall back to the trigram index; measured by test/bench/rankings.ts. */
const blocksToScan = ({ count, filters }: PageRequest): number =>
  Math.ceil((filters.status === undefined ? 500 : 1000) * Math.sqrt(count))

/** Blocks with the text that usually fill a page. With a status, five times more, because one record in five has it. */
const blocksToTake = ({ count, filters }: PageRequest): number => (count + 1) * (filters.status === undefined ? 1 : 5)

/** Records scanned per status before we fall back to the trigram index (orders other than the block order). */
const recordsToScan = ({ count }: PageRequest): number => 200 * count

/** The filters and the order of a list. */
type KeywordList = KeywordFilters & Partial<KeywordOrder>

const stale = apiError(
  "invalid_cursor",
  "The cursor has expired: the list was recomputed more than a day ago. Start again without a cursor"
)

/** A record as JSON, and the snapshot of its list. */
interface Listed {
  readonly json: string
  readonly snapshot: string
}

/** Whether the trigram index can find queries with a folded text: three letters or digits in a row, or characters outside ASCII. */
const hasTrigrams = (folded: string): boolean => /[a-z0-9]{3}|[^\0-\x7f]/.test(folded)

/** Whether blocks can be searched. Blocks have the status of their records; other filters need each record. */
const isIndexed = ({ status: _, ...others }: PageRequest["filters"]): boolean => Object.keys(others).length === 0

const decodePosition = Schema.decodeUnknown(Position)

/** A line of a page as the JSON of `KeywordRanking`. */
const jsonOf = (line: string): string => {
  const [key = "", site, query, page, current, previous, delta, impressions, clicks, status, period, recordedAt] =
    line.split("\x1f")
  const ctr = impressions === "0" ? 0 : Number(clicks) / Number(impressions)
  return `{"id":"kw_${key.replaceAll("-", "")}","site_id":"${site}","query":${query},"page_path":${page},"current_position":${current},"previous_position":${previous},"position_delta":${delta},"impressions":${impressions},"clicks":${clicks},"ctr":${ctr},"ranking_status":"${status}","period":${period},"recorded_at":"${recordedAt}"}`
}

const listed = ({ records, snapshot }: Page): ReadonlyArray<Listed> =>
  records === null ? [] : records.split("\n").map((line) => ({ json: jsonOf(line), snapshot }))

/** The rankings of an account's sites. */
export class Keywords extends Effect.Service<Keywords>()("rankings/keywords/Keywords", {
  dependencies: [KeywordsRepo.Default, Projects.Default],
  effect: Effect.gen(function* () {
    const repo = yield* KeywordsRepo
    const projects = yield* Projects

    /**
     * A scan in the order of the list soon fills a page for a frequent text; trigrams find a rare text sooner. When enough blocks have the text and the page is
     * not full, either the status is rare and its list short, or the blocks match without a matching record. Without blocks, all records are scanned.
     */
    const search = Effect.fnUntraced(function* (page: PageRequest, folded: string) {
      const nearest = blocksToTake(page)
      const most = hasTrigrams(folded) ? blocksToScan(page) : null
      const seen = yield* repo.scanBlocks({ ...page, folded, most, nearest })
      if (seen.cut === "near" || seen.cut === "unindexed") return yield* repo.list({ ...page, folded, most: null })
      if (seen.cut === null) return seen
      const found = yield* repo.lookUp({ ...page, folded, nearest: page.filters.status === undefined ? nearest : null })
      return found.cut === null ? found : yield* repo.lookUp({ ...page, folded, nearest: null })
    })

    /** For orders other than the block order: sorts all records that the trigrams find, unless a scan has filled the page for a frequent text. */
    const searchOrdered = Effect.fnUntraced(function* (page: PageRequest, folded: string) {
      const most = hasTrigrams(folded) ? recordsToScan(page) : null
      const seen = yield* repo.list({ ...page, folded, most })
      if (most === null || listed(seen).length >= page.count) return seen
      const found = yield* repo.lookUp({ ...page, folded, nearest: null })
      return found.cut === "unindexed" ? yield* repo.list({ ...page, folded, most: null }) : found
    })

    /** One page. Another account's site fails like a missing one. */
    const list = Traced.fn("Keywords.list")(function* (
      account: AccountId,
      { order = usual.order, query, site_id, sort = usual.sort, ...filters }: KeywordList,
      { after: cursor, count }: Batch
    ) {
      const site = site_id === undefined ? null : yield* projects.own(account, site_id)
      const after = cursor === undefined ? null : yield* Effect.orDie(decodePosition(cursor))
      const page = { account, after, count, filters, order, site, sort }
      const folded = query === undefined || query === "" ? null : fold(query)
      const found = yield* folded === null || !isIndexed(filters)
        ? repo.list({ ...page, folded, most: null })
        : sort === usual.sort && order === usual.order
          ? search(page, folded)
          : searchOrdered(page, folded)
      const { coverage } = found
      return coverage === null ? yield* stale : { coverage, records: listed(found) }
    })

    return { list }
  })
}) {
  /** The position of a record in its list, for a cursor. */
  static position(sort: KeywordOrder["sort"] = usual.sort): (record: Listed) => ReadonlyArray<string> {
    return ({ json, snapshot }) => {
      const record: typeof KeywordRanking.Encoded = JSON.parse(json)
      const value = sort === "position" ? record.current_position : record[sort]
      const key = record.id.replace(/^kw_(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-")
      return [snapshot, value === null ? "" : String(value), String(record.clicks), key]
    }
  }

  /** The list's identity for cursors, with every declared filter. */
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
