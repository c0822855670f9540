import { type ChildProcess, spawn } from "node:child_process"
import * as Reactivity from "@effect/experimental/Reactivity"
import type { SqlError } from "@effect/sql/SqlError"
import * as PgClient from "@effect/sql-pg/PgClient"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Scope from "effect/Scope"
import * as Client from "../src/foundation/database/Client.ts"
import { layerNoDeps as database } from "../src/foundation/database/Database.ts"
import { LeaseMonitor } from "../src/foundation/database/LeaseMonitor.ts"
import { Location, layerEmbedded } from "../src/foundation/database/Location.ts"
import { Outages } from "../src/foundation/database/Outages.ts"
import { newDatabaseFolder } from "./folder.ts"

/**
 * The database server of the tests: one embedded cluster for each test process, started when the first suite needs it and kept for all files, with durability
 * off; or the server of FINDABLE_TEST_DATABASE_URL. Each suite gets its own database, copied from one migrated template.
 */
interface Server {
  readonly connection: PgClient.PgClientConfig
  /** Creates and drops databases over one connection, because opening one costs as much as creating a database. */
  readonly execute: (statement: string) => Effect.Effect<unknown, SqlError>
  /** Cleans up when this process is gone, and may be forgotten until then. */
  readonly janitor: ChildProcess | undefined
}

/** Without a log of changes for others, and with little of its own, which lies in memory. */
const fastAndUnsafe = {
  fsync: "off",
  full_page_writes: "off",
  max_wal_senders: "0",
  max_wal_size: "192MB",
  synchronous_commit: "off",
  wal_level: "minimal"
}

/** The cleanup when this process is gone: the end of its standard input shows that, however the process ended. */
const clearance = `
cat
if read -r pid < "$0/postgres/data/postmaster.pid"; then
  kill -QUIT "$pid"
  while kill -0 "$pid"; do sleep 0.1; done
fi
rm -rf "$0"`

/** Test processes end without notice, so another one cleans up after them. */
const janitorOf = (directory: string): ChildProcess => {
  const janitor = spawn("sh", ["-c", clearance, directory], { detached: true, stdio: ["pipe", "ignore", "ignore"] })
  janitor.unref()
  return janitor
}

const start = Effect.gen(function* () {
  const url = process.env.FINDABLE_TEST_DATABASE_URL
  if (url !== undefined) return yield* reached({ url: Redacted.make(url) }, undefined)
  const directory = newDatabaseFolder()
  const janitor = janitorOf(directory)
  const location = yield* Layer.buildWithScope(layerEmbedded(fastAndUnsafe), yield* Scope.make()).pipe(
    Effect.withConfigProvider(ConfigProvider.fromMap(new Map([["FINDABLE_DATA_DIR", directory]])))
  )
  const { connection } = yield* Effect.provide(Location, location)
  return yield* reached(connection, janitor)
})

declare global {
  var findableTestServer: Promise<Server> | undefined
}

const server = () => {
  globalThis.findableTestServer ??= Effect.runPromise(
    Effect.tap(start, ({ connection, execute }) =>
      Effect.gen(function* () {
        yield* execute(`DROP DATABASE IF EXISTS ${template}`)
        yield* execute(`CREATE DATABASE ${template}`)
        yield* Effect.scoped(Layer.build(Layer.provide(database, place(connection, template))))
      })
    )
  ).catch((error: unknown) => {
    // The next suite tries again; otherwise every further file of this process would fail.
    globalThis.findableTestServer = undefined
    throw error
  })
  return globalThis.findableTestServer
}

const template = `findable_template_${process.pid}`

const at = (connection: PgClient.PgClientConfig, name: string): PgClient.PgClientConfig => {
  if (connection.url === undefined) return { ...connection, database: name }
  const url = new URL(Redacted.value(connection.url))
  url.pathname = `/${name}`
  return { ...connection, url: Redacted.make(url.href) }
}

const reached = (connection: PgClient.PgClientConfig, janitor: ChildProcess | undefined) =>
  Effect.gen(function* () {
    const lasting = yield* Scope.make()
    const sql = yield* PgClient.make({
      ...at(connection, "postgres"),
      applicationName: "tests",
      idleTimeout: "1 day",
      maxConnections: 1
    }).pipe(Effect.provide(Reactivity.layer), Scope.extend(lasting))
    return { connection, execute: (statement: string) => sql.unsafe(statement), janitor }
  })

const place = (connection: PgClient.PgClientConfig, name: string) =>
  Layer.succeed(Location, { connection: at(connection, name), description: name })

/** The services of a database copied from the template, whose migrations need no check. */
const migrated = LeaseMonitor.Default.pipe(Layer.provideMerge(Outages.Default), Layer.provideMerge(Client.layerNoDeps))

let made = 0

/** A migrated, empty database, dropped with the scope: `SqlClient` and `Location`. */
export const layer = Layer.unwrapScoped(
  Effect.gen(function* () {
    const { connection, execute } = yield* Effect.promise(server)
    const name = `findable_test_${process.pid}_${made++}`
    // Copied as files: the default, through the log, costs half as much again.
    yield* Effect.acquireRelease(execute(`CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY FILE_COPY`), () =>
      Effect.ignore(execute(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`))
    )
    return Layer.provideMerge(migrated, place(connection, name))
  })
)

/** Another installation in the current database, in another schema. */
export const beside = (schema: string) =>
  Layer.fresh(database).pipe(
    Layer.provideMerge(
      Layer.effect(
        Location,
        Effect.map(Location, (place) => ({ ...place, schema }))
      )
    )
  )

/** The current database as a `DATABASE_URL`, for separate processes. */
export const databaseUrl = Effect.map(Location, ({ connection }) =>
  connection.url === undefined
    ? `postgresql://${connection.username}@localhost/${connection.database}?host=${encodeURIComponent(connection.host ?? "")}`
    : Redacted.value(connection.url)
)
