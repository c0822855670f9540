import * as Layer from "effect/Layer"
import * as InstallationKey from "../../../foundation/secrets/InstallationKey.ts"
import * as GoogleTokens from "../searchconsole/GoogleTokens.ts"
import * as SearchAnalyticsApi from "../searchconsole/SearchAnalyticsApi.ts"

/** The cipher under the installation's master key. */
export const cipher = InstallationKey.layer

/** Search Console as it really is, and the tokens for it. */
export const searchConsole = Layer.merge(SearchAnalyticsApi.layer, GoogleTokens.layer)
