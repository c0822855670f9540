import * as Context from "effect/Context"
import type * as Stream from "effect/Stream"
import type { Batch, Level } from "../RawRow.ts"
import type { TokenSource } from "./AccessTokens.ts"
import type { SearchConsoleFailed } from "./SearchConsoleFailed.ts"

/** One day of a property, at one of the levels that Search Console counts at. */
export interface DayRequest {
  /** The property as Search Console names it: `sc-domain:example.com` or `https://www.example.com/`. */
  readonly property: string
  /** The project's host, to which rows are narrowed. */
  readonly host: string
  /** `YYYY-MM-DD`, Pacific time. */
  readonly day: string
  readonly level: Level
  readonly tokens: TokenSource
}

/** The search performance of properties by day: final data of the web search type. */
export class SearchAnalytics extends Context.Tag("rankings/searchconsole/SearchAnalytics")<
  SearchAnalytics,
  { readonly day: (request: DayRequest) => Stream.Stream<Batch, SearchConsoleFailed> }
>() {}
