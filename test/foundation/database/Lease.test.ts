import { describe, expect } from "bun:test"
import * as SqlClient from "@effect/sql/SqlClient"
import { SqlError } from "@effect/sql/SqlError"
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Metric from "effect/Metric"
import * as MetricState from "effect/MetricState"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"
import * as Lease from "../../../src/foundation/database/Lease.ts"
import { LeaseMonitor } from "../../../src/foundation/database/LeaseMonitor.ts"
import * as LeaseQueue from "../../../src/foundation/database/LeaseQueue.ts"
import { Outages } from "../../../src/foundation/database/Outages.ts"
import * as Query from "../../../src/foundation/database/Query.ts"
import { notAcquired } from "../../../src/foundation/database/SqlState.ts"
import { suite } from "../../harness.ts"
import { eventually, until } from "../../waiting.ts"
import { logged as heard, layer, whileAway } from "./away.ts"

const it = suite(
  Layer.provideMerge(
    Layer.effectDiscard(
      Effect.flatMap(SqlClient.SqlClient, (sql) =>
        Effect.zipRight(
          sql`
  CREATE TABLE queue_turns (queue text PRIMARY KEY, last uuid NOT NULL);
  CREATE TABLE queue_debts (queue text, account uuid, until timestamptz NOT NULL, PRIMARY KEY (queue, account))`,
          sql`
  CREATE TABLE jobs (id text PRIMARY KEY, account uuid NOT NULL DEFAULT '00000000-0000-0000-0000-000000000001', born timestamptz NOT NULL DEFAULT clock_timestamp(), ended text[] NOT NULL DEFAULT '{}', attempts integer NOT NULL DEFAULT 0,
    lease uuid, leased_until timestamptz)`
        )
      )
    ),
    layer
  ),
  { timeout: 60_000 }
)

const Claim = Schema.Struct({ ...LeaseQueue.Held(Schema.String).fields, attempts: Schema.Int })
type Claim = typeof Claim.Type

/** A queue with its own table, so that waiting tests can run concurrently. The names of its jobs have a common prefix. */
const jobs = (prefix: string) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const name = `jobs_${prefix}`
    const table = sql(name)
    yield* sql`CREATE TABLE ${table} (LIKE jobs INCLUDING ALL)`
    const queue = LeaseQueue.make(sql, {
      account: sql`account`,
      attemptsAtMost: 3,
      claim: Claim,
      columns: sql`attempts`,
      due: sql`ended = '{}'`,
      key: "id",
      name: prefix,
      oldest: "born",
      table: name
    })
    const finish = Query.first({
      Request: Schema.Struct({ end: Schema.String, id: Schema.String, lease: Schema.String }),
      Result: Schema.Struct({ id: Schema.String }),
      execute: ({ end, id, lease }) => sql`
        UPDATE ${table} SET ended = ended || ${end}::text, attempts = 0, lease = NULL, leased_until = NULL
        WHERE id = ${id} AND lease = ${lease} RETURNING id`
    })
    const add = (name: string, account = 1) =>
      Effect.orDie(
        sql`INSERT INTO ${table} (id, account) VALUES (${prefix + name}, lpad(${account}::text, 32, '0')::uuid)`
      )
    const rows = Effect.orDie(
      sql<{ attempts: number; ended: ReadonlyArray<string>; lease: string | null; seconds: number }>`
        SELECT attempts, ended, lease, extract(epoch FROM leased_until - clock_timestamp())::float8 AS seconds
        FROM ${table} ORDER BY born`
    )
    const ends = Effect.map(rows, (all) => all.map(({ ended }) => ended))
    /** Lets the time of a lock pass. */
    const pass = Effect.orDie(
      sql`UPDATE ${table} SET leased_until = clock_timestamp() - interval '1 second' WHERE lease IS NOT NULL`
    )
    const kind = (work: (claim: Claim) => Effect.Effect<string, Lease.LeaseLost>) => ({
      outcome: (end: string) => end,
      broken: () => "broken",
      lost: () => "lost",
      name: "job",
      queue,
      store: (claim: Claim, end: string) => Effect.asVoid(Lease.held(finish({ ...claim, end }))),
      work
    })
    return { add, ends, kind, pass, queue, rows, sql, table }
  })

/** Work that signals its start, ends on demand, and records an interruption. */
const awaited = Effect.gen(function* () {
  const begun = yield* Deferred.make<Claim>()
  const told = yield* Deferred.make<string>()
  const left = yield* Deferred.make<void>()
  const work = (claim: Claim) =>
    Deferred.succeed(begun, claim).pipe(
      Effect.zipRight(Deferred.await(told)),
      Effect.onInterrupt(() => Deferred.succeed(left, undefined))
    )
  return { begun: Deferred.await(begun), left: Deferred.await(left), tell: Deferred.succeed(told, "done"), work }
})

/** A statement error of PostgreSQL. */
const refusal = (code: string) =>
  new SqlError({ cause: Object.assign(new Error("refused"), { code }), message: "Failed to execute statement" })

/** A separate process, as far as polling its queues is concerned. */
const node = Effect.provide(LeaseMonitor.Default)

/** A separate process whose outage lasts for seconds and is logged once. */
const troubled = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.provide(node(effect), Outages.Default)

/** A process that never polls. */
const silent = Layer.succeed(
  LeaseMonitor,
  LeaseMonitor.make({ clock: Clock.make(), doubt: Effect.void, watch: () => Effect.void })
)

/** The log of such a process's workers, until the effect ends. */
const logged = <A, E, R>(effect: (lines: ReadonlyArray<string>) => Effect.Effect<A, E, R>) =>
  heard((lines) => node(Effect.scoped(effect(lines))))

describe("queued work", () => {
  it("is done once each, by any number of workers", () =>
    Effect.gen(function* () {
      const { add, ends, kind } = yield* jobs("many")
      yield* Effect.forEach(["1", "2", "3", "4", "5", "6"], (name) => add(name))
      const seen: Array<string> = []
      const work = ({ id }: Claim) => Effect.sync(() => seen.push(id)).pipe(Effect.as("done"))
      yield* Effect.replicateEffect(Lease.worker({ ...kind(work), atOnce: 2 }), 3)
      yield* until(ends, (all) => all.every((end) => end.length > 0))
      expect(yield* ends).toEqual(Array.from({ length: 6 }, () => ["done"]))
      expect(seen.toSorted()).toEqual([1, 2, 3, 4, 5, 6].map((name) => `many${name}`))
    }).pipe(node))

  it("is done in turns by account, and in order of waiting within an account", () =>
    Effect.gen(function* () {
      const { add, ends, kind } = yield* jobs("turns")
      yield* Effect.forEach(["1", "2", "3", "4"], (name) => add(`a${name}`, 2))
      yield* Effect.forEach(["1", "2"], (name) => add(`b${name}`, 3))
      yield* add("c1", 1)
      const seen: Array<string> = []
      const work = ({ id }: Claim) => Effect.sync(() => seen.push(id.slice("turns".length))).pipe(Effect.as("done"))
      yield* Lease.worker(kind(work))
      yield* until(ends, (all) => all.every((end) => end.length > 0))
      expect(seen).toEqual(["c1", "a1", "b1", "a2", "b2", "a3", "a4"])
    }).pipe(node))

  it("waits for other accounts if its account used much time, and then the account with the least debt is first", () =>
    Effect.gen(function* () {
      const { add, ends, kind, queue } = yield* jobs("debts")
      yield* Effect.forEach(["1", "2"], (name) => add(`a${name}`, 1))
      yield* Effect.forEach(["1", "2"], (name) => add(`b${name}`, 2))
      yield* Effect.forEach(["1", "2", "3"], (name) => add(`c${name}`, 3))
      const claimOf = (id: string) => ({ attempts: 1, id: `debts${id}`, lease: "" })
      yield* queue.charge(claimOf("a1"), 30)
      yield* queue.charge(claimOf("b1"), 20)
      yield* queue.charge(claimOf("b1"), 5)
      yield* queue.charge(claimOf("c1"), 0.9)
      const seen: Array<string> = []
      const work = ({ id }: Claim) => Effect.sync(() => seen.push(id.slice("debts".length))).pipe(Effect.as("done"))
      yield* Lease.worker(kind(work))
      yield* until(ends, (all) => all.every((end) => end.length > 0))
      expect(seen).toEqual(["c1", "c2", "c3", "b1", "b2", "a1", "a2"])
    }).pipe(node))

  it.concurrent("adds its duration to the debt of its account, up to a minute", () =>
    Effect.gen(function* () {
      const { add, ends, kind, queue, sql } = yield* jobs("charged")
      yield* add("1", 1)
      const debts = sql<{ seconds: number }>`
        SELECT extract(epoch FROM until - clock_timestamp())::float8 AS seconds FROM queue_debts WHERE queue = 'charged'`
      const work = () => Effect.as(Effect.sleep("1100 millis"), "done")
      yield* Lease.worker(kind(work))
      yield* until(ends, (all) => all.every((end) => end.length > 0))
      expect((yield* debts).length).toBe(1)
      yield* queue.charge({ attempts: 1, id: "charged1", lease: "" }, 500)
      yield* queue.charge({ attempts: 1, id: "charged1", lease: "" }, 500)
      const [row] = yield* debts
      expect(Math.round((row?.seconds ?? 0) / 10)).toBe(6)
    }).pipe(node))

  it.concurrent("ends as broken when it fails unexpectedly, and the worker continues", function* () {
    const { add, ends, kind } = yield* jobs("break")
    yield* add("1")
    yield* add("2")
    const lines = yield* logged(() =>
      Effect.zipRight(
        Lease.worker(kind(({ id }) => (id === "break1" ? Effect.dieMessage("oh") : Effect.succeed("done")))),
        until(ends, ([, second]) => second?.length === 1)
      )
    )
    expect(yield* ends).toEqual([["broken"], ["done"]])
    // A worker that ends with the test may return a job to the queue, and logs that.
    expect(lines.filter((line) => !line.startsWith("INFO "))).toEqual(["ERROR An internal error ended the job"])
  })

  it.concurrent("is done again when its statement is cancelled from outside", function* () {
    const { add, ends, kind, sql } = yield* jobs("cancel")
    yield* add("1")
    let tried = 0
    const work = () =>
      Effect.suspend(() => (tried++ === 0 ? Effect.asVoid(Effect.orDie(sql`SELECT pg_sleep(60)`)) : Effect.void)).pipe(
        Effect.as("done")
      )
    const cancel = Effect.orDie(sql`
      SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE query = 'SELECT pg_sleep(60)' AND state = 'active'`)
    const lines = yield* logged(() =>
      Effect.zipRight(
        Lease.worker(kind(work)),
        Effect.zipRight(
          until(cancel, (rows) => rows.length === 1),
          until(ends, ([first]) => first?.length === 1)
        )
      )
    )
    expect(yield* ends).toEqual([["done"]])
    expect(lines.filter((line) => line.startsWith("WARN"))).toEqual([
      "WARN A statement of the job was interrupted. Findable tries it again"
    ])
  })

  for (const [what, code] of [
    ["for which the disk has no room", "53100"],
    ["that a deadlock ended", "40P01"],
    ["that got no connection in time", "node_busy"]
  ] as const)
    it.concurrent(`is returned to the queue without counting an attempt after a statement ${what}, and done by the next worker`, () =>
      Effect.gen(function* () {
        const { add, ends, kind, rows } = yield* jobs(`passing${code.toLowerCase()}`)
        yield* add("1")
        let tried = 0
        const error = code === "node_busy" ? new SqlError({ cause: { code }, message: notAcquired }) : refusal(code)
        const work = () => Effect.suspend(() => (tried++ === 0 ? Effect.die(error) : Effect.succeed("done")))
        yield* Lease.worker({ ...kind(work), atOnce: 2 })
        yield* until(ends, ([first]) => first?.length === 1)
        expect(yield* ends).toEqual([["done"]])
        expect(yield* rows).toMatchObject([{ attempts: 0, lease: null }])
      }).pipe(troubled))

  it.concurrent("ends after it has waited for more than a day if it fills the disk itself", () =>
    Effect.gen(function* () {
      const { add, ends, kind, sql, table } = yield* jobs("filling")
      yield* add("1")
      yield* sql`UPDATE ${table} SET born = clock_timestamp() - interval '25 hours'`
      yield* Lease.worker(kind(() => Effect.die(refusal("53100"))))
      yield* until(ends, ([first]) => first?.length === 1)
      expect(yield* ends).toEqual([["broken"]])
    }).pipe(troubled))

  it.concurrent("stays with its worker while the full disk cannot store its result, and is stored when there is room", () =>
    Effect.gen(function* () {
      const { add, ends, kind, pass, rows } = yield* jobs("endless")
      yield* add("1")
      let [hasRoom, refused, tried] = [false, 0, 0]
      const job = kind(() => Effect.sync(() => `done ${++tried}`))
      const store = (claim: Claim, end: string) =>
        Effect.suspend(() => {
          if (hasRoom) return job.store(claim, end)
          refused += 1
          return Effect.die(refusal("53100"))
        })
      yield* Lease.worker({ ...job, store })
      yield* eventually(() => refused > 0)
      // The lock would have expired by now, but is renewed.
      yield* pass
      yield* until(rows, ([row]) => (row?.seconds ?? 0) > 10)
      hasRoom = true
      yield* until(ends, ([first]) => first?.length === 1)
      expect([yield* ends, tried]).toEqual([[["done 1"]], 1])
    }).pipe(troubled))

  it.concurrent("is returned to the queue without counting an attempt by a worker that stops, and done by another", () =>
    Effect.gen(function* () {
      const { add, ends, kind, rows } = yield* jobs("stop")
      yield* add("1")
      const scope = yield* Scope.make()
      const { begun, left, work } = yield* awaited
      const lines = yield* logged(() =>
        Effect.gen(function* () {
          yield* Scope.extend(Lease.worker(kind(work)), scope)
          yield* begun
          expect(yield* rows).toMatchObject([{ attempts: 1 }])
          yield* Scope.close(scope, Exit.void)
          yield* left
        })
      )
      expect(lines).toEqual(["INFO The job is returned to the queue"])
      expect(yield* rows).toMatchObject([{ attempts: 0, ended: [], lease: null }])
      yield* Lease.worker(kind(() => Effect.succeed("done")))
      yield* until(ends, ([first]) => first?.[0] === "done")
    }).pipe(node))

  it.concurrent("is taken over from a killed worker", function* () {
    const { add, ends, kind, pass, queue } = yield* jobs("kill")
    yield* add("1")
    yield* queue.claim
    const work = () => Effect.succeed("done")
    const lines = yield* logged(() =>
      Effect.gen(function* () {
        let asked = 0
        const claim = Effect.tap(queue.claim, () => Effect.sync(() => asked++))
        yield* Lease.worker({ ...kind(work), queue: { ...queue, claim } })
        yield* eventually(() => asked > 0)
        expect(yield* ends).toEqual([[]])
        yield* pass
        yield* until(ends, ([first]) => first?.[0] === "done")
      })
    )
    expect(lines).toEqual(["WARN The worker of the job died. Another worker tries again"])
  })

  it.concurrent("ends after it killed three workers, and is not tried again", function* () {
    const { add, ends, kind, pass, queue, rows } = yield* jobs("poison")
    yield* add("1")
    const dies = Effect.zipRight(queue.claim, pass)
    yield* dies
    expect(yield* queue.release).toEqual(["poison1"])
    yield* dies
    expect(yield* queue.release).toEqual(["poison1"])
    yield* dies
    expect(yield* queue.release).toEqual([])
    const tried: Array<string> = []
    const work = ({ id }: Claim) => Effect.sync(() => tried.push(id)).pipe(Effect.as("done"))
    const lines = yield* logged(() =>
      Effect.zipRight(
        Effect.replicateEffect(Lease.worker(kind(work)), 3),
        until(ends, ([first]) => first?.length === 1)
      )
    )
    expect([yield* ends, tried]).toEqual([[["lost"]], []])
    expect(yield* rows).toMatchObject([{ attempts: 0, lease: null }])
    expect(lines).toEqual(["WARN The worker of the job died. No attempts are left"])
  })

  it.concurrent("stops when its lock has expired, and nothing of it is written", function* () {
    const { add, ends, kind, rows, sql, table } = yield* jobs("taken")
    yield* add("1")
    const { begun, left, work } = yield* awaited
    const other = "3f0e9d2b-7a41-4a10-8c55-0123456789ab"
    const lines = yield* logged((lines) =>
      Effect.gen(function* () {
        yield* Lease.worker(kind(work))
        yield* begun
        yield* sql`UPDATE ${table} SET lease = ${other}::uuid WHERE id = 'taken1'`
        yield* Effect.timeout(left, "50 seconds")
        yield* until(
          Effect.sync(() => lines.length),
          (count) => count > 0
        )
      })
    )
    expect(lines).toEqual(["INFO The lock on the job expired. Another worker may take over"])
    expect(yield* ends).toEqual([[]])
    expect((yield* rows)[0]?.lease).toBe(other)
  })

  it.concurrent("is not ended twice when its lock expires just before its result is stored", function* () {
    const { add, ends, kind, sql, table } = yield* jobs("late")
    yield* add("1")
    const work = ({ id }: Claim) =>
      Effect.as(
        Effect.orDie(
          sql`UPDATE ${table} SET lease = NULL, leased_until = NULL, ended = '{elsewhere}' WHERE id = ${id}`
        ),
        "done"
      )
    const lines = yield* logged((lines) =>
      Effect.zipRight(
        Lease.worker(kind(work)),
        until(
          Effect.sync(() => lines.length),
          (count) => count > 0
        )
      )
    )
    expect([yield* ends, lines]).toEqual([
      [["elsewhere"]],
      ["INFO The lock on the job expired. Another worker may take over"]
    ])
  })

  it("outlives a database outage longer than the lock, which is renewed before another worker takes over", function* () {
    const { add, ends, kind, pass, rows } = yield* jobs("away")
    yield* add("1")
    const { begun, tell, work } = yield* awaited
    const workers = Effect.replicateEffect(Lease.worker(kind(work)), 2)
    const lines = yield* logged(() =>
      Effect.gen(function* () {
        yield* workers
        const { lease } = yield* begun
        // Long enough that each worker looks for dead ones meanwhile, as it does many times during a lock.
        yield* whileAway(Effect.sleep("3 seconds"))
        // The test changes the time of the lock instead of waiting.
        yield* Effect.retry(pass, Schedule.spaced("10 millis"))
        const [row] = yield* until(rows, ([row]) => (row?.seconds ?? 0) > 0)
        expect(row?.lease).toBe(lease)
        yield* tell
        yield* until(ends, ([first]) => first?.[0] === "done")
      })
    )
    expect(lines.filter((line) => !/database (cannot be reached|is back)/.test(line))).toEqual([])
    expect(yield* ends).toEqual([["done"]])
  })

  it.concurrent("is taken over from a dead worker even if a clock set back would keep its lock for hours", function* () {
    const { add, ends, kind, queue, sql, table } = yield* jobs("back")
    yield* add("1")
    yield* queue.claim
    yield* sql`UPDATE ${table} SET leased_until = clock_timestamp() + interval '1 day' WHERE id = 'back1'`
    yield* logged(() =>
      Effect.zipRight(
        Lease.worker(kind(() => Effect.succeed("done"))),
        until(ends, ([first]) => first?.[0] === "done")
      )
    )
  })

  it.concurrent("uses the time of the database, for any clock of its server", function* () {
    const { add, ends, kind, queue, sql } = yield* jobs("time")
    const day = 86_400_000
    const looked = yield* Deferred.make<void>()
    const clock = Clock.make()
    const behind: Clock.Clock = {
      [Clock.ClockTypeId]: Clock.ClockTypeId,
      currentTimeMillis: Effect.map(clock.currentTimeMillis, (now) => now - day),
      currentTimeNanos: clock.currentTimeNanos,
      sleep: clock.sleep,
      unsafeCurrentTimeMillis: () => clock.unsafeCurrentTimeMillis() - day,
      unsafeCurrentTimeNanos: clock.unsafeCurrentTimeNanos
    }
    const work = () => Effect.map(Clock.currentTimeMillis, (now) => `${Math.round((now - Date.now()) / day)} days off`)
    yield* Effect.gen(function* () {
      const { watch } = yield* LeaseMonitor
      yield* watch({
        dead: Effect.void,
        due: Effect.asVoid(Deferred.succeed(looked, undefined)),
        name: "other",
        rows: { ...queue.rows, waiting: sql`WHERE true` }
      })
      yield* Lease.worker(kind(work))
      yield* Deferred.await(looked)
      yield* add("1")
      yield* until(ends, ([first]) => first?.length === 1)
    }).pipe(node, Effect.withClock(behind))
    expect(yield* ends).toEqual([["0 days off"]])
  })

  it.concurrent("stays with its worker when the clock is set forward, until the worker had time to renew its lock", function* () {
    const { add, ends, kind, pass, queue, rows } = yield* jobs("forth")
    yield* add("1")
    yield* add("2")
    const { begun, work } = yield* awaited
    const looked = yield* Deferred.make<void>()
    const clock = Clock.make()
    let set = 0n
    // The database's clock moves forward when the process's own seems to move back.
    const setBack = Effect.withClock({
      ...clock,
      currentTimeMillis: clock.currentTimeMillis,
      currentTimeNanos: Effect.map(clock.currentTimeNanos, (nanos) => nanos - set),
      sleep: clock.sleep,
      unsafeCurrentTimeMillis: clock.unsafeCurrentTimeMillis,
      unsafeCurrentTimeNanos: clock.unsafeCurrentTimeNanos
    })
    const lines = yield* setBack(
      logged((lines) =>
        Effect.gen(function* () {
          const { watch } = yield* LeaseMonitor
          yield* watch({
            dead: Effect.void,
            due: Effect.asVoid(Deferred.succeed(looked, undefined)),
            name: "other",
            rows: queue.rows
          })
          yield* Lease.worker(kind(work))
          const { id, lease } = yield* begun
          // A clock change is detected between two polls.
          yield* Deferred.await(looked)
          set = 3_600_000_000_000n
          yield* pass
          yield* until(
            Effect.sync(() => lines.length),
            (count) => count > 0
          )
          expect(yield* rows).toMatchObject([{ lease }, { lease: null }])
          expect(id).toBe("forth1")
        })
      )
    )
    expect(lines).toEqual([
      "INFO The database's clock moved by 3600 s. Findable ends no lock until the clock is steady",
      "INFO The job is returned to the queue"
    ])
    expect(yield* ends).toEqual([[], []])
  })

  it.concurrent("stays with its worker when a new process finds locks that expired in an outage", function* () {
    const { add, ends, kind, pass, rows } = yield* jobs("newcomer")
    yield* add("1")
    const { begun, tell, work } = yield* awaited
    yield* Lease.worker({ ...kind(work), channel: "jobs" }).pipe(Effect.provide(silent))
    const { lease } = yield* begun
    yield* pass
    const lines = yield* logged(() =>
      Effect.gen(function* () {
        yield* Lease.worker(kind(() => Effect.succeed("done again")))
        yield* until(rows, ([row]) => (row?.seconds ?? 1) > 0)
        expect(yield* rows).toMatchObject([{ lease }])
      })
    )
    expect(lines).toEqual([])
    yield* tell
    yield* until(ends, ([first]) => first?.[0] === "done")
  })

  it("is stored after a database outage if it ends during the outage", function* () {
    const { add, ends, kind } = yield* jobs("later")
    yield* add("1")
    const { begun, tell, work } = yield* awaited
    yield* logged((lines) =>
      Effect.gen(function* () {
        yield* Lease.worker(kind(work))
        yield* begun
        yield* whileAway(
          Effect.zipRight(
            tell,
            eventually(() => lines.some((line) => line.includes("database cannot be reached")))
          )
        )
        yield* until(ends, ([first]) => first?.[0] === "done")
      })
    )
  })

  it.concurrent("begins as soon as its channel is notified", function* () {
    const { add, ends, kind, sql } = yield* jobs("told")
    yield* Lease.worker({ ...kind(() => Effect.succeed("done")), channel: "jobs" }).pipe(Effect.provide(silent))
    yield* add("1")
    const tell = Effect.orDie(sql`SELECT pg_notify('jobs', 'queued')`)
    yield* until(Effect.zipRight(tell, ends), ([first]) => first?.[0] === "done", "50 millis")
  })

  it.concurrent("is counted over all queues of its kind", () =>
    Effect.gen(function* () {
      const { watch } = yield* LeaseMonitor
      const one = yield* jobs("one")
      const two = yield* jobs("two")
      yield* Effect.forEach(["1", "2"], one.add)
      yield* Effect.forEach(["1", "2", "3"], two.add)
      for (const { queue } of [one, two])
        yield* watch({ dead: Effect.void, due: Effect.void, name: "counted", rows: queue.rows })
      const counts = Effect.map(Metric.snapshot, (all) =>
        all.flatMap(({ metricKey: { name, tags }, metricState }) =>
          name === "findable_queue_waiting" && tags.some(({ value }) => value === "counted") ? [metricState] : []
        )
      )
      yield* until(counts, ([count]) => MetricState.isGaugeState(count) && count.value === 5)
    }).pipe(node))
})
