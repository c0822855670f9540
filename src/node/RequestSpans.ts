import * as HttpMiddleware from "@effect/platform/HttpMiddleware"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { Collector } from "./Telemetry.ts"

/** A span of a request costs the reading of its headers, so without a collector none are made. */
export const layer = Layer.unwrapEffect(
  Effect.map(
    Collector,
    Option.match({
      onNone: () => Layer.locallyScoped(HttpMiddleware.currentTracerDisabledWhen, () => true),
      onSome: () => Layer.empty
    })
  )
)
