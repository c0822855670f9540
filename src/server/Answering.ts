import * as HttpRouter from "@effect/platform/HttpRouter"
import * as Layer from "effect/Layer"
import { Cursors } from "../http/Cursors.ts"
import { PublicUrl } from "../http/PublicUrl.ts"
import { Stopping } from "../http/Stopping.ts"
import * as Docs from "./Docs.ts"
import { Drain } from "./Drain.ts"
import * as ErrorEnvelope from "./ErrorEnvelope.ts"
import * as Handlers from "./Handlers.ts"

/** What handlers, envelope and the end of a server have in common. */
export const shared = Layer.mergeAll(Cursors.Default, PublicUrl.Default, Drain.Default, Stopping.Default)

/** The router would fold `//` into `/` in queries too, and so break an address that is sent as it stands: `?url=https://example.com/`. */
const literal = HttpRouter.setRouterConfig({ ignoreDuplicateSlashes: false })

/** Everything that answers requests, without a listener and without a judge of keys. */
export const layer = Docs.layer.pipe(
  Layer.merge(ErrorEnvelope.layer),
  Layer.provideMerge(Handlers.layer),
  Layer.provide(literal)
)
