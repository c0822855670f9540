import { describe, expect } from "bun:test"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as fc from "fast-check"
import type { Experiment } from "../../../src/features/experiments/Domain.ts"
import { Experiments } from "../../../src/features/experiments/Experiments.ts"
import { ExperimentsRepo } from "../../../src/features/experiments/ExperimentsRepo.ts"
import { type Analysis, analyse, ExperimentMetrics } from "../../../src/features/experiments/statistics/Statistics.ts"
import { suite } from "../../harness.ts"
import { experiment, layer, metrics, numbersOf, owner } from "./experimenting.ts"

const it = suite(layer)

const decode = Schema.decodeSync(ExperimentMetrics)

const sameBits = (actual: ReadonlyArray<number>, expected: ReadonlyArray<number>) =>
  expect([...new BigUint64Array(new Float64Array(actual).buffer)]).toEqual([
    ...new BigUint64Array(new Float64Array(expected).buffer)
  ])

const stored = (analysis: Experiment["analysis"]): Analysis =>
  analysis === null || "verdict" in analysis ? expect.unreachable("no analysis of counts is stored") : analysis

/** Evaluates a new experiment, and reads it again. */
const evaluated = (input: ExperimentMetrics) =>
  Effect.gen(function* () {
    const experiments = yield* Experiments
    const { account, project } = yield* owner
    const { id } = yield* experiment(account, project, "running")
    const answer = yield* experiments.evaluate(account, id, input)
    return { answer, found: yield* experiments.get(account, id) }
  })

const arm = fc
  .tuple(fc.integer({ max: Number.MAX_SAFE_INTEGER, min: 1 }), fc.integer({ max: Number.MAX_SAFE_INTEGER, min: 1 }))
  .chain(([preImpressions, postImpressions]) =>
    fc.record({
      postConversions: fc.integer({ max: postImpressions, min: 0 }),
      postImpressions: fc.constant(postImpressions),
      preConversions: fc.integer({ max: preImpressions, min: 0 }),
      preImpressions: fc.constant(preImpressions)
    })
  )

/** The counts of `metrics`, as an analysis has them. */
const sent = { control: metrics.controlMetrics, treatment: metrics.treatmentMetrics }

describe("an analysis", () => {
  it("reads back as it was answered, bit for bit, whatever the counts", () =>
    Effect.promise(() =>
      fc.assert(
        fc.asyncProperty(fc.record({ controlMetrics: arm, treatmentMetrics: arm }), (input) =>
          it.runtime.runPromise(
            Effect.gen(function* () {
              const { answer, found } = yield* evaluated(decode(input))
              const analysis = stored(found.analysis)
              sameBits(numbersOf(analysis), numbersOf(answer.analysis))
              expect(numbersOf(analysis).some((number) => Object.is(number, -0))).toBe(false)
              expect(found).toEqual(answer.experiment)
              expect(analysis).toEqual(answer.analysis)
            })
          )
        ),
        { numRuns: 60 }
      )
    ))

  it("keeps a p-value near 1e-300", function* () {
    const input = decode({
      controlMetrics: {
        postConversions: 100_000,
        postImpressions: 1e6,
        preConversions: 100_000,
        preImpressions: 1e6
      },
      treatmentMetrics: {
        postConversions: 122_670,
        postImpressions: 1e6,
        preConversions: 100_000,
        preImpressions: 1e6
      }
    })
    const { answer, found } = yield* evaluated(input)
    expect(answer.analysis.pValue).toBeGreaterThan(1e-303)
    expect(answer.analysis.pValue).toBeLessThan(1e-297)
    sameBits(numbersOf(stored(found.analysis)), numbersOf(analyse(input.controlMetrics, input.treatmentMetrics)))
  })

  const extremes: ReadonlyArray<readonly [number, number]> = [
    [5e-324, Number.MAX_VALUE],
    [1e-300, -Number.MAX_VALUE],
    [2.2250738585072014e-308, 2 ** 53 - 1],
    [0.1 + 0.2, 1e21],
    [Number.EPSILON, -1e-7]
  ]
  for (const [pValue, liftPercentage] of extremes) {
    it(`keeps ${pValue} and ${liftPercentage}, which storage could have rounded`, function* () {
      const repo = yield* ExperimentsRepo
      const { account, project } = yield* owner
      const { id } = yield* experiment(account, project, "running")
      const analysis: Analysis = {
        confidenceInterval: [-liftPercentage, pValue],
        counts: sent,
        didEstimator: -pValue,
        isSignificant: false,
        liftPercentage,
        method: "binomial",
        pValue,
        warnings: ['ünïcode "quoted" \\ \u2028']
      }
      yield* repo.complete({ account, analysis, id, metrics: new TextEncoder().encode(JSON.stringify(metrics)) })
      const found = stored((yield* Effect.flatten(repo.find({ account, id }))).analysis)
      sameBits(numbersOf(found), numbersOf(analysis))
      expect(found).toEqual(analysis)
    })
  }

  it("is stored with the counts that it follows from", function* () {
    const sql = yield* SqlClient.SqlClient
    const { found } = yield* evaluated(metrics)
    const [row] = yield* sql<{ metrics: unknown }>`SELECT metrics FROM experiments WHERE id = ${found.id}`
    const { controlMetrics, treatmentMetrics } = yield* Schema.decodeUnknown(ExperimentMetrics)(row?.metrics)
    const counts = { control: controlMetrics, treatment: treatmentMetrics }
    expect(stored(found.analysis)).toEqual({ ...analyse(controlMetrics, treatmentMetrics), counts })
  })
})

describe("every form of the list's statement runs", () => {
  for (let filters = 0; filters < 16; filters++) {
    const set = (bit: number) => (filters & bit) !== 0
    it(`with filters ${filters.toString(2).padStart(4, "0")}`, function* () {
      const repo = yield* ExperimentsRepo
      const { account, project } = yield* owner
      const { id } = yield* experiment(account, project)
      const rows: ReadonlyArray<Experiment> = yield* repo.list({
        account,
        after: set(1) ? ["9999-01-01T00:00:00.000000+00:00", id] : undefined,
        count: 10,
        domain: set(2) ? "example.com" : undefined,
        project: set(4) ? project : undefined,
        status: set(8) ? "draft" : undefined
      })
      expect(rows.map((row) => row.id)).toEqual([id])
    })
  }
})
