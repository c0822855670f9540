import * as Config from "effect/Config"

/** The node that commands ask over HTTP. */
export const NodeUrl = Config.nonEmptyString("FINDABLE_URL").pipe(
  Config.withDefault("http://127.0.0.1:8787"),
  Config.withDescription("address of the node that `findable mcp` asks")
)

/** The key that they ask with. */
export const ApiKey = Config.redacted("FINDABLE_API_KEY").pipe(
  Config.option,
  Config.withDescription("key that `findable mcp` asks with")
)
