import type * as Context from "effect/Context"
import type { Cidr } from "./address/Cidr.ts"
import type { Resolver } from "./Resolver.ts"
import type { Authorities } from "./socket/Tls.ts"

/** The resolver, the allowed ranges and the trusted authorities of a client. */
export interface Settings {
  readonly resolver: Context.Tag.Service<Resolver>
  /** Ranges that it may reach although they are not global. */
  readonly allowed: ReadonlyArray<Cidr>
  readonly authorities: Authorities
}
