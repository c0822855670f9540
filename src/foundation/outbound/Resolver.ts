import * as Context from "effect/Context"
import * as Data from "effect/Data"
import type * as Effect from "effect/Effect"

/** The name has no address, or the look-up failed; `message` is one sentence. */
export class ResolveFailed extends Data.TaggedError("ResolveFailed")<{ readonly message: string }> {}

/** Looks names up; a port, so that tests can change the answers between look-ups. */
export class Resolver extends Context.Tag("outbound/Resolver")<
  Resolver,
  {
    /** All addresses (A and AAAA) of a name, in the order of preference. */
    readonly addresses: (name: string) => Effect.Effect<ReadonlyArray<string>, ResolveFailed>
  }
>() {}
