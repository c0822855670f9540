import * as Config from "effect/Config"
import { networks } from "./Networks.ts"

/** The variable that names them. */
export const variable = "FINDABLE_ALLOW_PRIVATE_NETWORKS"

/** Ranges that outbound requests may reach although they are not global: for development and tests, none by default. */
export const AllowedNetworks = networks(variable).pipe(
  Config.withDescription(
    "networks (comma-separated CIDRs) that crawls and webhooks may reach although they are not public"
  )
)
