import { describe, expect } from "bun:test"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import { engines } from "../../../src/features/visibility/Domain.ts"
import { EngineClient } from "../../../src/features/visibility/engines/Client.ts"
import * as Worker from "../../../src/features/visibility/Worker.ts"
import { suite } from "../../harness.ts"
import * as Server from "../../server.ts"
import { eventually, until } from "../../waiting.ts"
import { asking, charged, configured, daily, layer, left, most, nodes } from "./asking.ts"
import { answer, keys, quotaError, refusal } from "./engines.ts"

const it = suite(layer)

/** Makes the current locks expire each time it runs: workers renew them, and a server that has just started waits for that. */
const losing = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ lease: string }>`SELECT lease FROM visibility_runs WHERE lease IS NOT NULL`
  const leases = rows.map(({ lease }) => lease)
  return sql`UPDATE visibility_runs SET leased_until = clock_timestamp() - interval '1 second' WHERE lease = ANY (${leases}::uuid[])`
})

const problem =
  (status: number, body: object, headers: Record<string, string> = {}) =>
  () =>
    Response.json(body, { headers, status })

describe("a run", () => {
  it("asks every engine every prompt `repeats` times, and records the price", function* () {
    yield* left(daily)
    const { asked, ended, fake, host, start, word } = yield* asking(2)
    fake.replies.set(word, ({ engine }) =>
      Response.json(answer(engine, { text: "One", urls: [`https://${host}/shoes?utm_source=openai`] }))
    )
    const started = yield* start({ engines, repeats: 2 })
    expect([started.status, started.body.data]).toEqual([
      202,
      {
        answered: 0,
        cost_usd: 0,
        created_at: expect.any(String),
        engines: [...engines],
        errors: 0,
        finished_at: null,
        id: expect.any(String),
        planned: 16,
        reason: null,
        repeats: 2,
        status: "queued"
      }
    ])
    yield* nodes(1)
    const run = yield* ended(started.body.data.id)
    expect(run).toMatchObject({ answered: 16, errors: 0, planned: 16, reason: null, status: "completed" })
    expect(asked().length).toBe(16)
    const { budget, calls } = yield* charged
    expect(run.cost_usd).toBeCloseTo(calls, 9)
    expect(budget).toBeCloseTo(calls, 9)
    // OpenAI and xAI at a tenth of a dollar per search, Perplexity by its own figures.
    expect(run.cost_usd).toBeGreaterThan(0.8)
    expect(run.cost_usd).toBeLessThan(2)
  })

  it("with dry_run is an estimate: calls, a price range and the rest of the day's budget", function* () {
    yield* left(7.5)
    const { asked, send, start } = yield* asking(3)
    const { body, status } = yield* start({ dry_run: true, engines: ["openai", "xai"], repeats: 4 })
    expect([status, body.data]).toEqual([
      200,
      { budget_left_usd: 7.5, calls: 24, price: { high_usd: 24, low_usd: 2.4 } }
    ])
    const sql = yield* SqlClient.SqlClient
    expect(yield* sql`SELECT id FROM visibility_runs`).toEqual([])
    expect(asked()).toEqual([])
    expect((yield* send("DELETE", "prompts")).status).toBe(204)
    expect((yield* start({ dry_run: true, engines: ["openai"] })).body.data.calls).toBe(0)
  })

  const wrong: ReadonlyArray<readonly [what: string, body: object, field: string]> = [
    ["no engines", {}, "engines"],
    ["an empty list of engines", { engines: [] }, "engines"],
    ["an unknown engine", { engines: ["gemini"] }, "engines.0"],
    ["an engine twice", { engines: ["xai", "xai"] }, "engines"],
    ["no repeat", { engines: ["xai"], repeats: 0 }, "repeats"],
    ["11 repeats", { engines: ["xai"], repeats: 11 }, "repeats"],
    ["half a repeat", { engines: ["xai"], repeats: 1.5 }, "repeats"],
    ["an unknown field", { budget: 3, engines: ["xai"] }, "budget"]
  ]
  it("is refused for invalid requests", function* () {
    const { start } = yield* asking(1)
    for (const [what, body, field] of wrong) {
      const { body: refusal, status } = yield* start(body)
      expect([what, status, refusal.error?.details?.[0]?.path]).toEqual([what, 422, field])
    }
  })

  it("is the only one of its site at a time, needs prompts, and is started once with an Idempotency-Key", function* () {
    const { send, start } = yield* asking(1)
    const key = { "idempotency-key": "ask-engines-1" }
    const first = yield* start({ engines: ["xai"], repeats: 1 }, key)
    const again = yield* start({ engines: ["xai"], repeats: 1 }, key)
    expect([first.status, again.status, again.body.data.id]).toEqual([202, 200, first.body.data.id])
    expect((yield* start({ engines: ["xai"] })).body.error.code).toBe("conflict")
    const other = yield* asking(0)
    expect((yield* other.start({ engines: ["xai"] })).body.error.code).toBe("conflict")
    const many = yield* asking(1)
    const started = yield* Effect.replicateEffect(many.start({ engines: ["xai"], repeats: 1 }), 12, {
      concurrency: "unbounded"
    })
    expect(started.map(({ status }) => status).sort()).toEqual([202, ...Array.from({ length: 11 }, () => 409)])
    const stranger = yield* Server.send("GET", `${other.path}/geo/runs/${first.body.data.id}`, { key: other.key })
    expect(stranger.status).toBe(404)
    expect((yield* send("GET", "runs/nonsense")).status).toBe(404)
  })
})

describe("the budget of a day", () => {
  it("is never exceeded, by any number of servers and sites, and runs end partial at it", function* () {
    yield* left(6.5)
    const before = daily - 6.5
    const some = yield* Effect.forEach([1, 2, 3], () => asking(6))
    const highest = { usd: 0 }
    const sql = yield* SqlClient.SqlClient
    const watch = sql<{ usd: number }>`SELECT charged_usd::float8 AS usd FROM visibility_budgets`.pipe(
      Effect.tap(([row]) => Effect.sync(() => (highest.usd = Math.max(highest.usd, row?.usd ?? 0))))
    )
    const started = yield* Effect.forEach(some, ({ start }) => start({ engines: ["openai", "anthropic"], repeats: 5 }))
    yield* nodes(3)
    yield* Effect.fork(Effect.forever(Effect.delay(watch, "5 millis")))
    const ends = yield* Effect.forEach(some, ({ ended }, at) => ended(started[at]?.body.data.id))
    expect(ends.map(({ reason, status }) => [status, reason])).toEqual(ends.map(() => ["partial", "budget"]))
    const { budget, calls } = yield* charged
    expect(budget).toBeLessThanOrEqual(daily)
    expect(highest.usd).toBeLessThanOrEqual(daily)
    expect(budget - before).toBeCloseTo(calls, 9)
    // The rest does not pay for one more.
    expect(budget).toBeGreaterThan(daily - most)
    const asked = some.reduce((sum, { asked }) => sum + asked().length, 0)
    expect(asked).toBe(ends.reduce((sum, { answered, errors }) => sum + answered + errors, 0))
  })

  it("is never exceeded when the locks of several workers expire together, and no question is asked twice", function* () {
    yield* left(30.5)
    const sql = yield* SqlClient.SqlClient
    const some = yield* Effect.forEach([1, 2, 3], () => asking(12))
    const gate = Promise.withResolvers<void>()
    for (const { fake, word } of some)
      fake.replies.set(word, async ({ engine }) => {
        await gate.promise
        return Response.json(answer(engine, { text: "One" }))
      })
    const started = yield* Effect.forEach(some, ({ start }) => start({ engines: ["openai", "xai"], repeats: 1 }))
    yield* nodes(3)
    const asked = () => some.flatMap(({ asked }) => asked())
    yield* eventually(() => asked().length === 24)
    const lose = yield* losing
    const interrupted = sql<{ calls: number }>`
    SELECT count(*)::int AS calls FROM visibility_calls WHERE error ->> 'code' = 'interrupted' AND cost_usd = ${most}`
    yield* until(Effect.zipRight(lose, interrupted), ([row]) => row?.calls === 24, "100 millis")
    // The budget is enough for six concurrent questions.
    yield* eventually(() => asked().length === 30)
    gate.resolve()
    const ends = yield* Effect.forEach(some, ({ ended }, at) => ended(started[at]?.body.data.id))
    expect(ends.map(({ answered, errors }) => [answered, errors])).toEqual(ends.map(() => [16, 8]))
    const questions = asked().map(({ engine, prompt }) => `${engine} ${prompt}`)
    expect([questions.length, new Set(questions).size]).toEqual([72, 72])
    const { budget, calls } = yield* charged
    expect(budget).toBeLessThanOrEqual(daily)
    expect(budget - (daily - 30.5)).toBeCloseTo(calls, 9)
    expect(calls).toBeCloseTo(24 * most + 4.8, 9)
  })

  it("keeps the charge of a question in flight when its server stopped, and the question is not asked again", function* () {
    yield* left(daily)
    const { asked, ended, fake, run: read, start, texts } = yield* asking(3)
    const held: Array<() => void> = []
    fake.first.set(texts[1] ?? "", [
      ({ engine }) =>
        new Promise((resolve) => held.push(() => resolve(Response.json(answer(engine, { text: "late" })))))
    ])
    const { body } = yield* start({ engines: ["openai"], repeats: 1 })
    const scope = yield* Scope.make()
    yield* Scope.extend(nodes(1), scope)
    yield* eventually(() => held.length === 1)
    yield* until(read(body.data.id), ({ answered }) => answered === 2, "100 millis")
    yield* Scope.close(scope, Exit.void)
    for (const release of held) release()
    yield* nodes(1)
    const run = yield* ended(body.data.id)
    expect(run).toMatchObject({ answered: 2, errors: 1, reason: null, status: "completed" })
    expect(asked().filter(({ prompt }) => prompt === texts[1]).length).toBe(1)
    const sql = yield* SqlClient.SqlClient
    expect(
      yield* sql`SELECT outcome, error ->> 'code' AS code, cost_usd::float8 AS usd, cost_exact FROM visibility_calls
        WHERE run_id = ${body.data.id} AND prompt = ${texts[1] ?? ""}`
    ).toEqual([{ code: "interrupted", cost_exact: false, outcome: "error", usd: most }])
    const { budget, calls } = yield* charged
    expect(budget).toBeCloseTo(calls, 9)
  })
})

describe("a run whose worker is gone", () => {
  it("is taken over when the lock expires during a hanging call, whose late answer changes nothing", function* () {
    yield* left(daily)
    const sql = yield* SqlClient.SqlClient
    const { asked, ended, fake, run: read, start, texts } = yield* asking(3)
    const held: Array<() => void> = []
    fake.first.set(texts[0] ?? "", [
      ({ engine }) =>
        new Promise((resolve) => held.push(() => resolve(Response.json(answer(engine, { text: "late" })))))
    ])
    const { body } = yield* start({ engines: ["openai"], repeats: 1 })
    yield* nodes(2)
    yield* eventually(() => held.length === 1)
    yield* until(read(body.data.id), ({ answered }) => answered === 2, "100 millis")
    const lose = yield* losing
    const taken = sql`SELECT id FROM visibility_calls WHERE run_id = ${body.data.id} AND error ->> 'code' = 'interrupted'`
    yield* until(Effect.zipRight(lose, taken), ({ length }) => length === 1, "100 millis")
    const run = yield* ended(body.data.id)
    expect(run).toMatchObject({ answered: 2, errors: 1, status: "completed" })
    for (const release of held) release()
    yield* eventually(() => asked().length === 3)
    expect(
      yield* sql`SELECT error ->> 'code' AS code, answer, cost_usd::float8 AS usd FROM visibility_calls
        WHERE run_id = ${body.data.id} AND prompt = ${texts[0] ?? ""}`
    ).toEqual([{ answer: null, code: "interrupted", usd: most }])
    const { budget, calls } = yield* charged
    expect(budget).toBeCloseTo(calls, 9)
  })

  it("asks nothing more after its site was deleted, and questions in flight stay charged", function* () {
    yield* left(daily)
    const sql = yield* SqlClient.SqlClient
    const { asked, fake, key, path, project, send, start, word } = yield* asking(12)
    const held: Array<() => void> = []
    fake.replies.set(
      word,
      ({ engine }) => new Promise((resolve) => held.push(() => resolve(Response.json(answer(engine, { text: "x" })))))
    )
    yield* start({ engines: ["openai"], repeats: 1 })
    yield* nodes(1)
    yield* eventually(() => held.length === 8)
    expect((yield* Server.send("DELETE", path, { key })).status).toBe(204)
    expect((yield* send("GET", "runs")).status).toBe(404)
    for (const release of held) release()
    const removed = sql<{ more: boolean }>`SELECT remove_project(${project}, 5) AS more`
    yield* until(removed, ([row]) => row?.more === false)
    expect(yield* sql`SELECT id FROM visibility_calls WHERE project_id = ${project}`).toEqual([])
    expect(yield* sql`SELECT id FROM projects WHERE id = ${project}`).toEqual([])
    expect(asked().length).toBe(8)
    expect((yield* charged).budget).toBeCloseTo(8 * most, 9)
  })
})

describe("an engine that fails", () => {
  it("is asked again if the failure is temporary, and work it may have done is charged", function* () {
    yield* left(daily)
    const { asked, ended, fake, start, texts } = yield* asking(4)
    const [busy = "", broken = "", refused = "", paused = ""] = texts
    fake.first.set(busy, [problem(429, { error: { type: "rate_limit_error" } }, { "retry-after": "1" })])
    fake.first.set(broken, [problem(500, {}), problem(503, {}), problem(529, {})])
    fake.first.set(refused, [problem(400, { error: { message: "sk-ant-findable-test-5f1c is wrong" } })])
    const pause = () => Response.json({ ...answer("anthropic", { text: "So far" }), stop_reason: "pause_turn" })
    fake.first.set(paused, [pause])
    const { body } = yield* start({ engines: ["anthropic"], repeats: 1 })
    yield* nodes(1)
    const run = yield* ended(body.data.id)
    expect(run).toMatchObject({ answered: 2, errors: 2, status: "completed" })
    const times = (text: string) => asked().filter(({ prompt }) => prompt === text).length
    expect(texts.map(times)).toEqual([2, 3, 1, 2])
    const sql = yield* SqlClient.SqlClient
    const rows = yield* sql<{ code: string | null; usd: number }>`
      SELECT error ->> 'code' AS code, cost_usd::float8 AS usd FROM visibility_calls WHERE run_id = ${body.data.id} ORDER BY number`
    expect(rows.map(({ code }) => code)).toEqual([null, "unavailable", "invalid_request", null])
    expect(rows[1]?.usd).toBeCloseTo(3 * most, 9)
    expect(rows[2]?.usd).toBe(0)
    // Both halves of a paused answer are charged.
    expect(rows[3]?.usd).toBeCloseTo(2 * (rows[0]?.usd ?? 0), 9)
    const { budget, calls } = yield* charged
    expect(budget).toBeCloseTo(calls, 9)
  })

  it("is not asked further without quota, and other engines continue", function* () {
    yield* left(daily)
    const { asked, ended, fake, start, word } = yield* asking(12)
    const quota = quotaError()
    fake.replies.set(word, ({ engine }) =>
      engine === "openai" ? problem(429, quota)() : Response.json(answer(engine, { text: "One" }))
    )
    const { body } = yield* start({ engines: ["openai", "xai"], repeats: 2 })
    yield* nodes(1)
    const run = yield* ended(body.data.id)
    expect(run).toMatchObject({ answered: 24, reason: "quota", status: "partial" })
    expect(asked().filter(({ engine }) => engine === "openai").length).toBeLessThanOrEqual(8)
    const alone = yield* asking(3)
    fake.replies.set(alone.word, problem(429, quota))
    const second = yield* alone.start({ engines: ["openai"], repeats: 1 })
    expect(yield* alone.ended(second.body.data.id)).toMatchObject({
      answered: 0,
      cost_usd: 0,
      reason: "quota",
      status: "failed"
    })
  })

  it("is asked again only within three minutes, and as far as the budget covers each attempt", function* () {
    yield* left(daily)
    const { asked, ended, fake, start, texts, word } = yield* asking(3)
    const [busy = "", slow = "", silent = ""] = texts
    fake.first.set(busy, [problem(429, {}, { "retry-after": "3600" })])
    fake.first.set(slow, [problem(408, {}, { "retry-after": "0" })])
    const { usage: _, ...unpriced } = answer("openai", { text: "One" })
    fake.replies.set(silent, () => Response.json(unpriced))
    fake.replies.set(word, ({ engine }) => Response.json(answer(engine, { text: "One" })))
    const { body } = yield* start({ engines: ["openai"], repeats: 1 })
    yield* nodes(1)
    yield* ended(body.data.id)
    const times = (text: string) => asked().filter(({ prompt }) => prompt === text).length
    expect(texts.map(times)).toEqual([1, 2, 1])
    const sql = yield* SqlClient.SqlClient
    expect(
      yield* sql`SELECT error ->> 'code' AS code, cost_usd::float8 AS usd, cost_exact AS exact FROM visibility_calls
        WHERE run_id = ${body.data.id} ORDER BY number`
    ).toEqual([
      { code: "rate_limited", exact: false, usd: 0 },
      // The attempt without an answer at its upper price, the other by its one search.
      { code: null, exact: false, usd: expect.closeTo(most + 0.1, 9) },
      { code: null, exact: false, usd: most }
    ])
    // There is no money for a second attempt of the only question.
    yield* left(most)
    const poor = yield* asking(1)
    fake.replies.set(poor.word, problem(500, {}))
    const last = yield* poor.start({ engines: ["openai"], repeats: 1 })
    expect(yield* poor.ended(last.body.data.id)).toMatchObject({ answered: 0, cost_usd: most, errors: 1 })
    expect(poor.asked().length).toBe(1)
  })

  it("has answered once if it refuses to answer, or if its search fails with status 200", function* () {
    yield* left(daily)
    const { asked, ended, fake, send, start, texts } = yield* asking(3)
    const [refused = "", failed = ""] = texts
    fake.replies.set(refused, () => Response.json(refusal()))
    const unsearched = {
      content: { error_code: "too_many_requests", type: "web_search_tool_result_error" },
      type: "web_search_tool_result"
    }
    fake.replies.set(failed, ({ engine }) => {
      const body = answer(engine, { searched: false, text: "From memory." })
      return Response.json({ ...body, content: [unsearched, ...body.content] })
    })
    const { body } = yield* start({ engines: ["anthropic"], repeats: 1 })
    yield* nodes(1)
    expect(yield* ended(body.data.id)).toMatchObject({ answered: 2, errors: 1, status: "completed" })
    expect(asked().length).toBe(3)
    const answers = (yield* send("GET", `answers?run_id=${body.data.id}`)).body.data
    expect(answers.map(({ outcome }: { outcome: string }) => outcome).sort()).toEqual(["absent", "error", "refused"])
    const error = answers.find(({ outcome }: { outcome: string }) => outcome === "error")
    expect(error.error).toEqual({ code: "search_failed", message: expect.stringContaining("too_many_requests") })
    expect((yield* send("GET", "visibility")).body.data).toMatchObject([{ answers: 1, errors: 1 }])
  })

  it("is not asked further if it rejects the key, as Perplexity does without credit", function* () {
    yield* left(daily)
    const { asked, ended, fake, start, word } = yield* asking(12)
    fake.replies.set(word, ({ engine }) =>
      engine === "perplexity"
        ? problem(401, { error: { message: "no credit" } })()
        : Response.json(answer(engine, { text: "One" }))
    )
    const { body } = yield* start({ engines: ["perplexity", "xai"], repeats: 1 })
    yield* nodes(1)
    expect(yield* ended(body.data.id)).toMatchObject({ answered: 12, reason: "credentials", status: "partial" })
    expect(asked().filter(({ engine }) => engine === "perplexity").length).toBeLessThanOrEqual(8)
  })

  it("is not asked further after several consecutive failures", function* () {
    yield* left(daily)
    const { asked, ended, fake, start, word } = yield* asking(20)
    fake.replies.set(word, () => new Response("{"))
    const { body } = yield* start({ engines: ["perplexity"], repeats: 2 })
    yield* nodes(1)
    expect(yield* ended(body.data.id)).toMatchObject({ answered: 0, reason: "unavailable", status: "failed" })
    expect(asked().length).toBeLessThan(20)
  })
})

describe("a doubtful usage", () => {
  const told = (usage: string) => (asked: { readonly engine: (typeof engines)[number] }) => {
    const body = JSON.stringify({ ...answer(asked.engine, { text: "One" }), usage: "told" })
    return new Response(body.replace('"told"', usage))
  }
  const boundless = '{"input_tokens":1e308,"output_tokens":1e999,"cost":{"total_cost":1e999},"cost_in_usd_ticks":1e308}'
  const negative = '{"input_tokens":-5,"output_tokens":-5,"cost":{"total_cost":-5},"cost_in_usd_ticks":-5}'
  // Fifty searches, or 1.01 dollars, exceed the upper price.
  const dear =
    '{"input_tokens":1,"output_tokens":1,"server_tool_use":{"web_search_requests":50},"cost":{"total_cost":1.01},"cost_in_usd_ticks":10100000000}'

  it("is charged at the upper price, and neither other questions nor other accounts pay for it", function* () {
    yield* left(daily)
    const { asked, ended, fake, send, start, texts } = yield* asking(4)
    const other = yield* asking(1)
    const [first = "", second = "", third = ""] = texts
    fake.replies.set(first, told(boundless))
    fake.replies.set(second, told(negative))
    fake.replies.set(third, told(dear))
    const { body } = yield* start({ engines: ["anthropic", "perplexity", "xai"], repeats: 1 })
    yield* nodes(1)
    expect(yield* ended(body.data.id)).toMatchObject({ answered: 12, errors: 0, reason: null, status: "completed" })
    expect(asked().length).toBe(12)
    const sql = yield* SqlClient.SqlClient
    const costs = sql`SELECT prompt, count(*)::int AS calls FROM visibility_calls
      WHERE run_id = ${body.data.id} AND cost_usd = ${most} AND NOT cost_exact GROUP BY prompt ORDER BY prompt`
    expect(yield* costs).toEqual([first, second, third].map((prompt) => ({ calls: 3, prompt })))
    const { data } = (yield* send("GET", `answers?run_id=${body.data.id}`)).body
    expect(data.filter(({ text }: { text: string }) => text === "One").length).toBe(9)
    const { budget, calls } = yield* charged
    expect(budget).toBeCloseTo(calls, 9)
    const later = yield* other.start({ engines: ["openai"], repeats: 1 })
    expect(yield* other.ended(later.body.data.id)).toMatchObject({ answered: 1, status: "completed" })
  })

  it("cannot be stored: infinity and NaN are neither a cost nor a charge", function* () {
    yield* left(daily)
    const sql = yield* SqlClient.SqlClient
    const { start } = yield* asking(1)
    yield* start({ engines: ["xai"], repeats: 1 })
    for (const figure of ["Infinity", "NaN", "-1"]) {
      const writes = [
        sql`UPDATE visibility_calls SET cost_usd = ${figure}::numeric`,
        sql`UPDATE visibility_calls SET reserved_usd = ${figure}::numeric`,
        sql`UPDATE visibility_budgets SET charged_usd = ${figure}::numeric`
      ]
      for (const write of writes) expect([figure, Exit.isFailure(yield* Effect.exit(write))]).toEqual([figure, true])
    }
  })

  it("fails only the question whose answer breaks the program", function* () {
    yield* left(daily)
    const { ended, start } = yield* asking(2)
    const { ask } = yield* EngineClient
    const breaking = EngineClient.of({
      ask: (request) => (request.engine === "xai" ? Effect.die(new RangeError("too deep")) : ask(request))
    })
    const settings = Layer.merge(yield* configured, Layer.succeed(EngineClient, breaking))
    const { body } = yield* start({ engines: ["openai", "xai"], repeats: 1 })
    yield* Layer.build(Layer.provide(Layer.fresh(Worker.layerNoDeps), settings))
    expect(yield* ended(body.data.id)).toMatchObject({ answered: 2, errors: 2, reason: null, status: "completed" })
    const { budget, calls } = yield* charged
    expect([budget, calls]).toEqual([2 * most + 0.2, 2 * most + 0.2])
  })
})

/** The responses of a server with these settings to a dry run and to a run. */
const refused = (engine: string) =>
  Effect.gen(function* () {
    const { account, key } = yield* Server.customer()
    const { id } = yield* Server.projectOf(account)
    const path = `/api/v1/projects/${id}/geo`
    yield* Server.send("POST", `${path}/prompts`, { body: { text: "Who mends shoes?" }, key })
    const dry = yield* Server.send("POST", `${path}/runs`, { body: { dry_run: true, engines: [engine] }, key })
    const { body, status } = yield* Server.send("POST", `${path}/runs`, { body: { engines: [engine] }, key })
    return { body, dry, status }
  })

const behaviours: ReadonlyArray<
  readonly [name: string, settings: Record<string, string>, engine: string, setting: string]
> = [
  ["without a key", { FINDABLE_GEO_DAILY_USD: "5" }, "perplexity", "FINDABLE_PERPLEXITY_KEY"],
  ["without a budget", { FINDABLE_XAI_KEY: keys.xai }, "xai", "FINDABLE_GEO_DAILY_USD"]
]

for (const [name, settings, engine, setting] of behaviours) {
  const layer: Layer.Layer<Layer.Layer.Success<typeof Server.layer>, unknown> = Server.layerWith(settings)
  const it = suite(layer)
  it(`${name} an engine is not asked, and the error names the setting; a dry run succeeds`, function* () {
    const { body, dry, status } = yield* refused(engine)
    expect([status, body.error.code]).toEqual([409, "not_configured"])
    expect(body.error.message).toContain(setting)
    expect([dry.status, dry.body.data.calls]).toEqual([200, 5])
  })
}

const unpriced = suite(Server.layerWith({ FINDABLE_OPENAI_KEY: keys.openai, FINDABLE_OPENAI_MODEL: "gpt-12" }))

unpriced("a model without a price is refused, also by a dry run", function* () {
  const { body, dry, status } = yield* refused("openai")
  for (const answer of [{ body, status }, dry])
    expect([answer.status, answer.body.error.details]).toEqual([
      422,
      [{ message: expect.stringContaining("FINDABLE_GEO_PRICES"), path: "engines.0" }]
    ])
})
