import type * as Context from "effect/Context"
import type { Cidr } from "./address/Cidr.ts"
import type { Resolver } from "./Resolver.ts"
import type { Authorities } from "./socket/Tls.ts"

/** Whom an exchange asks, reaches and trusts. */
export interface Settings {
  readonly resolver: Context.Tag.Service<Resolver>
  /** Ranges that may be reached although they are not global. */
  readonly allowed: ReadonlyArray<Cidr>
  readonly authorities: Authorities
}
