import * as Config from "effect/Config"
import { lasting } from "../../foundation/schema/Setting.ts"

/** Minimum time between the two checks that prove a link lost. */
export const LossAfter = Config.duration("FINDABLE_BACKLINK_LOSS_AFTER").pipe(
  lasting,
  Config.withDefault("7 days"),
  Config.withDescription(
    "Time between the two checks that must both miss a link before it counts as lost, such as `7 days`"
  )
)

/** Minimum time between two requests to one web server, over all Findable servers and accounts. */
export const Pause = Config.duration("FINDABLE_BACKLINK_PAUSE").pipe(
  lasting,
  Config.withDefault("10 seconds"),
  Config.withDescription("Pause between two requests to one web server when backlinks are checked")
)
