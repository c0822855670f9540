import * as Context from "effect/Context"
import * as DefaultServices from "effect/DefaultServices"
import * as Option from "effect/Option"
import * as Tracer from "effect/Tracer"

/** A span that nobody is told of, and so are those below it. */
const unheard: Tracer.Tracer["span"] = (...parts) =>
  Object.assign(Context.get(DefaultServices.liveServices, Tracer.Tracer).span(...parts), { sampled: false })

/** The last 32 bits of a trace's id are as good as thrown: every node comes to the same verdict about a trace. */
const isChosen = (traceId: string, ratio: number) => Number.parseInt(traceId.slice(-8), 16) < ratio * 2 ** 32

/**
 * Tells of a share of the traces, each as a whole. A caller that sends `traceparent` has decided for its own. A statement begins no trace: one that
 * belongs to no request and no work is a worker that looks for some.
 */
export const sampled = (tracer: Tracer.Tracer, ratio: number): Tracer.Tracer =>
  Tracer.make({
    context: tracer.context,
    span: (...parts) => {
      const [, parent, , , , kind] = parts
      if (Option.isSome(parent)) return parent.value.sampled ? tracer.span(...parts) : unheard(...parts)
      if (kind === "client") return unheard(...parts)
      const span = tracer.span(...parts)
      return isChosen(span.traceId, ratio) ? span : unheard(...parts)
    }
  })
