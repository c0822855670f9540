import * as Context from "effect/Context"
import * as Effect from "effect/Effect"

/** How many bytes of its answers the reader of a request has yet to take from the operating system; 0 where the system does not tell. */
export class Backlog extends Context.Reference<Backlog>()("http/Backlog", {
  defaultValue: () => ({ of: (_request: unknown): Effect.Effect<number> => Effect.succeed(0) })
}) {}
