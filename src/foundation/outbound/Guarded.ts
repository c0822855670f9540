import * as Layer from "effect/Layer"
import * as OutboundLive from "./OutboundLive.ts"
import { selfTest } from "./SelfTest.ts"

/** The guarded client after its self-test on this machine; a program whose guard does not hold must not start. */
export const layer = OutboundLive.layer.pipe(Layer.tap(() => selfTest))
