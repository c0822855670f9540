import * as ConfigProvider from "effect/ConfigProvider"
import * as Layer from "effect/Layer"
import * as OutboundLive from "../../../src/foundation/outbound/OutboundLive.ts"

const allowed = ConfigProvider.fromMap(new Map([["FINDABLE_ALLOW_PRIVATE_NETWORKS", "127.0.0.0/8"]]))

/** The real outbound client, allowed to reach this machine. */
export const loopback = OutboundLive.layer.pipe(Layer.provide(Layer.setConfigProvider(allowed)), Layer.orDie)
