import * as Layer from "effect/Layer"
import * as SiteHealthWorker from "./sitehealth/Worker.ts"

/** Everything a node does besides answering requests. */
export const layer = Layer.mergeAll(SiteHealthWorker.layer)
