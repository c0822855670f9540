import * as Context from "effect/Context"
import * as Effect from "effect/Effect"

/** What a listener knows of the connections of its requests, by the `source` of a request. */
export interface ConnectionsShape {
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
