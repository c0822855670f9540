import * as Schema from "effect/Schema"
import { field } from "../../foundation/schema/Scalars.ts"

export const ScoreStatus = Schema.Literal("good", "needs_improvement", "poor").annotations({
  identifier: "SiteHealthScoreStatus",
  description: "`good` from 90 points, `needs_improvement` from 50, else `poor`"
})
export type ScoreStatus = typeof ScoreStatus.Type

/** A factor that lowers the score of the whole site; only the smallest one counts. */
export const ScoreFactor = Schema.Literal(
  "start_blocked",
  "no_eligible_page",
  "start_unavailable",
  "mostly_hidden",
  "needs_javascript"
).annotations({ identifier: "SiteHealthScoreFactor", description: "What limits the score of the whole site" })
export type ScoreFactor = typeof ScoreFactor.Type

const shared = {
  has_data: Schema.Boolean.annotations({ description: "Whether any page could be crawled; false for a recheck" }),
  aggregate_score: Schema.NullOr(Schema.Int).annotations({
    description: "Whole points from 0 to 100; null if no page could be crawled"
  }),
  status: Schema.NullOr(ScoreStatus).annotations({ description: "Rating of the score; null without one" }),
  coverage: Schema.Number.annotations({
    description: "Share of checked pages among checked and unverified ones, from 0 to 1"
  })
}

const EndOfRange = Schema.NullOr(Schema.Int).annotations({ description: "Points from 0 to 100; null without a score" })

const Charge = Schema.Struct({
  rule: Schema.String.annotations({ description: "Id of the check, or name of the factor" }),
  points: Schema.Number.annotations({ description: "Score impact in points, unrounded" })
}).annotations({ identifier: "SiteHealthCharge", description: "Score impact of one issue" })

const AppliedFactor = Schema.Struct({
  name: field(ScoreFactor, "What limits the score"),
  value: Schema.Number.annotations({ description: "Factor for the whole score, from 0.1 to 0.45" })
}).annotations({ identifier: "SiteHealthFactor", description: "What limits the score of the whole site" })

const asFactors = {
  ...shared,
  range: field(
    Schema.Struct({ low: EndOfRange, high: EndOfRange }).annotations({
      identifier: "SiteHealthScoreRange",
      description: "Ends of a score"
    }),
    "Score if every unverified page were broken (`low`), or all of them fine (`high`)"
  ),
  provisional: Schema.Boolean.annotations({
    description:
      "Whether unverified URLs may change the rating: the ends of `range` have different statuses, or robots.txt blocks the start page"
  }),
  breakdown: field(
    Schema.Struct({
      mean: Schema.NullOr(Schema.Number).annotations({
        description: "Average value of a checked page, from 0 to 1; null if no page could be crawled"
      }),
      factor: Schema.NullOr(AppliedFactor).annotations({
        description: "What limits the score of the whole site, the smallest value that applies; null without one"
      }),
      lost: Schema.Array(Charge).annotations({
        description: "Score impact of each issue; the factor has its own name"
      })
    }).annotations({ identifier: "SiteHealthBreakdown", description: "How a score adds up" }),
    "How the score adds up: 100 − Σ `lost[].points` is the exact score"
  )
}

/** The site health score; `score/Value.ts` has the formula. */
export const Score = Schema.Struct({
  score_version: Schema.Literal(4).annotations({ description: "Version of the formula" }),
  ...asFactors
}).annotations({ identifier: "SiteHealthScore", description: "Score of a site, 0 to 100" })
export type Score = typeof Score.Type

/** The score of results stored before version 4: version 2 charged each page of a shared cause, version 3 read noscript as content. */
const EarlierScore = Schema.Struct({
  score_version: Schema.Literal(2, 3).annotations({ description: "Version of the formula" }),
  ...asFactors
}).annotations({
  identifier: "EarlierSiteHealthScore",
  description: "Score of a result stored before version 4, by the formula of that time"
})

/** The score of results stored before version 2: a share of the points that all checks could earn. */
const FirstScore = Schema.Struct({
  score_version: Schema.optionalWith(Schema.Literal(1), { default: () => 1 }).annotations({
    description: "Version of the formula"
  }),
  ...shared,
  range: Schema.Struct({
    low: Schema.Int.annotations({ description: "Points if every unverified page were broken, 0 to 100" }),
    high: Schema.Int.annotations({ description: "Points if every unverified page were fine, 0 to 100" })
  }).annotations({
    identifier: "SiteHealthScoreRangeVersion1",
    description: "Score if every unverified page were broken, or all of them fine"
  }),
  breakdown: Schema.Struct({
    assessed_pages: Schema.Int.annotations({ description: "Pages with a result" }),
    unverified_pages: Schema.Int.annotations({ description: "Pages without a result" }),
    possible: Schema.Int.annotations({ description: "Points that all checks could earn" }),
    earned: Schema.Int.annotations({ description: "Points that they earned" }),
    lost: Schema.Array(Charge).annotations({ description: "Score impact of each issue" })
  }).annotations({ identifier: "SiteHealthBreakdownVersion1", description: "How the score adds up" })
}).annotations({
  identifier: "SiteHealthScoreVersion1",
  description: "Score of a result stored before version 2: a share of the points that all checks could earn"
})

/** A score of any version: stored results keep their score. */
export const AnyScore = Schema.Union(Score, EarlierScore, FirstScore).annotations({
  identifier: "AnySiteHealthScore",
  description: "A score of any version: stored results keep theirs"
})
export type AnyScore = typeof AnyScore.Type
