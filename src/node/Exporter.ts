import * as Otlp from "@effect/opentelemetry/Otlp"
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as Layer from "effect/Layer"

/** Sends traces, logs and metrics to a collector. */
export const layer = (collector: URL) =>
  Otlp.layerJson({ baseUrl: collector.href, resource: { serviceName: "findable" } }).pipe(
    Layer.provide(FetchHttpClient.layer)
  )
