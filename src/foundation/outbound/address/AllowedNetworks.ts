import * as Config from "effect/Config"
import { networks } from "./Networks.ts"

/** The environment variable of the allowed networks. */
export const variable = "FINDABLE_ALLOW_PRIVATE_NETWORKS"

/** Ranges that outbound requests may reach although they are not global: none by default, for development and tests. */
export const AllowedNetworks = networks(variable).pipe(
  Config.withDescription(
    "networks (comma-separated CIDRs) that crawls and webhooks may reach although they are not public"
  )
)
