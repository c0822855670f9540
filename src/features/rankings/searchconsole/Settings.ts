import * as Config from "effect/Config"
import * as Duration from "effect/Duration"
import { isWebAddress } from "../../../foundation/schema/Scalars.ts"
import { lasting, web } from "../../../foundation/schema/Setting.ts"

/** The URLs of Search Console and its tokens, and the wait before retries. */
export interface Settings {
  readonly url: URL
  readonly tokenUrl: string
  readonly firstRetry: Duration.Duration
}

/** Reads `FINDABLE_SEARCH_CONSOLE_URL`, `FINDABLE_GOOGLE_TOKEN_URL` (empty: from the credentials, else Google's) and `FINDABLE_SEARCH_CONSOLE_RETRY`. */
export const Settings: Config.Config<Settings> = Config.all({
  url: Config.url("FINDABLE_SEARCH_CONSOLE_URL").pipe(
    web,
    Config.withDefault(new URL("https://searchconsole.googleapis.com")),
    Config.withDescription("Base URL of the Search Console API")
  ),
  tokenUrl: Config.string("FINDABLE_GOOGLE_TOKEN_URL").pipe(
    Config.validate({
      message: "must be empty or an http or https URL",
      validation: (text) => text === "" || isWebAddress(text)
    }),
    Config.withDefault(""),
    Config.withDescription("OAuth token endpoint. Empty: the endpoint in the credentials, or else Google's")
  ),
  firstRetry: Config.duration("FINDABLE_SEARCH_CONSOLE_RETRY").pipe(
    lasting,
    Config.withDefault(Duration.seconds(1)),
    Config.withDescription("Wait before the first retry of a Search Console request. It doubles with each retry")
  )
})
