import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"

/** The request that is being served: logs, metrics and answers read it. */
export class CurrentRequest extends Context.Reference<CurrentRequest>()("http/CurrentRequest", {
  defaultValue: (): {
    /** `req_` and 26 characters; empty outside of a request. */
    readonly id: string
    readonly method: string
    /** The pattern of its route; undefined where no route matches. */
    readonly route: string | undefined
    /** Headers for its answer, whatever the answer is, unless it has its own. */
    readonly headers: Record<string, string>
  } => ({ headers: {}, id: "", method: "", route: undefined })
}) {}

/** What a listener knows of the connections of its requests, by the `source` of a request. */
interface ConnectionsShape {
  /** The address of the other end. */
  readonly addressOf: (source: unknown) => string | undefined
  /** Bytes of the response that the operating system holds because the reader has not taken them; 0 where the system does not say. */
  readonly backlogOf: (source: unknown) => Effect.Effect<number>
  /** The number of requests whose response is not sent to its last byte. */
  readonly pending: () => number
}

/** The connections of the product's listener; nothing is known of them where another program's listener serves the API. */
export class Connections extends Context.Reference<Connections>()("http/Connections", {
  defaultValue: (): ConnectionsShape => ({
    addressOf: () => undefined,
    backlogOf: () => Effect.succeed(0),
    pending: () => 0
  })
}) {}

/** Whether this node is stopping. Requests that wait for a change (`Prefer: wait`) then answer at once with the current state. */
export class Stopping extends Effect.Service<Stopping>()("http/Stopping", {
  effect: Effect.map(Deferred.make<void>(), (begun) => ({
    begin: Effect.asVoid(Deferred.succeed(begun, undefined)),
    begun: Deferred.await(begun)
  }))
}) {}
