import * as HttpMiddleware from "@effect/platform/HttpMiddleware"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { Collector } from "./Telemetry.ts"

/** What is asked every few seconds whether there is anything to tell or not. */
const probes = new Set(["/healthz", "/readyz", "/metrics"])

/** A span of a request costs the reading of its headers, so without a collector none are made, and probes get none. */
export const layer = Layer.unwrapEffect(
  Effect.map(
    Collector,
    Option.match({
      onNone: () => Layer.locallyScoped(HttpMiddleware.currentTracerDisabledWhen, () => true),
      onSome: () => Layer.locallyScoped(HttpMiddleware.currentTracerDisabledWhen, ({ url }) => probes.has(url))
    })
  )
)
