import * as Schema from "effect/Schema"

export const ScoreStatus = Schema.Literal("good", "needs_improvement", "poor")
export type ScoreStatus = typeof ScoreStatus.Type

/** What holds the score of a whole site down; at most one counts, the one with the smallest value. */
export const ScoreFactor = Schema.Literal(
  "start_blocked",
  "no_eligible_page",
  "start_unavailable",
  "mostly_hidden",
  "needs_javascript"
)
export type ScoreFactor = typeof ScoreFactor.Type

const shared = {
  has_data: Schema.Boolean,
  /** 0..100, null when nothing could be measured. */
  aggregate_score: Schema.NullOr(Schema.Int),
  status: Schema.NullOr(ScoreStatus),
  /** Assessed pages as a share of the assessed and unverified ones, 0..1. */
  coverage: Schema.Number
}

const asFactors = {
  ...shared,
  /** The score if every unverified page turned out to be down and the links to it dead, or to be sound; null without a score. */
  range: Schema.Struct({ low: Schema.NullOr(Schema.Int), high: Schema.NullOr(Schema.Int) }),
  /** Whether what is unverified may change the verdict: the ends of the range have different statuses, or the start page could not be read because robots.txt forbids it. */
  provisional: Schema.Boolean,
  /** How it adds up: `100 − Σ lost.points` is the exact value × 100; what the factor takes stands under its own name. */
  breakdown: Schema.Struct({
    /** What a page is worth on average, 0..1. */
    mean: Schema.NullOr(Schema.Number),
    factor: Schema.NullOr(Schema.Struct({ name: ScoreFactor, value: Schema.Number })),
    lost: Schema.Array(Schema.Struct({ rule: Schema.String, points: Schema.Number }))
  })
}

/** The site health score; the formula stands in `score/Value.ts`. */
export const Score = Schema.Struct({ score_version: Schema.Literal(3), ...asFactors }).annotations({
  identifier: "SiteHealthScore"
})
export type Score = typeof Score.Type

/** The score of results that were stored before version 3, which charges a cause once for all pages that share it. */
const SecondScore = Schema.Struct({ score_version: Schema.Literal(2), ...asFactors }).annotations({
  identifier: "SiteHealthScoreVersion2"
})

/** The score of results that were stored before version 2: a share of the points that all rules could earn. */
const FirstScore = Schema.Struct({
  score_version: Schema.optionalWith(Schema.Literal(1), { default: () => 1 }),
  ...shared,
  range: Schema.Struct({ low: Schema.Int, high: Schema.Int }),
  breakdown: Schema.Struct({
    assessed_pages: Schema.Int,
    unverified_pages: Schema.Int,
    possible: Schema.Int,
    earned: Schema.Int,
    lost: Schema.Array(Schema.Struct({ rule: Schema.String, points: Schema.Int }))
  })
}).annotations({ identifier: "SiteHealthScoreVersion1" })

/** A score of any version: stored results keep the one they were given. */
export const AnyScore = Schema.Union(Score, SecondScore, FirstScore)
export type AnyScore = typeof AnyScore.Type
