import { describe, expect } from "bun:test"
import * as Effect from "effect/Effect"
import { suite } from "../../harness.ts"
import { keyWith, projectOf, send } from "../../server.ts"
import { counts, experiment } from "./experimenting.ts"
import { customer, layer, unknown } from "./http.ts"

const it = suite(layer)

const path = "/api/v1/experiments"

describe("POST /experiments", () => {
  it("returns 201 with a draft that has all fields of an experiment and no others", function* () {
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

  it("starts the experiment immediately when it is created as running", function* () {
    const { key, project } = yield* customer
    const asked = { hypothesis: "More clicks", name: "Titles", project_id: project, status: "running" }
    const { body } = yield* send("POST", path, { body: asked, key })
    expect(body.data).toMatchObject({ ...asked, started_at: body.data.created_at })
  })

  const refusals: ReadonlyArray<readonly [what: string, body: object, field: string]> = [
    ["no name", { name: undefined }, "name"],
    ["a blank name", { name: "  " }, "name"],
    ["a name of 201 characters", { name: "x".repeat(201) }, "name"],
    ["a name with a NUL", { name: "a\0b" }, "name"],
    ["a hypothesis that is a number", { hypothesis: 7 }, "hypothesis"],
    ["a hypothesis of 2001 characters", { hypothesis: "x".repeat(2001) }, "hypothesis"],
    ["the status completed", { status: "completed" }, "status"],
    ["a growth project id that is no UUID", { project_id: "7" }, "project_id"]
  ]
  for (const [what, change, field] of refusals) {
    it(`returns 422 for ${what}`, function* () {
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

  it("returns 404 for an unknown growth project, and for another account's", function* () {
    const { key } = yield* customer
    for (const project_id of [(yield* customer).project, unknown]) {
      const { body, status } = yield* send("POST", path, { body: { name: "Titles", project_id }, key })
      expect([status, body.error.code]).toEqual([404, "not_found"])
    }
  })
})

describe("an experiment", () => {
  it("is drafted, started and evaluated, and keeps its result", function* () {
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
        expect.stringContaining("Send counts by page"),
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
    it(`returns 409 to ${step} when it is ${from}, and does not change`, function* () {
      const { account, key, project } = yield* customer
      const before = yield* experiment(account, project, from)
      const { body, status } = yield* send("POST", `${path}/${before.id}/${step}`, {
        key,
        ...(step === "evaluate" && { body: counts })
      })
      expect([status, body.error.code]).toEqual([409, "conflict"])
      expect((yield* send("GET", `${path}/${before.id}`, { key })).body.data).toEqual(before)
    })
  }

  it("is evaluated by exactly one of 50 concurrent requests, and the others get 409", function* () {
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

  it("is not found by any request if it is another account's, unknown or no UUID", function* () {
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
          ...(step === "/evaluate" && { body: counts })
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
    ["also in treatment", { controlMetrics: counts.controlMetrics }, ["treatmentMetrics"]],
    ["no impressions", metricsWith({ preImpressions: 0, preConversions: 0 }), ["controlMetrics.preImpressions"]],
    ["a fraction", metricsWith({ postConversions: 1.5 }), ["controlMetrics.postConversions"]],
    ["a negative count", metricsWith({ postConversions: -1 }), ["controlMetrics.postConversions"]],
    ["a count as text", metricsWith({ postConversions: "7" }), ["controlMetrics.postConversions"]],
    ["2^53", metricsWith({ postImpressions: 2 ** 53 }), ["controlMetrics.postImpressions"]],
    ["pages that do not add up", { ...counts, pages: pagesWith({ preConversions: 11 }) }, ["pages"]],
    ["a single page in a group", { ...counts, pages: pagesWith({}).slice(1, 3) }, ["pages"]],
    ["a page with an unknown arm", { ...counts, pages: pagesWith({ arm: "both" }) }, ["pages.0.arm"]],
    ["more conversions than impressions", metricsWith({ postConversions: 10_101 }), ["controlMetrics.postConversions"]]
  ]
  for (const [what, body, fields] of refusals) {
    it(`with ${what} returns 422, and the experiment keeps running`, function* () {
      const { account, key, project } = yield* customer
      const before = yield* experiment(account, project, "running")
      const reply = yield* send("POST", `${path}/${before.id}/evaluate`, { body, key })
      expect([reply.status, reply.body.error.code]).toEqual([422, "validation_error"])
      expect(reply.body.error.details.map(({ path }: { path: string }) => path)).toEqual(fields)
      expect((yield* send("GET", `${path}/${before.id}`, { key })).body.data).toEqual(before)
    })
  }

  it("checks its input before the owner, and the owner before the state", function* () {
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

  it("with pages uses them for the test, keeps effect and lift, and stores the result", function* () {
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

  it("accepts 5,000 named pages per group, far beyond the size of other bodies", function* () {
    const { account, key, project } = yield* customer
    const { id } = yield* experiment(account, project, "running")
    const pages = split(5_000).map((page, index) => ({ ...page, page: `/blog/${"a".repeat(100)}/${index}` }))
    const { body, status } = yield* send("POST", `${path}/${id}/evaluate`, { body: { ...counts, pages }, key })
    expect([status, body.data.analysis.method]).toEqual([200, "page_clustered"])
  })

  it("accepts counts up to 2^53 − 1 and returns finite numbers", function* () {
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

describe("a key without the scope of experiments", () => {
  it("is refused everywhere, before the input is checked", function* () {
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

/** The counts split over a number of different pages per group. */
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

const growth = "/api/v1/growth-projects"

describe("an experiment", () => {
  it("is changed in the given fields while it is a draft", function* () {
    const { account, key, project } = yield* customer
    const before = yield* experiment(account, project, "draft")
    const named = yield* send("PATCH", `${path}/${before.id}`, { body: { name: " Titles 2 " }, key })
    expect([named.status, named.body]).toEqual([200, { data: { ...before, name: "Titles 2" } }])
    const changed = yield* send("PATCH", `${path}/${before.id}`, { body: { hypothesis: "More clicks" }, key })
    expect(changed.body.data).toEqual({ ...named.body.data, hypothesis: "More clicks" })
    const cleared = yield* send("PATCH", `${path}/${before.id}`, { body: { hypothesis: null }, key })
    expect(cleared.body.data).toEqual(named.body.data)
    expect((yield* send("PATCH", `${path}/${before.id}`, { body: {}, key })).body.data).toEqual(named.body.data)
  })

  for (const [field, body] of [
    ["name", { name: " " }],
    ["hypothesis", { hypothesis: "" }],
    ["status", { status: "running" }]
  ] as const)
    it(`is not changed by an invalid ${field}`, function* () {
      const { account, key, project } = yield* customer
      const before = yield* experiment(account, project, "draft")
      const refused = yield* send("PATCH", `${path}/${before.id}`, { body, key })
      expect([refused.status, refused.body.error.details[0].path]).toEqual([422, field])
      expect((yield* send("GET", `${path}/${before.id}`, { key })).body.data).toEqual(before)
    })

  for (const status of ["running", "completed"] as const)
    it(`returns 409 to a change when it is ${status}, and does not change`, function* () {
      const { account, key, project } = yield* customer
      const before = yield* experiment(account, project, status)
      const { body, status: code } = yield* send("PATCH", `${path}/${before.id}`, { body: { name: "x" }, key })
      expect([code, body.error.code]).toEqual([409, "conflict"])
      expect((yield* send("GET", `${path}/${before.id}`, { key })).body.data).toEqual(before)
    })

  for (const [status, code] of [
    ["draft", 204],
    ["running", 409],
    ["completed", 204]
  ] as const)
    it(`returns ${code} to its deletion when it is ${status}`, function* () {
      const { account, key, project } = yield* customer
      const { id } = yield* experiment(account, project, status)
      expect((yield* send("DELETE", `${path}/${id}`, { key })).status).toBe(code)
      expect((yield* send("GET", `${path}/${id}`, { key })).status).toBe(code === 204 ? 404 : 200)
      expect((yield* send("DELETE", `${path}/${id}`, { key })).status).toBe(code === 204 ? 404 : 409)
    })

  it("is not found by another account, and is refused without the scope", function* () {
    const { account, project } = yield* customer
    const stranger = yield* customer
    const { id } = yield* experiment(account, project, "draft")
    const reader = yield* keyWith(account, ["projects:read"])
    for (const method of ["PATCH", "DELETE"] as const) {
      const body = method === "PATCH" ? { body: { name: "x" } } : {}
      expect((yield* send(method, `${path}/${id}`, { key: stranger.key, ...body })).status).toBe(404)
      expect((yield* send(method, `${path}/${unknown}`, { key: stranger.key, ...body })).status).toBe(404)
      expect((yield* send(method, `${path}/${id}`, { key: reader, ...body })).status).toBe(403)
    }
  })
})

describe("a growth project", () => {
  it("without experiments gets another domain, and is deleted", function* () {
    const { key, project } = yield* customer
    const body = { domain: "https://www.Example.net/x" }
    const changed = yield* send("PATCH", `${growth}/${project}`, { body, key })
    expect([changed.status, changed.body.data.domain]).toEqual([200, "example.net"])
    expect((yield* send("PATCH", `${growth}/${project}`, { body: {}, key })).body).toEqual(changed.body)
    expect((yield* send("DELETE", `${growth}/${project}`, { key })).status).toBe(204)
    expect((yield* send("DELETE", `${growth}/${project}`, { key })).status).toBe(404)
  })

  it("with experiments returns 409, and keeps them", function* () {
    const { account, key, project } = yield* customer
    const { id } = yield* experiment(account, project, "completed")
    const changed = yield* send("PATCH", `${growth}/${project}`, { body: { domain: "a.example" }, key })
    const removed = yield* send("DELETE", `${growth}/${project}`, { key })
    expect([changed.status, removed.status, removed.body.error.code]).toEqual([409, 409, "conflict"])
    expect((yield* send("DELETE", `${path}/${id}`, { key })).status).toBe(204)
    expect((yield* send("DELETE", `${growth}/${project}`, { key })).status).toBe(204)
  })

  it("is not deleted with an experiment that begins at the same moment", function* () {
    const { key, project } = yield* customer
    const begin = send("POST", path, { body: { name: "Titles", project_id: project }, key })
    const [removed, ...begun] = yield* Effect.all(
      [send("DELETE", `${growth}/${project}`, { key }), begin, begin, begin],
      { concurrency: "unbounded" }
    )
    const made = begun.filter(({ status }) => status === 201)
    expect(removed.status).toBe(made.length === 0 ? 204 : 409)
    for (const { body } of made) expect((yield* send("GET", `${path}/${body.data.id}`, { key })).status).toBe(200)
  })
})

describe("growth projects", () => {
  it("are created from a domain or any URL on it, read, and listed from the oldest on", function* () {
    const { key, project } = yield* customer
    const made = yield* send("POST", growth, { body: { domain: "https://WWW.Example.org:8080/a" }, key })
    expect(made.status).toBe(201)
    expect(made.headers.get("location")).toEndWith(`${growth}/${made.body.data.id}`)
    expect(made.body.data).toEqual({
      created_at: expect.any(String),
      domain: "example.org",
      id: expect.stringMatching(/^[0-9a-f-]{36}$/)
    })
    const read = yield* send("GET", `${growth}/${made.body.data.id}`, { key })
    expect([read.status, read.body]).toEqual([200, { data: made.body.data }])
    const listed = yield* send("GET", growth, { key })
    expect(listed.body.data.map(({ id }: { id: string }) => id)).toEqual([project, made.body.data.id])
    expect(listed.body.data[1]).toEqual(made.body.data)
  })

  it("lead from a site to its experiments through the API alone", function* () {
    const { account, key } = yield* customer
    const site = yield* projectOf(account)
    const target = (yield* send("POST", growth, { body: { domain: site.url }, key })).body.data
    const body = { name: "Titles", project_id: target.id }
    const experiment = (yield* send("POST", "/api/v1/experiments", { body, key })).body.data
    const found = yield* send("GET", `/api/v1/experiments?site_id=${site.id}`, { key })
    expect(found.body.data).toEqual([experiment])
  })

  it("are read in pages", function* () {
    const { key } = yield* customer
    for (const domain of ["a.example", "b.example"]) yield* send("POST", growth, { body: { domain }, key })
    const first = yield* send("GET", `${growth}?limit=2`, { key })
    const rest = yield* send("GET", `${growth}?limit=2&cursor=${encodeURIComponent(first.body.meta.next_cursor)}`, {
      key
    })
    expect([...first.body.data, ...rest.body.data].map(({ domain }) => domain)).toEqual([
      "example.com",
      "a.example",
      "b.example"
    ])
  })

  for (const domain of [undefined, 7, "", "ftp://a.example", "https://a:b@c.example", "a b"]) {
    it(`are refused for the domain ${JSON.stringify(domain)}`, function* () {
      const { key } = yield* customer
      const { body, status } = yield* send("POST", growth, { body: { domain }, key })
      expect([status, body.error.code, body.error.details[0].path]).toEqual([422, "validation_error", "domain"])
    })
  }

  it("are not found if they are another account's, unknown or no UUID, and are refused without the scope", function* () {
    const { account, key } = yield* customer
    const other = yield* customer
    for (const id of [other.project, unknown, "7"]) {
      expect((yield* send("GET", `${growth}/${id}`, { key })).status).toBe(404)
    }
    const narrow = yield* keyWith(account, ["projects:read"])
    for (const method of ["GET", "POST"] as const) {
      expect((yield* send(method, growth, { key: narrow, ...(method === "GET" ? {} : { body: {} }) })).status).toBe(403)
    }
  })
})
