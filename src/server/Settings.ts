import * as Config from "effect/Config"
import { between } from "../schema/Setting.ts"

/** Address that the server listens on. */
export const Host = Config.nonEmptyString("FINDABLE_HOST").pipe(
  Config.withDefault("127.0.0.1"),
  Config.withDescription("address that the server listens on")
)

/** Port that the server listens on; 0 takes a free one. */
export const Port = Config.integer("FINDABLE_PORT").pipe(
  between(0, 65_535),
  Config.withDefault(8787),
  Config.withDescription("port that the server listens on; 0 takes a free one")
)
