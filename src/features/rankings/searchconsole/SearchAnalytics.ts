import * as Context from "effect/Context"
import * as Data from "effect/Data"
import type * as Duration from "effect/Duration"
import type * as Stream from "effect/Stream"
import { type Batch, type Level, totalDropped } from "../RawRow.ts"
import type { TokenSource } from "./AccessTokens.ts"

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

/** Why Search Console gave no data: `quota` and `unavailable` pass by themselves, the others need a person. */
export type Kind = "quota" | "unavailable" | "unauthorised" | "forbidden" | "invalid_request" | "invalid_response"

/** A request to the Search Console API that failed for good, or for now. */
export class SearchConsoleFailed extends Data.TaggedError("SearchConsoleFailed")<{
  readonly kind: Kind
  readonly reason: string
  /** The HTTP status, or null when there was no answer. */
  readonly status: number | null
  /** The wait that the service demands. */
  readonly retryAfter: Duration.Duration | null
}> {
  override get message() {
    return `Search Console: ${this.reason}`
  }

  /** Whether the same request may succeed later. */
  get isTransient() {
    return this.kind === "quota" || this.kind === "unavailable"
  }
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
export const rowsOfADay = 50_000

/** Whether the limit of rows cut off what a day has. */
export const isCutOff = (batches: Iterable<Batch>): boolean => {
  let count = 0
  for (const { dropped, rows } of batches) count += rows.length + totalDropped(dropped)
  return count >= rowsOfADay
}
