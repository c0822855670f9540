import * as Layer from "effect/Layer"
import { ExportLimits } from "../../features/accounts/ExportLimits.ts"
import { Cursors } from "../../foundation/http/Cursors.ts"
import { PublicUrl } from "../../foundation/http/PublicUrl.ts"
import { Stopping } from "../../foundation/http/Stopping.ts"
import * as Docs from "./Docs.ts"
import { Drain } from "./Drain.ts"
import * as Handlers from "./Handlers.ts"

/** Services that handlers, envelope and shutdown share. */
export const shared = Layer.mergeAll(
  Cursors.Default,
  Drain.Default,
  ExportLimits.Default,
  PublicUrl.Default,
  Stopping.Default
)

/** All routes, without a listener and without authorisation. */
export const layer = Layer.provideMerge(Docs.layer, Handlers.layer)
