import * as Config from "effect/Config"
import { lasting } from "../../foundation/schema/Setting.ts"

/** Time between the two looks that make a link a lost one. */
export const LossAfter = Config.duration("FINDABLE_BACKLINK_LOSS_AFTER").pipe(
  lasting,
  Config.withDefault("7 days"),
  Config.withDescription("time between two checks without the link, after which it counts as lost, such as `7 days`")
)

/** Time between two requests to one server, over all nodes and accounts. */
export const Pause = Config.duration("FINDABLE_BACKLINK_PAUSE").pipe(
  lasting,
  Config.withDefault("10 seconds"),
  Config.withDescription("time between two requests to one server when linking pages are checked")
)
