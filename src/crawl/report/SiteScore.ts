import * as Schema from "effect/Schema"
import { field } from "../../foundation/schema/Scalars.ts"

export const ScoreStatus = Schema.Literal("good", "needs_improvement", "poor").annotations({
  identifier: "SiteHealthScoreStatus",
  description: "`good` from 90 points, `needs_improvement` from 50, else `poor`"
})
export type ScoreStatus = typeof ScoreStatus.Type

/** What holds the score of a whole site down; at most one counts, the one with the smallest value. */
export const ScoreFactor = Schema.Literal(
  "start_blocked",
  "no_eligible_page",
  "start_unavailable",
  "mostly_hidden",
  "needs_javascript"
).annotations({ identifier: "SiteHealthScoreFactor", description: "What holds the score of the whole site down" })
export type ScoreFactor = typeof ScoreFactor.Type

const shared = {
  has_data: Schema.Boolean.annotations({ description: "Whether anything could be measured; false for a verification" }),
  aggregate_score: Schema.NullOr(Schema.Int).annotations({
    description: "Whole points from 0 to 100; null when nothing could be measured"
  }),
  status: Schema.NullOr(ScoreStatus).annotations({ description: "Verdict on the score; null without one" }),
  coverage: Schema.Number.annotations({
    description: "Assessed pages as a share of the assessed and the unverified ones, from 0 to 1"
  })
}

const EndOfRange = Schema.NullOr(Schema.Int).annotations({ description: "Points from 0 to 100; null without a score" })

const Charge = Schema.Struct({
  rule: Schema.String.annotations({ description: "Id of the rule, or name of the factor" }),
  points: Schema.Number.annotations({ description: "Points that it cost, unrounded" })
}).annotations({ identifier: "SiteHealthCharge", description: "What one failing rule cost" })

const AppliedFactor = Schema.Struct({
  name: field(ScoreFactor, "What holds the site down"),
  value: Schema.Number.annotations({ description: "What the whole value is multiplied with, from 0.1 to 0.45" })
}).annotations({ identifier: "SiteHealthFactor", description: "What holds the score of the whole site down" })

const asFactors = {
  ...shared,
  range: field(
    Schema.Struct({ low: EndOfRange, high: EndOfRange }).annotations({
      identifier: "SiteHealthScoreRange",
      description: "Ends of a score"
    }),
    "Score if every unverified page were down and the links to it dead (`low`), or all were sound (`high`)"
  ),
  provisional: Schema.Boolean.annotations({
    description:
      "Whether what is unverified may change the verdict: the ends of `range` have different statuses, or robots.txt forbids the start page"
  }),
  breakdown: field(
    Schema.Struct({
      mean: Schema.NullOr(Schema.Number).annotations({
        description: "What an assessed page is worth on average, from 0 to 1; null when nothing could be measured"
      }),
      factor: Schema.NullOr(AppliedFactor).annotations({
        description: "What holds the whole site down, the smallest value that applies; null when nothing does"
      }),
      lost: Schema.Array(Charge).annotations({
        description: "What each failing rule cost; the factor stands under its own name"
      })
    }).annotations({ identifier: "SiteHealthBreakdown", description: "How a score adds up" }),
    "How the score adds up: 100 − Σ `lost[].points` is the exact value × 100"
  )
}

/** The site health score; the formula stands in `score/Value.ts`. */
export const Score = Schema.Struct({
  score_version: Schema.Literal(4).annotations({ description: "Version of the formula" }),
  ...asFactors
}).annotations({ identifier: "SiteHealthScore", description: "Score of a site, 0 to 100" })
export type Score = typeof Score.Type

/** The score of results that were stored before version 4: version 2 charged each page of a shared cause, version 3 read noscript as content. */
const EarlierScore = Schema.Struct({
  score_version: Schema.Literal(2, 3).annotations({ description: "Version of the formula" }),
  ...asFactors
}).annotations({
  identifier: "EarlierSiteHealthScore",
  description: "Score of a result that was stored before version 4, by the rules of that time"
})

/** The score of results that were stored before version 2: a share of the points that all rules could earn. */
const FirstScore = Schema.Struct({
  score_version: Schema.optionalWith(Schema.Literal(1), { default: () => 1 }).annotations({
    description: "Version of the formula"
  }),
  ...shared,
  range: Schema.Struct({
    low: Schema.Int.annotations({ description: "Points if every unverified page were at fault, 0 to 100" }),
    high: Schema.Int.annotations({ description: "Points if every unverified page were sound, 0 to 100" })
  }).annotations({
    identifier: "SiteHealthScoreRangeVersion1",
    description: "Score if every unverified page were at fault, or all were sound"
  }),
  breakdown: Schema.Struct({
    assessed_pages: Schema.Int.annotations({ description: "Pages with a verdict" }),
    unverified_pages: Schema.Int.annotations({ description: "Pages without a verdict" }),
    possible: Schema.Int.annotations({ description: "Points that all rules could earn" }),
    earned: Schema.Int.annotations({ description: "Points that they earned" }),
    lost: Schema.Array(Charge).annotations({ description: "What each failing rule cost" })
  }).annotations({ identifier: "SiteHealthBreakdownVersion1", description: "How the score adds up" })
}).annotations({
  identifier: "SiteHealthScoreVersion1",
  description: "Score of a result that was stored before version 2: a share of the points that all rules could earn"
})

/** A score of any version: stored results keep the one they were given. */
export const AnyScore = Schema.Union(Score, EarlierScore, FirstScore).annotations({
  identifier: "AnySiteHealthScore",
  description: "A score of any version: stored results keep the one that they were given"
})
export type AnyScore = typeof AnyScore.Type
