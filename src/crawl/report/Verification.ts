import * as Schema from "effect/Schema"

export const VerifyVerdict = Schema.Literal("fixed", "still_failing", "not_assessable")
export type VerifyVerdict = typeof VerifyVerdict.Type

/** What became of one fault: a rule on a URL that failed in an earlier run. */
export const Verification = Schema.Struct({
  rule: Schema.String,
  url: Schema.String,
  verdict: VerifyVerdict,
  /** What is seen now, or why nothing can be said; empty where the verdict says it all. */
  detail: Schema.String
}).annotations({ identifier: "SiteHealthVerification" })
export type Verification = typeof Verification.Type
