import { describe, expect } from "bun:test"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as fc from "fast-check"
import type { Experiment } from "../../../src/features/experiments/Domain.ts"
import { Experiments } from "../../../src/features/experiments/Experiments.ts"
import { ExperimentsRepo } from "../../../src/features/experiments/ExperimentsRepo.ts"
import { type Analysis, analyse, ExperimentMetrics } from "../../../src/features/experiments/statistics/Statistics.ts"
import { sqlState } from "../../../src/foundation/database/SqlState.ts"
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

/** Evaluates a new experiment, and reads it from the database. */
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

/** The counts of `metrics`, in the form of an analysis. */
const sent = { control: metrics.controlMetrics, treatment: metrics.treatmentMetrics }

describe("an analysis", () => {
  it("is read from the database exactly as it was returned, for any counts", () =>
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

  it("is stored with the counts that it was computed from", function* () {
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

const checkViolation = "23514"

type Status = "draft" | "running" | "completed"

const began = "started_at = clock_timestamp()"

const ended = "completed_at = clock_timestamp(), metrics = '{}', analysis = '{}'"

const refused = (statement: string, id: string) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const error = yield* Effect.flip(sql.unsafe(statement, [id]))
    expect(sqlState(error)).toBe(checkViolation)
  })

describe("the database schema refuses", () => {
  const changes: ReadonlyArray<readonly [what: string, from: Status, change: string]> = [
    ["to complete a draft", "draft", `status = 'completed', ${began}, ${ended}`],
    ["to turn a running experiment into a draft", "running", "status = 'draft', started_at = NULL"],
    ["to start a running experiment again", "running", began],
    [
      "to restart a completed experiment",
      "completed",
      "status = 'running', completed_at = NULL, metrics = NULL, analysis = NULL"
    ],
    [
      "to turn a completed experiment into a draft",
      "completed",
      "status = 'draft', started_at = NULL, completed_at = NULL, metrics = NULL, analysis = NULL"
    ],
    ["to overwrite an analysis", "completed", "analysis = '{}'"],
    ["to rename a completed experiment", "completed", "name = 'other'"],
    ["a draft with a start", "draft", began],
    ["a running experiment without a start", "draft", "status = 'running'"],
    ["an analysis before completion", "running", "analysis = '{}'"],
    [
      "a completion without an analysis",
      "running",
      "status = 'completed', completed_at = clock_timestamp(), metrics = '{}'"
    ],
    [
      "a completion without its counts",
      "running",
      "status = 'completed', completed_at = clock_timestamp(), analysis = '{}'"
    ],
    ["an unknown status", "running", "status = 'paused'"],
    ["an empty name", "draft", "name = ''"],
    ["another time of creation", "draft", "created_at = clock_timestamp()"]
  ]
  for (const [what, from, change] of changes) {
    it(what, function* () {
      const { account, project } = yield* owner
      const { id } = yield* experiment(account, project, from)
      yield* refused(`UPDATE experiments SET ${change} WHERE id = $1`, id)
    })
  }

  it("an experiment that is completed from the start", function* () {
    const { account, project } = yield* owner
    const { id } = yield* experiment(account, project, "completed")
    yield* refused(
      `INSERT INTO experiments (account_id, project_id, name, status, started_at, completed_at, metrics, analysis)
         SELECT account_id, project_id, name, status, started_at, completed_at, metrics, analysis FROM experiments WHERE id = $1`,
      id
    )
  })

  it("an experiment of one account in the growth project of another", function* () {
    const sql = yield* SqlClient.SqlClient
    const mine = yield* owner
    const other = yield* owner
    const error = yield* Effect.flip(
      sql`INSERT INTO experiments (account_id, project_id, name, status) VALUES (${mine.account}, ${other.project}, 'x', 'draft')`
    )
    expect(sqlState(error)).toBe("23503")
  })

  it("a growth project whose domain is not in lower case", function* () {
    const { account } = yield* owner
    yield* refused("INSERT INTO growth_projects (account_id, domain) VALUES ($1, 'Example.com')", account)
  })
})

describe("the database schema allows", () => {
  it("to rename a draft and a running experiment", function* () {
    const sql = yield* SqlClient.SqlClient
    const { account, project } = yield* owner
    for (const status of ["draft", "running"] as const) {
      const { id } = yield* experiment(account, project, status)
      yield* sql`UPDATE experiments SET name = 'other' WHERE id = ${id}`
      expect(yield* sql`SELECT name, status FROM experiments WHERE id = ${id}`).toEqual([{ name: "other", status }])
    }
  })

  it("to delete an account with everything it owns", function* () {
    const sql = yield* SqlClient.SqlClient
    const { account, project } = yield* owner
    yield* experiment(account, project, "completed")
    yield* sql`DELETE FROM accounts WHERE id = ${account}`
    expect(yield* sql`SELECT 1 FROM experiments WHERE account_id = ${account}`).toEqual([])
  })
})
