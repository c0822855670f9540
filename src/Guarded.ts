import * as Layer from "effect/Layer"
import * as OutboundLive from "./outbound/OutboundLive.ts"
import { selfTest } from "./outbound/SelfTest.ts"

/** The guarded client, after it has proven on this machine that its guard holds; a program whose guard does not hold must not start. */
export const layer = OutboundLive.layer.pipe(Layer.tap(() => selfTest))
