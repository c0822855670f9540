import type * as Clock from "effect/Clock"

/** The clock's monotonic time in nanoseconds, read in a callback of a socket, where no effect runs. */
export const nanosOf = (clock: Clock.Clock): bigint => clock.unsafeCurrentTimeNanos()
