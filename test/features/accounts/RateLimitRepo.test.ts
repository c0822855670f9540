import { describe, expect } from "bun:test"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as fc from "fast-check"
import { Accounts } from "../../../src/features/accounts/Accounts.ts"
import * as ApiKeys from "../../../src/features/accounts/ApiKeys.ts"
import { RateLimitRepo } from "../../../src/features/accounts/Authorize.ts"
import type { Plan } from "../../../src/features/accounts/Domain.ts"
import * as cluster from "../../cluster.ts"
import { suite } from "../../harness.ts"
import { often } from "../../often.ts"
import { until } from "../../waiting.ts"

const it = suite(Layer.mergeAll(Accounts.Default, RateLimitRepo.Default).pipe(Layer.provideMerge(cluster.layer)))

const limits: Readonly<Record<Plan, readonly [perMinute: number, perSecond: number]>> = {
  agency_team: [600, 50],
  free: [60, 10],
  growth_pro: [120, 20],
  starter: [60, 10]
}

const newKey = (plan: Plan) =>
  Effect.gen(function* () {
    const accounts = yield* Accounts
    const account = yield* accounts.create("a", plan)
    const { id, key } = yield* accounts.createKey(account.id, ["projects:read"], "test")
    return { hash: ApiKeys.hash(key), id }
  })

const pass = (hash: Uint8Array) =>
  Effect.flatMap(RateLimitRepo, (repo) => Effect.map(repo.pass(hash, "owner"), Option.getOrThrow))

/** Lets time pass for one key: moves all its records in the limits into the past. */
const wait = (id: string, milliseconds: number) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql`
      UPDATE api_key_passes SET passes = ARRAY(SELECT at - ${milliseconds} * interval '1 millisecond' FROM unnest(passes) AS at ORDER BY at)
      WHERE key_id = ${id}`
  )

describe("the rate limits of a key", () => {
  for (const plan of ["free", "starter", "growth_pro", "agency_team"] as const) {
    const [perMinute, perSecond] = limits[plan]
    it(`are ${perMinute} a minute and ${perSecond} a second on plan ${plan}`, function* () {
      const { hash, id } = yield* newKey(plan)
      for (let passed = 0; passed < perMinute; passed++) {
        if (passed % perSecond === 0) yield* wait(id, passed === 0 ? 0 : 1000)
        const { limit, remaining, waitSeconds } = yield* pass(hash)
        expect({ limit, remaining, waitSeconds }).toEqual({
          limit: perMinute,
          remaining: perMinute - passed - 1,
          waitSeconds: null
        })
      }
      yield* wait(id, 1000)
      const refused = yield* pass(hash)
      expect(refused.limit).toBe(perMinute)
      expect(refused.remaining).toBe(0)
      expect(refused.waitSeconds).toBeGreaterThanOrEqual(1)
    })
  }

  it("report the limit per second when this limit refuses", function* () {
    const { hash } = yield* newKey("free")
    yield* Effect.replicateEffect(pass(hash), 10)
    const { limit, remaining, resetSeconds, waitSeconds } = yield* pass(hash)
    expect({ limit, remaining, resetSeconds, waitSeconds }).toEqual({
      limit: 10,
      remaining: 0,
      resetSeconds: 1,
      waitSeconds: 1
    })
  })

  it("do not count refused requests", function* () {
    const { hash, id } = yield* newKey("free")
    yield* Effect.replicateEffect(pass(hash), 50)
    yield* wait(id, 1000)
    expect((yield* pass(hash)).remaining).toBe(49)
  })

  it("hold for concurrent requests", function* () {
    const { hash } = yield* newKey("agency_team")
    const passes = yield* Effect.all(
      Array.from({ length: 200 }, () => pass(hash)),
      { concurrency: "unbounded" }
    )
    expect(passes.filter(({ waitSeconds }) => waitSeconds === null)).toHaveLength(50)
  })

  it("are separate for each key of a batch, also when a key occurs often", function* () {
    const keys = yield* Effect.all([newKey("free"), newKey("agency_team"), newKey("starter")])
    const unknown = new Uint8Array(32)
    const asked = Array.from({ length: 60 }, (_, n) => keys[n % 3]?.hash ?? unknown)
    const { pass } = yield* RateLimitRepo
    const answers = yield* Effect.forEach([...asked, unknown], (hash, n) => pass(hash, `${n}`), {
      concurrency: "unbounded"
    })
    expect(Option.isNone(answers.pop() ?? Option.none())).toBe(true)
    const ofKeys = Map.groupBy(answers.map(Option.getOrThrow), ({ keyId }) => keyId)
    expect(keys.map(({ id }) => ofKeys.get(id)?.map(({ remaining }) => remaining))).toEqual([
      [...Array.from({ length: 10 }, (_, n) => 59 - n), ...Array.from({ length: 10 }, () => 0)],
      Array.from({ length: 20 }, (_, n) => 599 - n),
      [...Array.from({ length: 10 }, (_, n) => 59 - n), ...Array.from({ length: 10 }, () => 0)]
    ])
  })

  it("are checked within a second for other keys while the check of one key is blocked", function* () {
    const sql = yield* SqlClient.SqlClient
    const [held, other] = yield* Effect.all([newKey("free"), newKey("free")])
    yield* Effect.all([pass(held.hash), pass(other.hash)])
    const late = yield* sql.withTransaction(
      Effect.gen(function* () {
        yield* sql`SELECT FROM api_key_passes WHERE key_id = ${held.id} FOR UPDATE`
        const late = yield* Effect.fork(pass(held.hash))
        yield* until(
          sql`SELECT FROM pg_locks WHERE NOT granted AND pg_backend_pid() = ANY(pg_blocking_pids(pid))`,
          (rows) => rows.length > 0
        )
        expect((yield* pass(other.hash)).remaining).toBe(58)
        return late
      })
    )
    expect((yield* late).remaining).toBe(58)
  })

  it("allow a request after exactly the announced wait, and never more than the limit in any window", () =>
    Effect.promise(() =>
      fc.assert(
        fc.asyncProperty(fc.array(fc.integer({ max: 1500, min: 0 }), { maxLength: 120, minLength: 80 }), (pauses) =>
          it.runtime.runPromise(
            Effect.gen(function* () {
              const { hash, id } = yield* newKey("free")
              const admitted: Array<number> = []
              let now = 0
              const advance = (milliseconds: number) => {
                now += milliseconds
                return wait(id, milliseconds)
              }
              for (const pause of pauses) {
                yield* advance(pause < 900 ? 0 : pause)
                let outcome = yield* pass(hash)
                if (outcome.waitSeconds !== null) {
                  yield* advance(outcome.waitSeconds * 1000)
                  outcome = yield* pass(hash)
                }
                expect(outcome.waitSeconds).toBeNull()
                admitted.push(now)
              }
              for (const [at, time] of admitted.entries()) {
                const within = (window: number) =>
                  admitted.slice(0, at + 1).filter((earlier) => earlier > time - window)
                expect(within(59_000).length).toBeLessThanOrEqual(60)
                expect(within(900).length).toBeLessThanOrEqual(10)
              }
            })
          )
        ),
        { numRuns: often(2) }
      )
    ))
})

/** The rate limit check with a clock that the test sets. */
const onTestClock = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`CREATE TABLE IF NOT EXISTS test_clock (at timestamptz NOT NULL)`
  const [row] = yield* sql<{
    definition: string
  }>`SELECT pg_get_functiondef('check_rate_limits'::regproc) AS definition`
  yield* sql.unsafe(
    (row?.definition ?? "")
      .replace("public.check_rate_limits(", "public.check_on_test_clock(")
      .replaceAll("clock_timestamp()", "(SELECT at FROM test_clock)")
  )
})

const checked = (hash: Uint8Array, wanted = 1) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.map(
      sql.unsafe<Record<string, unknown>>(
        "SELECT let_in, window_limit, remaining, reset_seconds, wait_limit, wait_seconds FROM check_on_test_clock($1)",
        [Array.from({ length: wanted }, () => hash)]
      ),
      ([row]) => row
    )
  )

/** The windows of a key, as a list of all accepted requests; times in milliseconds. */
const modelOf = ([perMinute, perSecond]: readonly [perMinute: number, perSecond: number]) => {
  const passed: Array<number> = []
  /** Seconds until the request `n` before the next leaves the window; negative if it has left. */
  const gate = (limit: number, window: number, now: number) =>
    passed.length < limit ? 0 : (passed[passed.length - limit] ?? 0) + window - now
  return (wanted: number, now: number) => {
    const before = passed.length
    const wait = () => Math.max(gate(perMinute, 60_000, now), gate(perSecond, 1000, now))
    while (passed.length - before < wanted && wait() <= 0) passed.push(now)
    const letIn = passed.length - before
    const inside = passed.filter((at) => at > now - 60_000)
    return {
      let_in: letIn,
      remaining: perMinute - inside.length,
      reset_seconds: Math.max(1, Math.ceil(((inside[0] ?? 0) + 60_000 - now) / 1000)),
      wait_limit: letIn === wanted ? null : gate(perMinute, 60_000, now) > 0 ? perMinute : perSecond,
      wait_seconds: letIn === wanted ? null : Math.ceil(wait() / 1000)
    }
  }
}

const forth = [
  { arbitrary: fc.constant(0), weight: 10 },
  { arbitrary: fc.integer({ max: 120, min: 1 }), weight: 10 },
  { arbitrary: fc.integer({ max: 70_000, min: 121 }), weight: 1 }
]
const back = { arbitrary: fc.integer({ max: -1, min: -90_000_000 }), weight: 1 }

/** Requests in bursts and lulls. */
const schedules = (steps: typeof forth, maxLength: number) =>
  fc.record({
    plan: fc.constantFrom("free" as const, "growth_pro" as const, "agency_team" as const),
    steps: fc.array(fc.oneof(...steps), { maxLength, minLength: 50 })
  })

/** Sets the clock of the checks. */
const setClock = (at: number) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) => sql`UPDATE test_clock SET at = to_timestamp(${at / 1000})`)

const newClock = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const at = Date.UTC(2026, 0, 1)
  yield* sql`TRUNCATE test_clock`
  yield* sql`INSERT INTO test_clock VALUES (to_timestamp(${at / 1000}))`
  return at
})

describe("the check of rate limits", () => {
  it("allows a request after the announced wait, and no more than the limit, also when the clock is set back", function* () {
    yield* onTestClock
    yield* Effect.promise(() =>
      fc.assert(
        fc.asyncProperty(schedules([...forth, back], 150), ({ plan, steps }) =>
          it.runtime.runPromise(
            Effect.gen(function* () {
              const { hash } = yield* newKey(plan)
              const [perMinute, perSecond] = limits[plan]
              const passed: Array<number> = []
              let at = yield* newClock
              // The real time since the last step: setting a clock back takes no time.
              let elapsed = 0
              const go = (milliseconds: number) => {
                at += milliseconds
                elapsed += Math.max(0, milliseconds)
                return setClock(at)
              }
              for (const step of steps) {
                yield* go(step)
                const first = yield* checked(hash)
                const wait = Number(first?.wait_seconds ?? 0) * 1000
                if (wait > 0) {
                  yield* go(wait)
                  expect(yield* checked(hash)).toMatchObject({ wait_seconds: null })
                }
                passed.push(elapsed)
                const within = (window: number) => passed.filter((earlier) => earlier > elapsed - window).length
                expect(within(60_000)).toBeLessThanOrEqual(perMinute)
                expect(within(1000)).toBeLessThanOrEqual(perSecond)
              }
            })
          )
        ),
        { numRuns: often(2) }
      )
    )
  })

  it("gives a batch the same results as a list of all requests", function* () {
    yield* onTestClock
    const batch = fc.record({
      pause: fc.oneof(fc.integer({ max: 900, min: 0 }), fc.integer({ max: 30_000, min: 0 })),
      wanted: fc.integer({ max: 60, min: 1 })
    })
    yield* Effect.promise(() =>
      fc.assert(
        fc.asyncProperty(
          fc.constantFrom("free" as const, "agency_team" as const),
          fc.array(batch, { maxLength: 40, minLength: 10 }),
          (plan, batches) =>
            it.runtime.runPromise(
              Effect.gen(function* () {
                const { hash } = yield* newKey(plan)
                const model = modelOf(limits[plan])
                let at = yield* newClock
                for (const { pause, wanted } of batches) {
                  at += pause
                  yield* setClock(at)
                  expect(yield* checked(hash, wanted)).toMatchObject(model(wanted, at))
                }
              })
            )
        ),
        { numRuns: often(2) }
      )
    )
  })
})
