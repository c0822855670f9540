import * as Config from "effect/Config"
import { isWeb } from "../../foundation/schema/Scalars.ts"

/** Whether a text is the URL of a server: http or https, with an optional path and nothing else. */
export const isNode = (text: string): boolean =>
  URL.canParse(text) && isWeb(new URL(text)) && new URL(text).search + new URL(text).hash === ""

/** The server that commands call over HTTP. */
export const NodeUrl = Config.string("FINDABLE_URL").pipe(
  Config.validate({ message: "must be a URL such as http://127.0.0.1:8787", validation: isNode }),
  Config.map((text) => new URL(text).href.replace(/\/+$/, "")),
  Config.withDefault("http://127.0.0.1:8787"),
  Config.withDescription("URL of the server for the commands `mcp`, `webhooks listen` and `events trigger`")
)

/** The key for these calls. */
export const ApiKey = Config.redacted("FINDABLE_API_KEY").pipe(
  Config.option,
  Config.withDescription("API key for the commands `mcp`, `webhooks listen` and `events trigger`")
)
