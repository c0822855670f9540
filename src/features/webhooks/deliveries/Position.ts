import * as Schema from "effect/Schema"

/** A position in the events, the oldest first: that of the last one examined. */
export const Position = Schema.Struct({ createdAt: Schema.String, id: Schema.String })
export type Position = typeof Position.Type

/** Before all events of this time and later. */
export const before = (createdAt: string): Position => ({ createdAt, id: "" })
