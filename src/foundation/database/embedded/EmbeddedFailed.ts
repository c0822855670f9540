import * as Data from "effect/Data"

/** The embedded PostgreSQL cannot be had here; `message` is one sentence for the operator that says what to do. */
export class EmbeddedFailed extends Data.TaggedError("EmbeddedFailed")<{ readonly message: string }> {}
