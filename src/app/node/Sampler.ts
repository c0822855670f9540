import * as Context from "effect/Context"
import * as DefaultServices from "effect/DefaultServices"
import * as Option from "effect/Option"
import * as Tracer from "effect/Tracer"

/** A span that is not exported, nor are its children. */
const unsampled: Tracer.Tracer["span"] = (...parts) =>
  Object.assign(Context.get(DefaultServices.liveServices, Tracer.Tracer).span(...parts), { sampled: false })

/** The last 32 bits of a trace id are random, so every node decides the same about a trace. */
const isChosen = (traceId: string, ratio: number) => Number.parseInt(traceId.slice(-8), 16) < ratio * 2 ** 32

/**
 * Samples a share of the traces, each as a whole. The caller decides for a request with `traceparent`. A statement begins no trace: one outside of requests and
 * work is a worker that looks for work.
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
