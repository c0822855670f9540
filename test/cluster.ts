import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Reactivity from "@effect/experimental/Reactivity"
import * as PgClient from "@effect/sql-pg/PgClient"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Scope from "effect/Scope"
import { layerNoDeps as database } from "../src/database/Database.ts"
import { Location, layerEmbedded } from "../src/database/Location.ts"

/**
 * The server under the tests: one embedded cluster a test process, started when the first suite asks for it, with its safety against power loss
 * off; or the server of FINDABLE_TEST_DATABASE_URL. Each suite gets a database of its own, copied from one migrated template.
 */
interface Server {
  readonly connection: PgClient.PgClientConfig
  readonly scope: Scope.CloseableScope
  readonly directory: string | undefined
}

const prefix = "findable-test-"
const fastAndUnsafe = { fsync: "off", full_page_writes: "off", synchronous_commit: "off" }

const isAlive = (pid: number) => {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

/** Clusters of test processes that were killed are swept by the next one. */
const sweep = () => {
  for (const name of readdirSync(tmpdir()).filter((entry) => entry.startsWith(prefix))) {
    if (isAlive(Number(name.slice(prefix.length).split("-")[0]))) continue
    const directory = join(tmpdir(), name)
    const data = join(directory, "postgres", "data")
    try {
      process.kill(Number(readFileSync(join(data, "postmaster.pid"), "utf8").split("\n")[0]), "SIGQUIT")
    } catch {}
    rmSync(directory, { force: true, recursive: true })
  }
}

const start = Effect.gen(function* () {
  const scope = yield* Scope.make()
  const url = process.env.FINDABLE_TEST_DATABASE_URL
  if (url !== undefined) return { connection: { url: Redacted.make(url) }, directory: undefined, scope }
  sweep()
  const directory = mkdtempSync(join(tmpdir(), `${prefix}${process.pid}-`))
  chmodSync(directory, 0o755)
  const location = yield* Layer.buildWithScope(layerEmbedded(fastAndUnsafe), scope).pipe(
    Effect.withConfigProvider(ConfigProvider.fromMap(new Map([["FINDABLE_DATA_DIR", directory]])))
  )
  const { connection } = yield* Effect.provide(Location, location)
  return { connection, directory, scope }
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

export const stopCluster = async () => {
  const running = await globalThis.findableTestServer
  globalThis.findableTestServer = undefined
  if (running === undefined) return
  await Effect.runPromise(Scope.close(running.scope, Exit.void))
  if (running.directory !== undefined) rmSync(running.directory, { force: true, recursive: true })
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

/** A migrated, empty database of one's own, dropped with the scope: `SqlClient`, `PgClient` and `Location`. */
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

/** The same place as a `DATABASE_URL`, for processes of their own. */
export const databaseUrl = Effect.map(Location, ({ connection }) =>
  connection.url === undefined
    ? `postgresql://${connection.username}@localhost/${connection.database}?host=${encodeURIComponent(connection.host ?? "")}`
    : Redacted.value(connection.url)
)
