import * as Schema from "effect/Schema"

/** URLs the trap guard put last or left out, by reason. */
const TrapSkip = Schema.Struct({
  reason: Schema.Literal(
    "pattern_share",
    "repeated_segments",
    "query_permutation",
    "facets",
    "session_id",
    "calendar",
    "parameter_set",
    "action_link",
    "excluded",
    "not_included"
  ).annotations({ description: "What they have in common" }),
  pattern: Schema.String.annotations({
    description:
      "What they share; of an address that acts the parameter or path by which it does, of an excluded one the glob, of one that is not included all of those"
  }),
  count: Schema.Int.annotations({ description: "URLs of this pattern" }),
  unread: Schema.Int.annotations({ description: "URLs of this pattern that were not requested" }),
  example_url: Schema.String.annotations({ description: "One of them" })
}).annotations({
  identifier: "CrawlTrap",
  description: "URLs that multiply without end, which the crawl put last or left out"
})

/** Limits of a run, and what they left out. */
export const Limits = Schema.Struct({
  max_pages: Schema.Int.annotations({ description: "Pages that the run might read" }),
  deadline_seconds: Schema.Number.annotations({ description: "Seconds that the run might take" }),
  unlisted_urls: Schema.Int.annotations({
    description: "URLs that the run met and `pages` does not list, above the cap of entries"
  }),
  traps: Schema.Array(TrapSkip).annotations({ description: "Groups of URLs that multiply without end" }),
  exclude: Schema.optionalWith(Schema.Array(Schema.String), { exact: true }).annotations({
    description:
      "Globs of addresses that the run was not to request; absent where it had none, as in all runs of the API"
  }),
  include: Schema.optionalWith(Schema.Array(Schema.String), { exact: true }).annotations({
    description:
      "Globs of the addresses that alone the run was to read; absent where it had none, as in all runs of the API"
  })
}).annotations({ identifier: "SiteHealthLimits", description: "Limits of a run, and what they left out" })
