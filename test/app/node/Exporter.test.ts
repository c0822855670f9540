import { describe, expect, test } from "bun:test"
import * as Effect from "effect/Effect"
import * as Tracer from "effect/Tracer"
import { sampled } from "../../../src/app/node/Exporter.ts"

/** Runs under a sampler of the ratio, and returns the names of the sampled spans. */
const heard = (ratio: number, program: Effect.Effect<void>) => {
  const names: Array<string> = []
  const { context, span } = Effect.runSync(Effect.tracer)
  const tracer = Tracer.make({
    context,
    span: (...parts) => {
      const made = span(...parts)
      const end = made.end.bind(made)
      return Object.assign(made, {
        end: (...parts: Parameters<typeof end>) => {
          names.push(made.name)
          end(...parts)
        }
      })
    }
  })
  Effect.runSync(Effect.withTracer(program, sampled(tracer, ratio)))
  return names
}

const statement = Effect.withSpan(Effect.void, "statement", { kind: "client" })
const work = Effect.withSpan(statement, "work")
const called = (isSampled: boolean) =>
  Effect.withParentSpan(work, Tracer.externalSpan({ sampled: isSampled, spanId: "1", traceId: "ffffffff" }))

describe("a sampler", () => {
  test("keeps all spans at a ratio of 1 and none at 0", () => {
    expect(heard(1, work)).toEqual(["statement", "work"])
    expect(heard(0, work)).toEqual([])
  })

  test("keeps the configured share of traces, each as a whole", () => {
    const names = heard(0.25, Effect.repeatN(work, 3999))
    const whole = names.filter((name) => name === "work").length
    expect(names).toHaveLength(2 * whole)
    // A fair sampler stays within nine standard deviations of 1,000.
    expect(Math.abs(whole - 1000)).toBeLessThan(250)
  })

  test("follows the decision of a caller that has sampled already", () => {
    expect(heard(0, called(true))).toEqual(["statement", "work"])
    expect(heard(1, called(false))).toEqual([])
  })

  test("starts no trace with a statement", () => {
    expect(heard(1, statement)).toEqual([])
  })
})
