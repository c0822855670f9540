import * as Config from "effect/Config"
import { isWeb } from "../../foundation/schema/Scalars.ts"

/** Whether a text is the address of a node: http or https, its path if it has one, and no more. */
export const isNode = (text: string): boolean =>
  URL.canParse(text) && isWeb(new URL(text)) && new URL(text).search + new URL(text).hash === ""

/** The node that commands ask over HTTP. */
export const NodeUrl = Config.string("FINDABLE_URL").pipe(
  Config.validate({ message: "must be a URL such as http://127.0.0.1:8787", validation: isNode }),
  Config.map((text) => new URL(text).href.replace(/\/+$/, "")),
  Config.withDefault("http://127.0.0.1:8787"),
  Config.withDescription("URL of the server that `mcp` and `webhooks listen` connect to")
)

/** The key that they ask with. */
export const ApiKey = Config.redacted("FINDABLE_API_KEY").pipe(
  Config.option,
  Config.withDescription("API key for that server")
)
