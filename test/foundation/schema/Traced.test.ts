import { expect, test } from "bun:test"
import * as Effect from "effect/Effect"
import * as Tracer from "effect/Tracer"
import * as Traced from "../../../src/foundation/schema/Traced.ts"

const doubled = Traced.fn("Numbers.doubled")(function* (n: number) {
  const span = yield* Effect.option(Effect.currentSpan)
  return { n: 2 * (yield* Effect.succeed(n)), span: span._tag === "Some" ? span.value.name : null }
})

/** Runs with a tracer that records the created spans. */
const noting = <A, E>(effect: Effect.Effect<A, E>) => {
  const made: Array<string> = []
  const { context, span } = Effect.runSync(Effect.tracer)
  const tracer = Tracer.make({
    context,
    span: (...parts) => {
      made.push(parts[0])
      return span(...parts)
    }
  })
  return { made, result: Effect.runSync(Effect.withTracer(effect, tracer)) }
}

test("a call is a span with its name", () => {
  expect(noting(doubled(21))).toEqual({ made: ["Numbers.doubled"], result: { n: 42, span: "Numbers.doubled" } })
})

test("without a tracer no span is created", () => {
  const silent = Effect.withTracerEnabled(doubled(21), false)
  expect(noting(silent)).toEqual({ made: [], result: { n: 42, span: null } })
})
