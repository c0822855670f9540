import * as Config from "effect/Config"

const isNode = (text: string) =>
  URL.canParse(text) && /^https?:$/.test(new URL(text).protocol) && new URL(text).search + new URL(text).hash === ""

/** The node that commands ask over HTTP. */
export const NodeUrl = Config.string("FINDABLE_URL").pipe(
  Config.validate({ message: "must be an address such as http://127.0.0.1:8787", validation: isNode }),
  Config.map((text) => new URL(text).href.replace(/\/+$/, "")),
  Config.withDefault("http://127.0.0.1:8787"),
  Config.withDescription("address of the node that `findable mcp` and `webhooks listen` ask")
)

/** The key that they ask with. */
export const ApiKey = Config.redacted("FINDABLE_API_KEY").pipe(
  Config.option,
  Config.withDescription("key with which they ask it")
)
