import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"

/** The OpenAPI document of the contract that this server serves. */
export class Contract extends Context.Tag("system/Contract")<
  Contract,
  { readonly document: Effect.Effect<unknown> }
>() {}
