import * as Context from "effect/Context"
import * as Effect from "effect/Effect"

/** Bytes of an answer that the operating system holds because the reader has not taken them; 0 where the system does not say. */
export class Backlog extends Context.Reference<Backlog>()("http/Backlog", {
  defaultValue: () => ({ of: (_request: unknown): Effect.Effect<number> => Effect.succeed(0) })
}) {}
