import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"

/** Whether this node is stopping: requests that wait for something answer at once then, with what there is. */
export class Stopping extends Effect.Service<Stopping>()("http/Stopping", {
  effect: Effect.map(Deferred.make<void>(), (begun) => ({
    begin: Effect.asVoid(Deferred.succeed(begun, undefined)),
    begun: Deferred.await(begun)
  }))
}) {}
