import * as Otlp from "@effect/opentelemetry/Otlp"
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { sampled } from "./Sampler.ts"

/** Sends logs, metrics and a share of the traces to a collector. */
export const layer = (collector: URL, ratio: number) =>
  Layer.unwrapEffect(Effect.map(Effect.tracer, (tracer) => Layer.setTracer(sampled(tracer, ratio)))).pipe(
    Layer.provideMerge(
      Otlp.layerJson({ baseUrl: collector.href, resource: { serviceName: "findable" } }).pipe(
        Layer.provide(FetchHttpClient.layer)
      )
    )
  )
