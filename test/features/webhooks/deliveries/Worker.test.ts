import { describe, expect } from "bun:test"
import * as SqlClient from "@effect/sql/SqlClient"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Events } from "../../../../src/features/events/Events.ts"
import { ListsRepo } from "../../../../src/features/webhooks/deliveries/Deliveries.ts"
import { DeliveriesRepo } from "../../../../src/features/webhooks/deliveries/DeliveriesRepo.ts"
import { QueueRepo } from "../../../../src/features/webhooks/deliveries/Queue.ts"
import { RecordRepo } from "../../../../src/features/webhooks/deliveries/RecordOutcome.ts"
import * as Worker from "../../../../src/features/webhooks/deliveries/Worker.ts"
import { installationLayer } from "../../../../src/foundation/secrets/Cipher.ts"
import { suite } from "../../../harness.ts"
import * as Server from "../../../server.ts"
import { mortalWorker } from "../mortal.ts"
import { publishExample, subscribe, until } from "../pipeline.ts"
import { receiver } from "../receiver.ts"

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

const kills = Number(process.env.KILLS ?? 60)

/** The same numbers every time. */
const numbers = (seed: number) => () => {
  seed = (seed * 1_664_525 + 1_013_904_223) % 2 ** 32
  return seed / 2 ** 32
}

/** All that waits is due. */
const due = Effect.flatMap(SqlClient.SqlClient, (sql) => sql`UPDATE webhook_queue SET waiting = false WHERE waiting`)

/** All leases of the dead run out. */
const expire = Effect.flatMap(SqlClient.SqlClient, (sql) => sql`UPDATE webhook_workers SET leased_until = '-infinity'`)

describe("workers that are killed one after the other", () => {
  it("lose no delivery, leave none stuck, and repeat at most what they had in hand", function* () {
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

    // One worker that lives carries everything to its end. A claim of the last dead one may still have been on its way: its lease is older.
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
