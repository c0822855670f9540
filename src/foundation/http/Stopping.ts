import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"

/** Whether this node is stopping. Requests that wait for a change (`Prefer: wait`) then answer at once with the current state. */
export class Stopping extends Effect.Service<Stopping>()("http/Stopping", {
  effect: Effect.map(Deferred.make<void>(), (begun) => ({
    begin: Effect.asVoid(Deferred.succeed(begun, undefined)),
    begun: Deferred.await(begun)
  }))
}) {}
