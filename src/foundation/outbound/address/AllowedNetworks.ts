import * as Config from "effect/Config"
import { listed } from "../../schema/Setting.ts"
import * as Cidr from "./Cidr.ts"

/** A setting that lists networks, none by default. */
export const networks = (variable: string) =>
  listed(variable, Cidr.parse, "a network: give ranges such as 127.0.0.0/8 or fd00::/8, separated by commas")

/** The environment variable of the allowed networks. */
export const variable = "FINDABLE_ALLOW_PRIVATE_NETWORKS"

/** Ranges that outbound requests may reach although they are not global: none by default, for development and tests. */
export const AllowedNetworks = networks(variable).pipe(
  Config.withDescription(
    "networks (comma-separated CIDRs) that crawls and webhooks may reach although they are not public"
  )
)
