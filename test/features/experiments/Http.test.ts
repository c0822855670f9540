import { describe, expect } from "bun:test"
import * as Effect from "effect/Effect"
import { suite } from "../../harness.ts"
import { keyWith, send } from "../../server.ts"
import { counts, experiment } from "./experimenting.ts"
import { customer, layer, unknown } from "./http.ts"

const it = suite(layer)

const path = "/api/v1/experiments"

describe("POST /experiments", () => {
  it("answers 201 with a draft that has all fields of an experiment and no other", function* () {
    const { key, project } = yield* customer
    const { body, status } = yield* send("POST", path, {
      body: { name: "  Shorter titles ", project_id: project },
      key
    })
    expect(status).toBe(201)
    expect(body).toEqual({
      data: {
        analysis: null,
        completed_at: null,
        created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}\+00:00$/),
        hypothesis: null,
        id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        name: "Shorter titles",
        project_id: project,
        started_at: null,
        status: "draft"
      }
    })
  })

  it("starts the experiment at once when it is created as running", function* () {
    const { key, project } = yield* customer
    const asked = { hypothesis: "More clicks", name: "Titles", project_id: project, status: "running" }
    const { body } = yield* send("POST", path, { body: asked, key })
    expect(body.data).toMatchObject({ ...asked, started_at: body.data.created_at })
  })

  const refusals: ReadonlyArray<readonly [what: string, body: object, field: string]> = [
    ["no name", { name: undefined }, "name"],
    ["a blank name", { name: "  " }, "name"],
    ["a name of 201 characters", { name: "x".repeat(201) }, "name"],
    ["a name that no database text can hold", { name: "a\0b" }, "name"],
    ["a hypothesis that is no text", { hypothesis: 7 }, "hypothesis"],
    ["a hypothesis of 2001 characters", { hypothesis: "x".repeat(2001) }, "hypothesis"],
    ["the status completed", { status: "completed" }, "status"],
    ["a growth project whose id is no UUID", { project_id: "7" }, "project_id"]
  ]
  for (const [what, change, field] of refusals) {
    it(`answers 422 to ${what}`, function* () {
      const { key, project } = yield* customer
      const { body, status } = yield* send("POST", path, {
        body: { name: "Titles", project_id: project, ...change },
        key
      })
      expect(status).toBe(422)
      expect(body.error.code).toBe("validation_error")
      expect(body.error.details.map(({ path }: { path: string }) => path)).toEqual([field])
    })
  }

  it("answers 404 to a growth project that is another account's or nobody's", function* () {
    const { key } = yield* customer
    for (const project_id of [(yield* customer).project, unknown]) {
      const { body, status } = yield* send("POST", path, { body: { name: "Titles", project_id }, key })
      expect([status, body.error.code]).toEqual([404, "not_found"])
    }
  })
})

describe("an experiment", () => {
  it("is drafted, started and evaluated, and tells its verdict from then on", function* () {
    const { key, project } = yield* customer
    const drafted = (yield* send("POST", path, { body: { name: "Titles", project_id: project }, key })).body.data
    const started = yield* send("POST", `${path}/${drafted.id}/start`, { key })
    expect(started.status).toBe(200)
    expect(started.body.data).toEqual({ ...drafted, started_at: expect.any(String), status: "running" })
    const evaluated = yield* send("POST", `${path}/${drafted.id}/evaluate`, { body: counts, key })
    expect(evaluated.status).toBe(200)
    const { analysis, experiment } = evaluated.body.data
    expect(Object.keys(evaluated.body.data).toSorted()).toEqual(["analysis", "experiment"])
    expect(analysis).toEqual({
      counts: { control: counts.controlMetrics, treatment: counts.treatmentMetrics },
      confidenceInterval: [expect.closeTo(0.0014668448533781, 15), expect.closeTo(0.0130107960626011, 15)],
      didEstimator: expect.closeTo(0.0072388204579896, 15),
      isSignificant: true,
      liftPercentage: expect.closeTo(34.1573795685208, 12),
      method: "binomial",
      pValue: expect.closeTo(0.01396921902108, 14),
      warnings: [
        expect.stringContaining("parallel trends"),
        expect.stringContaining("send `pages`"),
        expect.stringContaining("independent")
      ]
    })
    expect(experiment).toEqual({
      ...started.body.data,
      analysis,
      completed_at: expect.any(String),
      status: "completed"
    })
    expect((yield* send("GET", `${path}/${drafted.id}`, { key })).body).toEqual({ data: experiment })
  })

  const conflicts: ReadonlyArray<readonly [from: "draft" | "running" | "completed", step: "start" | "evaluate"]> = [
    ["running", "start"],
    ["completed", "start"],
    ["draft", "evaluate"],
    ["completed", "evaluate"]
  ]
  for (const [from, step] of conflicts) {
    it(`that is ${from} answers 409 to ${step}, and stays as it is`, function* () {
      const { account, key, project } = yield* customer
      const before = yield* experiment(account, project, from)
      const { body, status } = yield* send("POST", `${path}/${before.id}/${step}`, { body: counts, key })
      expect([status, body.error.code]).toEqual([409, "conflict"])
      expect((yield* send("GET", `${path}/${before.id}`, { key })).body.data).toEqual(before)
    })
  }

  it("is evaluated by exactly one of 50 requests at once, the others answer 409", function* () {
    const { account, project } = yield* customer
    const { id } = yield* experiment(account, project, "running")
    const keys = yield* Effect.replicateEffect(keyWith(account, ["*"]), 5)
    const replies = yield* Effect.all(
      Array.from({ length: 50 }, (_, at) =>
        send("POST", `${path}/${id}/evaluate`, { body: counts, key: keys[at % keys.length] })
      ),
      { concurrency: "unbounded" }
    )
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(replies.filter(({ body, status }) => status === 409 && body.error.code === "conflict")).toHaveLength(49)
  })

  it("that is another account's, nobody's or no UUID is not found, whatever is asked of it", function* () {
    const { key } = yield* customer
    const other = yield* customer
    const foreign = yield* experiment(other.account, other.project, "running")
    for (const id of [foreign.id, unknown, "7"]) {
      for (const [method, step] of [
        ["GET", ""],
        ["POST", "/start"],
        ["POST", "/evaluate"]
      ] as const) {
        const { body, status } = yield* send(method, `${path}/${id}${step}`, {
          key,
          ...(method === "GET" ? {} : { body: counts })
        })
        expect([status, body.error.code]).toEqual([404, "not_found"])
      }
    }
    expect((yield* send("GET", `${path}/${foreign.id}`, { key: other.key })).body.data).toEqual(foreign)
  })
})

describe("an evaluation", () => {
  const refusals: ReadonlyArray<readonly [what: string, body: unknown, fields: ReadonlyArray<string>]> = [
    ["no body", undefined, ["controlMetrics", "treatmentMetrics"]],
    ["one arm only", { controlMetrics: counts.controlMetrics }, ["treatmentMetrics"]],
    ["no impressions", metricsWith({ preImpressions: 0, preConversions: 0 }), ["controlMetrics.preImpressions"]],
    ["a fraction", metricsWith({ postConversions: 1.5 }), ["controlMetrics.postConversions"]],
    ["a negative count", metricsWith({ postConversions: -1 }), ["controlMetrics.postConversions"]],
    ["a count as text", metricsWith({ postConversions: "7" }), ["controlMetrics.postConversions"]],
    ["2^53", metricsWith({ postImpressions: 2 ** 53 }), ["controlMetrics.postImpressions"]],
    ["pages that do not add up", { ...counts, pages: pagesWith({ preConversions: 11 }) }, ["pages"]],
    ["a single page in an arm", { ...counts, pages: pagesWith({}).slice(1, 3) }, ["pages"]],
    ["a page of no arm", { ...counts, pages: pagesWith({ arm: "both" }) }, ["pages.0.arm"]],
    ["more conversions than impressions", metricsWith({ postConversions: 10_101 }), ["controlMetrics.postConversions"]]
  ]
  for (const [what, body, fields] of refusals) {
    it(`with ${what} answers 422, and the experiment stays running`, function* () {
      const { account, key, project } = yield* customer
      const before = yield* experiment(account, project, "running")
      const reply = yield* send("POST", `${path}/${before.id}/evaluate`, { body, key })
      expect([reply.status, reply.body.error.code]).toEqual([422, "validation_error"])
      expect(reply.body.error.details.map(({ path }: { path: string }) => path)).toEqual(fields)
      expect((yield* send("GET", `${path}/${before.id}`, { key })).body.data).toEqual(before)
    })
  }

  it("is judged by its input before its owner, and by its owner before its state", function* () {
    const { account, key, project } = yield* customer
    const other = yield* customer
    const completed = yield* experiment(account, project, "completed")
    const foreign = yield* experiment(other.account, other.project, "completed")
    const status = (id: string, body: unknown) =>
      Effect.map(send("POST", `${path}/${id}/evaluate`, { body, key }), (reply) => reply.status)
    expect(yield* status(foreign.id, { controlMetrics: counts.controlMetrics })).toBe(422)
    expect(yield* status(foreign.id, {})).toBe(404)
    expect(yield* status(completed.id, {})).toBe(422)
    expect(yield* status(foreign.id, counts)).toBe(404)
    expect(yield* status(completed.id, counts)).toBe(409)
  })

  it("with pages judges by them, keeps effect and lift, and stores the verdict", function* () {
    const { account, key, project } = yield* customer
    const evaluate = (body: unknown) =>
      Effect.gen(function* () {
        const { id } = yield* experiment(account, project, "running")
        const { body: answer, status } = yield* send("POST", `${path}/${id}/evaluate`, { body, key })
        expect(status).toBe(200)
        expect((yield* send("GET", `${path}/${id}`, { key })).body.data.analysis).toEqual(answer.data.analysis)
        return answer.data.analysis
      })
    const { didEstimator, liftPercentage } = yield* evaluate(counts)
    const few = yield* evaluate({ ...counts, pages: split(25) })
    const many = yield* evaluate({ ...counts, pages: split(50) })
    expect(few).toMatchObject({ didEstimator, liftPercentage, method: "page_permutation" })
    expect(many).toMatchObject({ didEstimator, liftPercentage, method: "page_clustered" })
    expect(yield* evaluate({ ...counts, pages: split(25).toReversed() })).toEqual(few)
  })

  it("takes 5,000 named pages an arm, far beyond the size of other bodies", function* () {
    const { account, key, project } = yield* customer
    const { id } = yield* experiment(account, project, "running")
    const pages = split(5_000).map((page, index) => ({ ...page, page: `/blog/${"a".repeat(100)}/${index}` }))
    const { body, status } = yield* send("POST", `${path}/${id}/evaluate`, { body: { ...counts, pages }, key })
    expect([status, body.data.analysis.method]).toEqual([200, "page_clustered"])
  })

  it("takes counts up to 2^53 − 1 and answers finite numbers", function* () {
    const { account, key, project } = yield* customer
    const { id } = yield* experiment(account, project, "running")
    const most = Number.MAX_SAFE_INTEGER
    const arm = { postConversions: most, postImpressions: most, preConversions: 0, preImpressions: most }
    const { body, status } = yield* send("POST", `${path}/${id}/evaluate`, {
      body: { controlMetrics: arm, treatmentMetrics: { ...arm, postConversions: 1 } },
      key
    })
    expect(status).toBe(200)
    const { confidenceInterval, didEstimator, liftPercentage, pValue } = body.data.analysis
    for (const number of [didEstimator, liftPercentage, pValue, ...confidenceInterval]) expect(number).toBeFinite()
  })
})

describe("a key", () => {
  it("without the scope is refused everywhere, before its input is looked at", function* () {
    const { account } = yield* customer
    const key = yield* keyWith(account, ["projects:read", "site-health:write"])
    for (const [method, route] of [
      ["GET", ""],
      ["POST", ""],
      ["GET", `/${unknown}`],
      ["POST", `/${unknown}/start`],
      ["POST", `/${unknown}/evaluate`]
    ] as const) {
      const { body, status } = yield* send(method, `${path}${route}?limit=0`, { key })
      expect([status, body.error.code]).toEqual([403, "insufficient_scope"])
    }
  })
})

function metricsWith(change: object) {
  return { ...counts, controlMetrics: { ...counts.controlMetrics, ...change } }
}

/** The counts split over so many pages an arm, none like the other. */
function split(pagesAnArm: number) {
  const part = (total: number, index: number) =>
    Math.floor((total * (index + 1)) / pagesAnArm) - Math.floor((total * index) / pagesAnArm)
  return (["control", "treatment"] as const).flatMap((arm) =>
    Array.from({ length: pagesAnArm }, (_, index) => {
      const of = counts[`${arm}Metrics`]
      return {
        arm,
        preImpressions: part(of.preImpressions, index),
        postImpressions: part(of.postImpressions, index),
        preConversions: part(of.preConversions, index),
        postConversions: part(of.postConversions, pagesAnArm - 1 - index)
      }
    })
  )
}

function pagesWith(change: object) {
  return split(2).map((page, index) => (index === 0 ? { ...page, ...change } : page))
}
