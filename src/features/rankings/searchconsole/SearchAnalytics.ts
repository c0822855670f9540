import * as Context from "effect/Context"
import type * as Stream from "effect/Stream"
import { type Batch, type Level, totalDropped } from "../RawRow.ts"
import type { TokenSource } from "./AccessTokens.ts"
import type { SearchConsoleFailed } from "./SearchConsoleFailed.ts"

/** What Search Console groups by: the levels that it counts at, and queries on pages once more, by country and device. */
export type Grouping = Level | "segments"

/** One day of a property in one grouping. */
export interface DayRequest {
  /** The property as Search Console names it: `sc-domain:example.com` or `https://www.example.com/`. */
  readonly property: string
  /** The project's host; rows of other hosts are left out. */
  readonly host: string
  /** `YYYY-MM-DD`, Pacific time. */
  readonly day: string
  readonly grouping: Grouping
  readonly tokens: TokenSource
}

/** The search performance of properties by day: final data of the web search type. */
export class SearchAnalytics extends Context.Tag("rankings/searchconsole/SearchAnalytics")<
  SearchAnalytics,
  { readonly day: (request: DayRequest) => Stream.Stream<Batch, SearchConsoleFailed> }
>() {}

/**
 * Rows of a day that the API has at most; it does not say how many it leaves out.
 * https://developers.google.com/webmaster-tools/v1/how-tos/all-your-data
 */
const rowsOfADay = 50_000

/** Whether the limit of rows cut off what a day has. */
export const isCutOff = (batches: Iterable<Batch>): boolean => {
  let count = 0
  for (const { dropped, rows } of batches) count += rows.length + totalDropped(dropped)
  return count >= rowsOfADay
}
