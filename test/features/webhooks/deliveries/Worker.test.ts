import { describe, expect } from "bun:test"
import * as SqlClient from "@effect/sql/SqlClient"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Scope from "effect/Scope"
import { Events } from "../../../../src/features/events/Events.ts"
import { ListsRepo } from "../../../../src/features/webhooks/deliveries/Deliveries.ts"
import { DeliveriesRepo } from "../../../../src/features/webhooks/deliveries/DeliveriesRepo.ts"
import { QueueRepo } from "../../../../src/features/webhooks/deliveries/Queue.ts"
import { RecordOutcome, RecordRepo } from "../../../../src/features/webhooks/deliveries/RecordOutcome.ts"
import { Attempts } from "../../../../src/features/webhooks/deliveries/Sender.ts"
import * as Worker from "../../../../src/features/webhooks/deliveries/Worker.ts"
import { Outbound } from "../../../../src/foundation/outbound/Outbound.ts"
import { type Cipher, installationLayer } from "../../../../src/foundation/secrets/Cipher.ts"
import { databaseUrl } from "../../../cluster.ts"
import { suite } from "../../../harness.ts"
import { often } from "../../../often.ts"
import { program } from "../../../programs.ts"
import * as Server from "../../../server.ts"
import { log, publishExample, subscribe, subscriber, until } from "../pipeline.ts"
import { receiver } from "../receiver.ts"

/** The death of a worker: after a number of operations, before or after the last one is executed, or after a number of milliseconds. */
interface Fate {
  readonly operations: number
  readonly milliseconds: number
  readonly afterwards: boolean
}

type Services = Cipher | DeliveriesRepo | Events | Outbound | QueueRepo | RecordRepo

const gone = Effect.die("The process is dead")

/**
 * A worker that dies as by `kill -9`: after a chosen moment none of its actions has an effect, so it sends nothing, records nothing and releases nothing;
 * the transaction of that moment is rolled back, and a statement that was already sent is carried out.
 */
const mortalWorker = Effect.fnUntraced(function* (fate: Fate) {
  const services = yield* Effect.context<Services>()
  const scope = yield* Scope.make()
  const death = yield* Deferred.make<void>()
  let operations = 0
  let dead = false
  const die = Effect.suspend(() => {
    dead = true
    return Effect.zipRight(Deferred.succeed(death, undefined), gone)
  })

  const mortal = <A, E, R>(operation: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.suspend(() => {
      if (dead) return gone
      const last = ++operations === fate.operations
      if (last && !fate.afterwards) return die
      return Effect.onExit(operation, () => (dead ? gone : last ? die : Effect.void))
    })
  const living = <Service extends object>(service: Service): Service =>
    new Proxy(service, {
      get: (target, property) => {
        const member = Reflect.get(target, property)
        if (Effect.isEffect(member)) return mortal(member)
        return typeof member !== "function"
          ? member
          : (...args: ReadonlyArray<unknown>) => {
              const result = Reflect.apply(member, target, args)
              return Effect.isEffect(result) ? mortal(result) : result
            }
      }
    })

  const program = Worker.layerNoDeps.pipe(
    Layer.provide(Attempts.DefaultWithoutDependencies),
    Layer.provide(RecordOutcome.DefaultWithoutDependencies),
    Layer.provide([
      Layer.succeed(DeliveriesRepo, living(Context.get(services, DeliveriesRepo))),
      Layer.succeed(QueueRepo, living(Context.get(services, QueueRepo))),
      Layer.succeed(RecordRepo, living(Context.get(services, RecordRepo))),
      Layer.succeed(Outbound, living(Context.get(services, Outbound)))
    ]),
    Layer.provide(Layer.succeedContext(services)),
    Layer.provide(Layer.setConfigProvider(ConfigProvider.fromMap(new Map([["FINDABLE_DELIVERIES_AT_ONCE", "1"]])))),
    Layer.provide(Logger.remove(Logger.defaultLogger))
  )
  yield* Layer.buildWithScope(program, scope)
  yield* Effect.timeoutOption(Deferred.await(death), fate.milliseconds)
  dead = true
  // Its remains in this process are garbage: they can neither send nor write.
  yield* Effect.forkDaemon(Scope.close(scope, Exit.void))
})

const configured = Layer.setConfigProvider(ConfigProvider.fromMap(new Map(Object.entries(Server.settings))))

const it = suite(
  Layer.mergeAll(
    DeliveriesRepo.Default,
    Events.Default,
    ListsRepo.Default,
    installationLayer,
    QueueRepo.Default,
    RecordRepo.Default
  ).pipe(Layer.provideMerge(Server.layer), Layer.provide(configured))
)

const kills = often(15)

/** The same pseudorandom numbers every time. */
const numbers = (seed: number) => () => {
  seed = (seed * 1_664_525 + 1_013_904_223) % 2 ** 32
  return seed / 2 ** 32
}

/** Makes all waiting deliveries due. */
const due = Effect.flatMap(SqlClient.SqlClient, (sql) => sql`UPDATE webhook_queue SET waiting = false WHERE waiting`)

/** Makes all locks of dead workers expire. */
const expire = Effect.flatMap(SqlClient.SqlClient, (sql) => sql`UPDATE webhook_workers SET leased_until = '-infinity'`)

describe("workers that are killed one after the other", () => {
  it("lose no delivery, leave none stuck, and repeat at most those in flight", function* () {
    const sql = yield* SqlClient.SqlClient
    const random = numbers(47)
    const flaky = new Set<string>()
    const target = yield* receiver(({ headers, path }) => {
      const event = headers["service-event-id"] ?? ""
      if (path !== "/flaky" || flaky.has(event)) return new Response("")
      flaky.add(event)
      return new Response("", { status: 500 })
    })
    const { account, key } = yield* Server.customer()
    const origin = new URL(target.url).origin
    const webhooks = yield* Effect.forEach(["/a", "/b", "/c", "/flaky"], (path) =>
      subscribe(key, `${origin}${path}`, ["audit.failed"])
    )
    const waiting = sql<{
      count: number
    }>`SELECT count(*)::int AS count FROM webhook_deliveries WHERE status = 'pending'`
    for (let kill = 0; kill < kills; kill++) {
      const [pending] = kill % 20 === 0 ? yield* waiting : []
      if (pending !== undefined && pending.count < 100) {
        yield* Effect.replicateEffect(publishExample["audit.failed"](account), 25, { discard: true })
      }
      yield* mortalWorker({
        afterwards: random() < 0.5,
        milliseconds: kill % 2 === 1 ? 500 : random() * 8,
        operations: kill % 2 === 1 ? 1 + Math.floor(random() * 9) : Number.POSITIVE_INFINITY
      })
      yield* Effect.zipRight(expire, due)
    }

    // One living worker finishes everything. A claim of the last dead one may still have been in flight: its lock is older.
    const [born] = yield* sql<{ now: string }>`SELECT clock_timestamp()::text AS now`
    const expireOld = sql`
          UPDATE webhook_workers SET leased_until = '-infinity'
          WHERE leased_until < ${born?.now ?? ""}::timestamptz + interval '15 seconds'`
    yield* Layer.build(Layer.provide(Worker.layer, configured))
    const open = sql<{ count: number }>`
      SELECT count(*)::int AS count FROM webhook_deliveries WHERE status IN ('pending', 'delivering')`
    yield* until(Effect.zipRight(Effect.zipRight(expireOld, due), open), ([left]) => left?.count === 0)
    const [result] = yield* sql<Record<string, number>>`
      SELECT count(*)::int AS deliveries, count(*) FILTER (WHERE status = 'delivered')::int AS delivered,
        (SELECT count(*)::int FROM events) AS events,
        sum(jsonb_array_length(attempts))::int AS attempts
      FROM webhook_deliveries`
    const receptions = Map.groupBy(target.received, ({ headers, path }) => `${path} ${headers["service-event-id"]}`)
    const duplicates = [...receptions].map(([name, all]) => all.length - (name.startsWith("/flaky") ? 2 : 1))
    const total = duplicates.reduce((sum, count) => sum + count, 0)
    console.log(`${kills} kills, ${result?.deliveries} deliveries, ${total} of them repeated, none lost, none stuck`)
    expect(result?.delivered).toBe(result?.deliveries ?? 0)
    expect(result?.deliveries).toBe((result?.events ?? 0) * webhooks.length)
    expect(receptions.size).toBe(result?.deliveries ?? 0)
    expect(total).toBeLessThanOrEqual(kills)
    expect(target.received.length).toBeLessThanOrEqual(result?.attempts ?? 0)
  }, 120_000)
})

const processes = suite(Layer.provideMerge(Layer.merge(ListsRepo.Default, Events.Default), Server.layer))

/** A worker in a separate process. */
const worker = Effect.gen(function* () {
  const url = yield* databaseUrl
  return yield* Effect.acquireRelease(
    Effect.sync(() =>
      Bun.spawn([process.execPath, program("main")], {
        env: {
          ...process.env,
          ...Server.settings,
          DATABASE_URL: url,
          FINDABLE_LOG_LEVEL: "error",
          FINDABLE_ROLE: "worker"
        },
        stderr: "inherit",
        stdout: "ignore"
      })
    ),
    (child) =>
      Effect.promise(() => {
        child.kill("SIGKILL")
        return child.exited
      })
  )
})

describe("worker processes", () => {
  processes(
    "lose nothing when they are killed with kill -9, and finish their deliveries when they are stopped",
    function* () {
      const sql = yield* SqlClient.SqlClient
      const gate = Promise.withResolvers<void>()
      yield* Effect.addFinalizer(() => Effect.sync(() => gate.resolve()))
      const target = yield* receiver(async (_, index) => {
        await (index < 3 ? gate.promise : Bun.sleep(index % 7))
        return new Response("")
      })
      const webhook = yield* subscriber(target.url, ["audit.failed"])
      yield* Effect.replicateEffect(publishExample["audit.failed"](webhook.account), 60, { discard: true })

      const expire = sql`UPDATE webhook_workers SET leased_until = '-infinity'`
      // Each of three workers takes a delivery, which the endpoint has received and not answered, and dies.
      for (const taken of [1, 2, 3]) {
        const child = yield* worker
        yield* target.arrived(taken)
        child.kill("SIGKILL")
        yield* Effect.promise(() => child.exited)
        yield* expire
      }
      gate.resolve()
      const last = yield* worker
      yield* target.arrived(30)
      last.kill("SIGTERM")
      expect(yield* Effect.promise(() => last.exited)).toBe(0)
      const stopped = yield* log(webhook)
      expect(stopped.filter(({ status }) => status === "delivering")).toEqual([])
      const delivered = stopped.filter(({ status }) => status === "delivered").length
      expect(target.received).toHaveLength(3 + delivered)

      yield* worker
      const all = yield* until(log(webhook), (all) => all.every(({ status }) => status === "delivered"))
      expect(all).toHaveLength(60)
      const receptions = Map.groupBy(target.received, ({ headers }) => headers["service-event-id"])
      expect(receptions.size).toBe(60)
      expect(target.received).toHaveLength(63)
      const interrupted = all.flatMap(({ attempts }) => attempts).filter(({ error }) => error?.code === "interrupted")
      expect(interrupted).toHaveLength(3)
    }
  )
})
