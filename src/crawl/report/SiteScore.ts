import * as Schema from "effect/Schema"

export const ScoreStatus = Schema.Literal("good", "needs_improvement", "poor")
export type ScoreStatus = typeof ScoreStatus.Type

/** The site health score; the formula stands in `score/Score.ts`. */
export const Score = Schema.Struct({
  has_data: Schema.Boolean,
  /** 0..100, null when nothing could be measured. */
  aggregate_score: Schema.NullOr(Schema.Int),
  status: Schema.NullOr(ScoreStatus),
  /** The score if every unverified page turned out entirely bad, or entirely good. */
  range: Schema.Struct({ low: Schema.Int, high: Schema.Int }),
  /** Assessed pages as a share of the assessed and unverified ones, 0..1. */
  coverage: Schema.Number,
  /** How it adds up: `possible = earned + Σ lost.points`, `aggregate_score = ⌊100 · earned / possible⌋`. */
  breakdown: Schema.Struct({
    assessed_pages: Schema.Int,
    unverified_pages: Schema.Int,
    possible: Schema.Int,
    earned: Schema.Int,
    lost: Schema.Array(Schema.Struct({ rule: Schema.String, points: Schema.Int }))
  })
})
export type Score = typeof Score.Type
