import * as Data from "effect/Data"

/** An observation that cannot be recorded; `message` is one sentence for the operator. */
export class OriginRefused extends Data.TaggedError("OriginRefused")<{ readonly message: string }> {}

/** Refuses with one sentence. */
export const refuse = (message: string) => new OriginRefused({ message })
