import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { OutboundError } from "./OutboundError.ts"
import type { OutboundRequest } from "./OutboundRequest.ts"
import type { OutboundResponse } from "./OutboundResponse.ts"

export { OutboundError, type OutboundReason } from "./OutboundError.ts"
export type { OutboundRequest } from "./OutboundRequest.ts"
export type { OutboundResponse } from "./OutboundResponse.ts"
export type { Timings } from "./Timings.ts"

/** The guarded HTTP client: it speaks only to addresses that were judged global, and to exactly the address it judged. */
export class Outbound extends Context.Tag("outbound/Outbound")<
  Outbound,
  {
    /** One HTTP exchange with a vetted address; redirects are never followed (callers ask again per hop, which vets again). */
    readonly exchange: (request: OutboundRequest) => Effect.Effect<OutboundResponse, OutboundError>
    /** The addresses that the URL's host has now, all of them global; used when a webhook is registered. */
    readonly vet: (url: URL) => Effect.Effect<ReadonlyArray<string>, OutboundError>
  }
>() {}
