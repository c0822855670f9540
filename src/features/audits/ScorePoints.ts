import * as Schema from "effect/Schema"

/** Whole points from 0 to 100. */
export const ScorePoints = Schema.Int.pipe(Schema.between(0, 100)).annotations({ identifier: "ScorePoints" })
