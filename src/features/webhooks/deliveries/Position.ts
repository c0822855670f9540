import * as Schema from "effect/Schema"

/** A place in the row of events, the oldest first: that of the last one that was looked at. */
export const Position = Schema.Struct({ createdAt: Schema.String, id: Schema.String })
export type Position = typeof Position.Type

/** Before all events of this time and later. */
export const before = (createdAt: string): Position => ({ createdAt, id: "" })
