import * as Otlp from "@effect/opentelemetry/Otlp"
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as Context from "effect/Context"
import * as DefaultServices from "effect/DefaultServices"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Tracer from "effect/Tracer"

/** Sends logs, metrics and a share of the traces to a collector. */
export const layer = (collector: URL, ratio: number) =>
  Layer.unwrapEffect(Effect.map(Effect.tracer, (tracer) => Layer.setTracer(sampled(tracer, ratio)))).pipe(
    Layer.provideMerge(
      Otlp.layerJson({ baseUrl: collector.href, resource: { serviceName: "findable" } }).pipe(
        Layer.provide(FetchHttpClient.layer)
      )
    )
  )

/** A span that is not exported, like its children. */
const unsampled: Tracer.Tracer["span"] = (...parts) =>
  Object.assign(Context.get(DefaultServices.liveServices, Tracer.Tracer).span(...parts), { sampled: false })

/** Whether to export a trace. The last 32 bits of its id are random, so every node makes the same decision. */
const isChosen = (traceId: string, ratio: number) => Number.parseInt(traceId.slice(-8), 16) < ratio * 2 ** 32

/**
 * Samples a share of whole traces. The caller decides for a request with `traceparent`. A statement begins no trace: outside requests and work, it comes from a
 * worker that looks for work.
 */
export const sampled = (tracer: Tracer.Tracer, ratio: number): Tracer.Tracer =>
  Tracer.make({
    context: tracer.context,
    span: (...parts) => {
      const [, parent, , , , kind] = parts
      if (Option.isSome(parent)) return parent.value.sampled ? tracer.span(...parts) : unsampled(...parts)
      if (kind === "client") return unsampled(...parts)
      const span = tracer.span(...parts)
      return isChosen(span.traceId, ratio) ? span : unsampled(...parts)
    }
  })
