import { describe, expect } from "bun:test"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { FailedKeyLimiter } from "../../../src/features/accounts/FailedKeyLimiter.ts"
import { it as alone, suite } from "../../harness.ts"
import * as Server from "../../server.ts"
import { until } from "../../waiting.ts"

const it = suite(Server.layer)

/** Sends a request without waiting for the response: the connection lasts as long as the scope. */
const open = (key: string) =>
  Effect.flatMap(Server.TestServer, ({ base }) =>
    Effect.acquireRelease(
      Effect.promise(() => {
        const { hostname, port } = new URL(base)
        return Bun.connect({
          hostname,
          port: Number(port),
          socket: {
            data: () => {},
            open: (socket) => {
              socket.write(`GET /api/v1/projects HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n\r\n`)
            }
          }
        })
      }),
      (socket) => Effect.sync(() => socket.terminate())
    )
  )

describe("a caller who disconnects before the response", () => {
  it("is charged for the request once its key is looked up", function* () {
    const sql = yield* SqlClient.SqlClient
    const { account, key } = yield* Server.customer()
    const interrupted = Effect.map(Server.send("GET", "/metrics"), ({ body }) =>
      Number(/^findable_http_requests_total\{.*route="\/api\/v1\/projects",status="503"\} (\d+)$/m.exec(body)?.[1] ?? 0)
    )
    const before = yield* interrupted
    const passes = sql<{ passes: number }>`
      SELECT cardinality(passes) AS passes FROM api_key_passes JOIN api_keys k ON k.id = key_id WHERE account_id = ${account}`
    // Within a transaction pg_stat_activity is a snapshot of its first read.
    const looking = sql`SELECT pg_stat_clear_snapshot()`.pipe(
      Effect.zipRight(sql`
      SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%check_rate_limits%'`)
    )
    yield* Server.send("GET", "/api/v1/projects", { key })
    // The look-up waits for the rate limits of the key, so that the caller disconnects during it.
    yield* sql.withTransaction(
      Effect.gen(function* () {
        yield* sql`SELECT FROM api_key_passes WHERE key_id IN (SELECT id FROM api_keys WHERE account_id = ${account}) FOR UPDATE`
        yield* Effect.scoped(
          Effect.zipRight(
            open(key),
            until(looking, (rows) => rows.length === 1)
          )
        )
        yield* until(interrupted, (count) => count > before)
      })
    )
    yield* until(passes, ([row]) => row?.passes === 2)
  })

  alone("counts as a failed key of the IP address, unless the key was valid before", () =>
    Effect.gen(function* () {
      const { limit, lookUp, wait, welcome } = yield* FailedKeyLimiter
      welcome("good", "account")
      const leave = (key: string) =>
        Effect.gen(function* () {
          const looked = yield* Deferred.make<void>()
          const fiber = yield* Effect.fork(
            lookUp(
              () => "address",
              key,
              () => Effect.zipRight(Deferred.succeed(looked, undefined), Effect.never)
            )
          )
          yield* Deferred.await(looked)
          yield* Fiber.interrupt(fiber)
        })
      yield* Effect.replicateEffect(leave("good"), limit + 1, { discard: true })
      expect(yield* wait("address")).toBe(0)
      yield* Effect.replicateEffect(leave("bad"), limit, { discard: true })
      expect(yield* wait("address")).toBeGreaterThan(0)
    }).pipe(Effect.provide(FailedKeyLimiter.Default))
  )
})
