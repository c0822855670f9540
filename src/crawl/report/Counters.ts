import * as Schema from "effect/Schema"

/** Progress of a running crawl; `pages_fetched` answered, `pages_failed` were asked in vain. */
export const Counters = Schema.Struct({
  pages_discovered: Schema.Int,
  pages_fetched: Schema.Int,
  pages_failed: Schema.Int
})
export type Counters = typeof Counters.Type
