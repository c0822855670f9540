import { type ChildProcess, spawn } from "node:child_process"
import { chmodSync, mkdtempSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Reactivity from "@effect/experimental/Reactivity"
import * as PgClient from "@effect/sql-pg/PgClient"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Scope from "effect/Scope"
import { layerNoDeps as database } from "../src/foundation/database/Database.ts"
import { Location, layerEmbedded } from "../src/foundation/database/Location.ts"

/**
 * The server under the tests: one embedded cluster a test process, started when the first suite asks for it and kept for all its files, with its
 * safety against power loss off; or the server of FINDABLE_TEST_DATABASE_URL. Each suite gets a database of its own, copied from one migrated template.
 */
interface Server {
  readonly connection: PgClient.PgClientConfig
  /** Clears up once this process is gone; it takes being forgotten for that. */
  readonly janitor: ChildProcess | undefined
}

const fastAndUnsafe = { fsync: "off", full_page_writes: "off", synchronous_commit: "off" }

/** What is done when this process is gone: the end of its standard input says so, however the process ended. */
const clearance = `
cat
if read -r pid < "$0/postgres/data/postmaster.pid"; then
  kill -QUIT "$pid"
  while kill -0 "$pid"; do sleep 0.1; done
fi
rm -rf "$0"`

/** Test processes end without a word, so another one clears up behind them. */
const janitorOf = (directory: string): ChildProcess => {
  const janitor = spawn("sh", ["-c", clearance, directory], { detached: true, stdio: ["pipe", "ignore", "ignore"] })
  janitor.unref()
  return janitor
}

const start = Effect.gen(function* () {
  const url = process.env.FINDABLE_TEST_DATABASE_URL
  if (url !== undefined) return { connection: { url: Redacted.make(url) }, janitor: undefined }
  const directory = mkdtempSync(join(tmpdir(), "findable-cluster-"))
  const janitor = janitorOf(directory)
  chmodSync(directory, 0o755)
  const location = yield* Layer.buildWithScope(layerEmbedded(fastAndUnsafe), yield* Scope.make()).pipe(
    Effect.withConfigProvider(ConfigProvider.fromMap(new Map([["FINDABLE_DATA_DIR", directory]])))
  )
  const { connection } = yield* Effect.provide(Location, location)
  return { connection, janitor }
})

declare global {
  var findableTestServer: Promise<Server> | undefined
}

const server = () => {
  globalThis.findableTestServer ??= Effect.runPromise(
    Effect.tap(start, ({ connection }) =>
      Effect.gen(function* () {
        yield* execute(connection, `DROP DATABASE IF EXISTS ${template}`)
        yield* execute(connection, `CREATE DATABASE ${template}`)
        yield* Effect.scoped(Layer.build(inDatabase(connection, template)))
      })
    )
  )
  return globalThis.findableTestServer
}

const template = `findable_template_${process.pid}`

const at = (connection: PgClient.PgClientConfig, name: string): PgClient.PgClientConfig => {
  if (connection.url === undefined) return { ...connection, database: name }
  const url = new URL(Redacted.value(connection.url))
  url.pathname = `/${name}`
  return { ...connection, url: Redacted.make(url.href) }
}

const execute = (connection: PgClient.PgClientConfig, statement: string) =>
  PgClient.make({ ...at(connection, "postgres"), applicationName: "tests", maxConnections: 1 }).pipe(
    Effect.flatMap((sql) => sql.unsafe(statement)),
    Effect.provide(Reactivity.layer),
    Effect.scoped
  )

const inDatabase = (connection: PgClient.PgClientConfig, name: string) =>
  database.pipe(Layer.provideMerge(Layer.succeed(Location, { connection: at(connection, name), description: name })))

let made = 0

/** A migrated, empty database of one's own, dropped with the scope: `SqlClient` and `Location`. */
export const layer = Layer.unwrapScoped(
  Effect.gen(function* () {
    const { connection } = yield* Effect.promise(server)
    const name = `findable_test_${process.pid}_${made++}`
    yield* Effect.acquireRelease(execute(connection, `CREATE DATABASE ${name} TEMPLATE ${template}`), () =>
      Effect.ignore(execute(connection, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`))
    )
    return inDatabase(connection, name)
  })
)

/** Another installation in the database of the one at hand, in a schema of its own. */
export const beside = (schema: string) =>
  Layer.fresh(database).pipe(
    Layer.provideMerge(
      Layer.effect(
        Location,
        Effect.map(Location, (place) => ({ ...place, schema }))
      )
    )
  )

/** The same place as a `DATABASE_URL`, for processes of their own. */
export const databaseUrl = Effect.map(Location, ({ connection }) =>
  connection.url === undefined
    ? `postgresql://${connection.username}@localhost/${connection.database}?host=${encodeURIComponent(connection.host ?? "")}`
    : Redacted.value(connection.url)
)
