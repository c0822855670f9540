import { describe, expect } from "bun:test"
import * as Effect from "effect/Effect"
import { suite } from "../../harness.ts"
import { customer as anyone, keyWith, send } from "../../server.ts"
import * as Designing from "./design/designing.ts"

import { counts, experiment } from "./experimenting.ts"
import { customer } from "./http.ts"

const it = suite(Designing.layer, { timeout: 60_000 })

const evaluate = (key: string, id: string, query: string, body: unknown) =>
  send("POST", `/api/v1/experiments/${id}/evaluate${query}`, { body, key })

describe("a dry run of an evaluation", () => {
  it("returns the same analysis as the evaluation, and changes nothing", function* () {
    const { account, key, project } = yield* customer
    const { id } = yield* experiment(account, project, "running")
    const before = (yield* send("GET", `/api/v1/experiments/${id}`, { key })).body.data
    const tried = yield* evaluate(key, id, "?dry_run=true", counts)
    expect([tried.status, tried.body.data.experiment]).toEqual([200, before])
    expect((yield* send("GET", `/api/v1/experiments/${id}`, { key })).body.data).toEqual(before)
    const evaluated = yield* evaluate(key, id, "?dry_run=false", counts)
    expect(evaluated.body.data.experiment.status).toBe("completed")
    expect(evaluated.body.data.analysis).toEqual(tried.body.data.analysis)
  })

  it("returns the analysis of the stored page totals for a design, and changes nothing", function* () {
    const of = yield* Designing.marketer(Designing.world)
    const id = yield* Designing.draft(of, yield* Designing.folders(of.site))
    yield* Designing.step(of, id, "start")
    const tried = yield* evaluate(of.key, id, "?dry_run=true", {})
    expect([tried.status, tried.body.data.experiment.status]).toEqual([200, "running"])
    const evaluated = yield* evaluate(of.key, id, "", {})
    expect(evaluated.body.data.analysis).toEqual(tried.body.data.analysis)
  })

  it("is refused for the same reasons as the evaluation", function* () {
    const { account, key, project } = yield* customer
    const code = (id: string, body: unknown, query = "?dry_run=true") =>
      Effect.map(evaluate(key, id, query, body), ({ body }) => body.error.code)
    const { id: running } = yield* experiment(account, project, "running")
    const { id: drafted } = yield* experiment(account, project)
    const { id: completed } = yield* experiment(account, project, "completed")
    expect(yield* code(running, {})).toBe("validation_error")
    expect(yield* code(running, counts, "?dry_run=yes")).toBe("validation_error")
    expect(yield* code(drafted, counts)).toBe("conflict")
    expect(yield* code(completed, counts)).toBe("conflict")
    const of = yield* Designing.marketer(Designing.world)
    const unfinished = yield* Designing.create(
      of,
      { ...(yield* Designing.folders(of.site)), post_days: 84 },
      { status: "running" }
    )
    const early = yield* evaluate(of.key, unfinished.body.data.id, "?dry_run=true", {})
    expect([early.status, early.body.error.code]).toEqual([409, "not_over"])
  })

  it("needs the same scope and experiment as the evaluation", function* () {
    const { account, key, project } = yield* customer
    const { id } = yield* experiment(account, project, "running")
    const reader = yield* keyWith(account, ["search-data:read"])
    expect((yield* evaluate(reader, id, "?dry_run=true", counts)).status).toBe(403)
    const stranger = yield* anyone()
    expect((yield* evaluate(stranger.key, id, "?dry_run=true", counts)).status).toBe(404)
    expect((yield* send("GET", `/api/v1/experiments/${id}`, { key })).body.data.status).toBe("running")
  })
})
