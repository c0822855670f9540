import * as Data from "effect/Data"

/** The embedded PostgreSQL cannot run here; `message` is one sentence that says what the operator can do. */
export class EmbeddedFailed extends Data.TaggedError("EmbeddedFailed")<{ readonly message: string }> {}
