import { expect } from "bun:test"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import { suite } from "../../harness.ts"
import * as Server from "../../server.ts"
import { until } from "../../waiting.ts"

const lines: Array<string> = []
const logger = Logger.make(({ message }) => {
  lines.push(String(message))
})

const it = suite(
  Server.layerWith({ FINDABLE_DATABASE_POOL: "5" }).pipe(
    Layer.provideMerge(Logger.replace(Logger.defaultLogger, logger))
  )
)

it('an account that uses all its connections gets "server busy", while other accounts and /readyz are answered', function* () {
  const sql = yield* SqlClient.SqlClient
  const { key } = yield* Server.customer()
  const { key: other } = yield* Server.customer()
  // Within a transaction pg_stat_activity is a snapshot of its first read.
  const waiting = sql`SELECT pg_stat_clear_snapshot()`.pipe(
    Effect.zipRight(sql`SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`)
  )
  const projects = (key: string) => Server.send("GET", "/api/v1/projects", { key })
  yield* sql
    .withTransaction(
      Effect.gen(function* () {
        yield* sql`LOCK TABLE projects IN ACCESS EXCLUSIVE MODE`
        const held = yield* Effect.fork(Effect.replicateEffect(projects(key), 3, { concurrency: "unbounded" }))
        yield* until(waiting, (rows) => rows.length === 3)
        const refused = yield* Effect.fork(projects(key))
        expect((yield* Server.send("GET", "/readyz")).status).toBe(200)
        expect((yield* Server.send("GET", "/api/v1/openapi.json", { key: other })).status).toBe(200)
        const { body, headers, status } = yield* Fiber.join(refused)
        expect([status, body.error.code]).toEqual([503, "service_unavailable"])
        expect(body.error.message).toContain("The server is busy")
        expect(headers.get("retry-after")).toBe("5")
        return held
      })
    )
    .pipe(
      Effect.flatMap(Fiber.join),
      Effect.map((answers) => expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]))
    )
  expect((yield* projects(other)).status).toBe(200)
  expect(lines.filter((line) => /database/.test(line))).toEqual([])
})
