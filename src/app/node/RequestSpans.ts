import * as HttpMiddleware from "@effect/platform/HttpMiddleware"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { Collector } from "./Telemetry.ts"

/** Machines send these every few seconds. */
const probes = new Set(["/healthz", "/readyz", "/metrics"])

/** A span costs the reading of a request's headers, so there are none without a collector, and none for probes. */
export const layer = Layer.unwrapEffect(
  Effect.map(
    Collector,
    Option.match({
      onNone: () => Layer.locallyScoped(HttpMiddleware.currentTracerDisabledWhen, () => true),
      onSome: () => Layer.locallyScoped(HttpMiddleware.currentTracerDisabledWhen, ({ url }) => probes.has(url))
    })
  )
)
