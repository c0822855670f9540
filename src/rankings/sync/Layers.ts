import * as BunContext from "@effect/platform-bun/BunContext"
import * as Layer from "effect/Layer"
import * as Entropy from "../../accounts/Entropy.ts"
import * as InstallationKey from "../../webhooks/InstallationKey.ts"
import * as MasterKey from "../../webhooks/MasterKey.ts"
import * as GoogleTokens from "../searchconsole/GoogleTokens.ts"
import * as SearchAnalyticsApi from "../searchconsole/SearchAnalyticsApi.ts"
import * as CredentialsCipher from "./CredentialsCipher.ts"

/** The cipher under the installation's master key. */
export const cipher = CredentialsCipher.layerNoDeps.pipe(
  Layer.provide([InstallationKey.layer, MasterKey.layer]),
  Layer.provide([Entropy.layer, BunContext.layer])
)

/** Search Console as it really is, and the tokens for it. */
export const searchConsole = Layer.merge(SearchAnalyticsApi.layer, GoogleTokens.layer)
