import { describe, expect } from "bun:test"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import { Auditor, PageSpeedInsights } from "../../../src/features/audits/Auditor.ts"
import { Audits } from "../../../src/features/audits/Audits.ts"
import type { AuditFailureCode } from "../../../src/features/audits/Domain.ts"
import { Lighthouse, runFailed } from "../../../src/features/audits/run/Lighthouse.ts"
import { suite } from "../../harness.ts"
import * as Server from "../../server.ts"
import { layer } from "./auditing.ts"
import { read, report } from "./reports.ts"

const it = suite(layer)

/** An auditor with scripted Lighthouse results: a performance score, or a failure. */
const auditing = (answers: ReadonlyArray<number | AuditFailureCode>, runs: number) => {
  const left = [...answers]
  const lighthouse = Lighthouse.of({
    run: () =>
      Effect.suspend(() => {
        const answer = left.shift() ?? "lighthouse_error"
        if (typeof answer === "string") return runFailed(answer, "It failed.")
        const json = report()
        const performance = { auditRefs: [], score: answer }
        return Effect.succeed(read({ ...json, categories: { ...Object(json.categories), performance } }))
      })
  })
  const psi = PageSpeedInsights.of({ run: () => runFailed("source_unavailable", "Not here.") })
  return Effect.map(
    Effect.either(
      Effect.flatMap(Auditor, (auditor) => auditor.audit("lighthouse", "https://shop.example/", "mobile", runs)).pipe(
        Effect.provide(
          Auditor.DefaultWithoutDependencies.pipe(
            Layer.provide(Layer.merge(Layer.succeed(Lighthouse, lighthouse), Layer.succeed(PageSpeedInsights, psi)))
          )
        )
      )
    ),
    (outcome) => ({ left, outcome })
  )
}

const scoreOf = (answers: ReadonlyArray<number | AuditFailureCode>, runs: number) =>
  Effect.map(auditing(answers, runs), ({ outcome }) => {
    const { spread, verdict } = Either.getOrThrow(outcome)
    return {
      runs: spread?.runs ?? null,
      verdict: Either.match(verdict, { onLeft: ({ code }) => code, onRight: (done) => done.report.scores.performance })
    }
  })

describe("several runs of one audit", () => {
  it("give their median, and a single run has no spread", function* () {
    expect(yield* scoreOf([0.9, 0.2, 0.5], 3)).toEqual({ runs: 3, verdict: 50 })
    expect(yield* scoreOf([0.9], 1)).toEqual({ runs: null, verdict: 90 })
  })

  it("leave out failed runs, and fail when all fail", function* () {
    expect(yield* scoreOf(["run_timed_out", 0.4, "page_unreachable"], 3)).toEqual({ runs: null, verdict: 40 })
    expect(yield* scoreOf([0.4, "page_unreachable", 0.6], 3)).toEqual({ runs: 2, verdict: 40 })
    expect(yield* scoreOf(["run_timed_out", "page_unreachable"], 2)).toEqual({ runs: null, verdict: "run_timed_out" })
  })

  it("are not begun on a machine that cannot audit", function* () {
    const { left, outcome } = yield* auditing(["browser_missing", 0.5, 0.5], 3)
    expect([Either.isLeft(outcome), left]).toEqual([true, [0.5, 0.5]])
  })

  it("are recorded with their spread, which the API shows and the database protects", function* () {
    const audits = yield* Audits
    const { account, key } = yield* Server.customer()
    const { outcome } = yield* auditing([0.9, 0.2, 0.5], 3)
    const recorded = yield* audits.record({ account, schedule: null, source: "lighthouse" }, Either.getOrThrow(outcome))
    const spread = { performance: { highest: 90, lowest: 20 }, runs: 3 }
    expect(recorded.spread).toMatchObject(spread)
    const { body } = yield* Server.send("GET", `/api/v1/audits/${recorded.id}`, { key })
    expect(body.data).toMatchObject({ scores: { performance: 50 }, spread })
  })
})
