import * as Schema from "effect/Schema"

/** A whole number of things, 0 or more. */
export const Count = Schema.NonNegativeInt

/** A finite number: JSON has no other. */
export const Finite = Schema.JsonNumber

/** A score from 0 to 100. */
export const Score = Schema.Number.pipe(Schema.between(0, 100))
