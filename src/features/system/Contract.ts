import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"

/** The contract that this server serves, as the OpenAPI document of it. */
export class Contract extends Context.Tag("system/Contract")<
  Contract,
  { readonly document: Effect.Effect<unknown> }
>() {}
