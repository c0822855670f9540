import { describe, expect } from "bun:test"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Queue from "effect/Queue"
import * as Database from "../../../src/foundation/database/Database.ts"
import { Location } from "../../../src/foundation/database/Location.ts"
import * as Migrations from "../../../src/foundation/database/Migrations.ts"
import { isCurrent, migrate, migrateFrom, prepare, rehearse } from "../../../src/foundation/database/Migrations.ts"
import { listen } from "../../../src/foundation/database/Wakeups.ts"
import * as cluster from "../../cluster.ts"
import { suite } from "../../harness.ts"
import { tablesOf } from "./tables.ts"

const it = suite(cluster.layer)

/** A directory of migrations, removed with the scope. */
const files = (content: Record<string, string>) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const directory = mkdtempSync(join(tmpdir(), "findable-sql-"))
      for (const [name, text] of Object.entries(content)) writeFileSync(join(directory, name), text)
      return directory
    }),
    (directory) => Effect.sync(() => rmSync(directory, { recursive: true }))
  ).pipe(Effect.map((directory) => pathToFileURL(directory)))

const once = new Bun.CryptoHasher("sha256").update("CREATE TABLE once (n integer); SELECT pg_sleep(0.1)").digest("hex")

describe("migrations", () => {
  it("of a fresh database are all applied, and a second run applies none", function* () {
    expect(yield* isCurrent).toBe(true)
    expect(yield* migrate).toEqual([])
  })

  it("refuse a file that was changed after it had been applied", function* () {
    const sql = yield* SqlClient.SqlClient
    yield* sql`UPDATE schema_migrations SET checksum = 'other' WHERE id = 1`
    const { message } = yield* Effect.flip(migrate)
    expect(message).toBe("sql/0001_installation.sql was changed after it had been applied: restore the released file")
  })

  it("that start at once on several nodes are applied by one of them", function* () {
    const directory = yield* files({ "0100_once.sql": "CREATE TABLE once (n integer); SELECT pg_sleep(0.1)" })
    const sql = yield* SqlClient.SqlClient
    yield* sql`TRUNCATE schema_migrations`
    const applied = yield* Effect.replicateEffect(migrateFrom(directory), 4).pipe(Effect.withConcurrency(4))
    const together = yield* Effect.all([migrateFrom(directory), migrateFrom(directory)], { concurrency: 2 })
    expect([...applied, ...together].flat()).toEqual(["0100_once.sql"])
  })

  const broken: ReadonlyArray<readonly [title: string, files: Record<string, string>, message: string]> = [
    [
      "a file that fails",
      { "0001_bad.sql": "CREATE TABLE half (n int); SELEC 1" },
      'sql/0001_bad.sql failed with SQLSTATE 42601: syntax error at or near "SELEC"'
    ],
    ["a file with another name", { "1_bad.sql": "" }, "sql/1_bad.sql is not named NNNN_name.sql"],
    [
      "a database that is newer",
      { "0001_a.sql": "SELECT 1" },
      "The database is newer than this program: it has migration 100. Start a newer version."
    ],
    [
      "a file that comes late",
      { "0099_late.sql": "SELECT 1", "0100_once.sql": "CREATE TABLE once (n integer); SELECT pg_sleep(0.1)" },
      "sql/0099_late.sql is older than migration 100, which was applied: give it a higher number"
    ]
  ]
  for (const [title, content, message] of broken) {
    it(`tell of ${title} in one sentence, and keep nothing of the run`, function* () {
      const sql = yield* SqlClient.SqlClient
      if (message.includes("SQLSTATE")) yield* sql`TRUNCATE schema_migrations`
      else
        yield* sql`INSERT INTO schema_migrations (id, file, checksum) SELECT 100, 'o', ${once} ON CONFLICT DO NOTHING`
      const failure = yield* Effect.flip(migrateFrom(yield* files(content)))
      expect(failure.message).toBe(message)
      const [found] = yield* sql<{ half: string | null }>`SELECT to_regclass('half')::text AS half`
      expect(found?.half).toBeNull()
    })
  }
})

const addAccount = (name: string) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) => sql`INSERT INTO accounts (name, plan) VALUES (${name}, 'free')`)

const accounts = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  Effect.map(sql<{ name: string }>`SELECT name FROM accounts ORDER BY 1`, (rows) => rows.map(({ name }) => name))
)

describe("two installations in one database", () => {
  it("have the same tables, each in its schema, and each its own rows", function* () {
    const before = yield* tablesOf("public")
    yield* addAccount("first")
    const others = yield* Effect.provide(Effect.zipRight(addAccount("second"), accounts), cluster.beside("second"))
    expect(others).toEqual(["second"])
    expect(yield* accounts).toEqual(["first"])
    expect(yield* tablesOf("second")).toEqual(before)
    expect(yield* tablesOf("public")).toEqual(before)
  })

  it("have parts of the same months", function* () {
    const make = Effect.flatMap(
      SqlClient.SqlClient,
      (sql) => sql`SELECT ensure_ranking_partitions('2024-02-01', '2024-03-01')`
    )
    yield* make
    yield* Effect.provide(make, cluster.beside("second"))
    const parts = (yield* tablesOf("public")).filter((name) => /_2024_/.test(name))
    expect(parts.length).toBeGreaterThan(3)
    expect((yield* tablesOf("second")).filter((name) => /_2024_/.test(name))).toEqual(parts)
  })

  it("hear their own wake-ups alone", () =>
    Effect.gen(function* () {
      const second = yield* Layer.build(cluster.beside("second"))
      const sql = yield* SqlClient.SqlClient
      const others = Context.get(second, SqlClient.SqlClient)
      const tell = (sql: SqlClient.SqlClient, text: string) =>
        sql`SELECT ${Migrations.notify(sql, "a_channel", sql`${text}`)}`
      const hears = (place: typeof Location.Service) =>
        Effect.gen(function* () {
          const heard = yield* Queue.unbounded<string>()
          yield* Effect.forkScoped(listen(place, "a_channel", (text) => Queue.offer(heard, text)))
          return heard
        })
      const first = yield* hears(yield* Location)
      const other = yield* hears(Context.get(second, Location))
      /** Calls until the listener is there. */
      const wake = (sql: SqlClient.SqlClient, heard: Queue.Queue<string>) =>
        tell(sql, "awake").pipe(
          Effect.zipRight(Effect.timeoutOption(Queue.take(heard), "50 millis")),
          Effect.repeat({ until: (answer) => answer._tag === "Some" })
        )
      yield* wake(sql, first)
      yield* wake(others, other)
      // Notifications arrive in the order of their transactions.
      yield* tell(sql, "for the first")
      yield* tell(others, "for the second")
      yield* tell(sql, "end")
      yield* tell(others, "end")
      const all = (heard: Queue.Queue<string>) =>
        Effect.map(
          Effect.iterate(["awake"], {
            body: (texts) => Effect.map(Queue.take(heard), (text) => [...texts, text]),
            while: (texts) => texts.at(-1) !== "end"
          }),
          (texts) => texts.filter((text) => text !== "awake")
        )
      expect(yield* all(first)).toEqual(["for the first", "end"])
      expect(yield* all(other)).toEqual(["for the second", "end"])
    }).pipe(Effect.scoped))

  it("do not wait for each other's locks", function* () {
    const taken = yield* Deferred.make<void>()
    const done = yield* Deferred.make<void>()
    const held = <A, E, R>(within: Effect.Effect<A, E, R>) =>
      Effect.flatMap(SqlClient.SqlClient, (sql) =>
        sql`SET LOCAL lock_timeout = '2s'`.pipe(
          Effect.zipRight(sql`SELECT ${Migrations.lock(sql, sql`${42}::bigint`)}`),
          Effect.zipRight(within),
          sql.withTransaction
        )
      )
    const holder = yield* Effect.fork(held(Effect.zipRight(Deferred.succeed(taken, undefined), Deferred.await(done))))
    yield* Deferred.await(taken)
    yield* Effect.provide(held(Effect.void), cluster.beside("second"))
    const { cause } = yield* Effect.flip(held(Effect.void))
    expect(String(cause)).toContain("lock timeout")
    yield* Deferred.succeed(done, undefined)
    yield* Fiber.join(holder)
  })
})

/** Starts an installation in a schema; answers why it does not start. */
const refusal = (schema: string) =>
  Effect.map(Effect.flip(Effect.scoped(Layer.build(cluster.beside(schema)))), (error) => error.message)

describe("a schema", () => {
  it("that holds tables of another program is refused with the setting's name, and left as it is", function* () {
    const sql = yield* SqlClient.SqlClient
    yield* sql.unsafe("CREATE SCHEMA shop; CREATE TABLE shop.projects (id integer)")
    expect(yield* refusal("shop")).toBe(
      'sql/0003_projects.sql failed with SQLSTATE 42P07: relation "projects" already exists: the schema holds another program\'s. ' +
        "Set FINDABLE_DATABASE_SCHEMA to another name, such as findable, and Findable makes a schema of its own"
    )
    expect(yield* tablesOf("shop")).toEqual(["projects"])
    yield* sql.unsafe("CREATE TABLE shop.schema_migrations (version text)")
    expect(yield* refusal("shop")).toStartWith(
      "Schema shop of this database belongs to another program, which has a table schema_migrations there: set FINDABLE_DATABASE_SCHEMA"
    )
    expect(yield* tablesOf("shop")).toEqual(["projects", "schema_migrations"])
  })

  it("that an installation shares with a later table of another program is named with the way out", function* () {
    const sql = yield* SqlClient.SqlClient
    yield* sql`DELETE FROM schema_migrations WHERE id > 7`
    expect(yield* refusal("public")).toContain(
      "the schema holds one that is not Findable's. Rename that, or move this installation to a schema of its own: backup, then restore with FINDABLE_DATABASE_SCHEMA"
    )
  })

  it("is made with the extensions where they are, and where only another role may make it, that is said", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql.unsafe("CREATE SCHEMA tools; DROP EXTENSION pg_trgm CASCADE; CREATE EXTENSION pg_trgm SCHEMA tools")
      expect(yield* Effect.provide(tablesOf("findable"), cluster.beside("findable"))).toContain("accounts")
      const role = `findable_guest_${process.pid}`
      yield* Effect.acquireRelease(sql.unsafe(`CREATE ROLE ${role}`), () =>
        Effect.ignore(sql.unsafe(`DROP OWNED BY ${role}; DROP ROLE ${role}`))
      )
      const asGuest = (schema: string) =>
        Effect.map(
          Effect.flip(
            Effect.flatMap(SqlClient.SqlClient, (sql) =>
              sql`SELECT set_config('role', ${role}, true), set_config('search_path', ${schema}, true)`.pipe(
                Effect.zipRight(prepare),
                sql.withTransaction
              )
            )
          ),
          ({ message }) => message
        )
      expect(yield* asGuest("nowhere")).toBe(
        `The role ${role} may not make schema nowhere, which FINDABLE_DATABASE_SCHEMA names: CREATE SCHEMA nowhere AUTHORIZATION ${role}, as a role that may`
      )
      expect(yield* asGuest("tools")).toStartWith(
        `The role ${role} may not make tables in schema tools: GRANT USAGE, CREATE`
      )
    }).pipe(Effect.scoped))

  it("that the migrations were only tried in is not there afterwards", function* () {
    const sql = yield* SqlClient.SqlClient
    yield* sql`SET LOCAL search_path = tried`.pipe(Effect.zipRight(rehearse), sql.withTransaction)
    expect(yield* sql`SELECT FROM pg_namespace WHERE nspname = 'tried'`).toEqual([])
  })

  it("of an installation to which the role's own path leads is not passed by", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* Effect.scoped(Layer.build(cluster.beside("former")))
      yield* sql.unsafe("DROP SCHEMA public CASCADE; CREATE SCHEMA public")
      yield* sql.unsafe(
        "DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET search_path = former', current_database()); END $$"
      )
      expect(yield* refusal("public")).toContain("set FINDABLE_DATABASE_SCHEMA=former, or")
      expect(yield* tablesOf("public")).toEqual([])
    }).pipe(Effect.provide(Layer.fresh(cluster.layer))))
})

/** The message that names process and secret of a session (PostgreSQL manual, "Message Formats"): its type and its length. */
const keyData = Buffer.from([0x4b, 0, 0, 0, 12])

/** What a pooler does to a handshake: the session that it names is one of its own, and no server knows it. */
const renamed = (bytes: Buffer) => {
  const at = bytes.indexOf(keyData)
  if (at !== -1) bytes.writeInt32BE(bytes.readInt32BE(at + keyData.length) + 1_000_000, at + keyData.length)
  return bytes
}

/** The place at hand, reached through a proxy that names its sessions as a connection pooler does. */
const pooled = Effect.gen(function* () {
  const place = yield* Location
  const { host = "localhost", port = 5432 } = place.connection
  const server = yield* Effect.acquireRelease(
    Effect.sync(() =>
      Bun.listen<{ upstream: ReturnType<typeof Bun.connect> }>({
        hostname: "127.0.0.1",
        port: 0,
        socket: {
          close: (client) => void client.data.upstream.then((upstream) => upstream.end()),
          data: (client, bytes) => {
            const sent = Buffer.from(bytes)
            void client.data.upstream.then((upstream) => upstream.write(sent))
          },
          open: (client) => {
            const socket = {
              close: () => void client.end(),
              data: (_: unknown, bytes: Buffer) => void client.write(renamed(Buffer.from(bytes)))
            }
            client.data = {
              upstream: host.startsWith("/")
                ? Bun.connect({ socket, unix: `${host}/.s.PGSQL.${port}` })
                : Bun.connect({ hostname: host, port, socket })
            }
          }
        }
      })
    ),
    (server) => Effect.sync(() => server.stop(true))
  )
  return { ...place, connection: { ...place.connection, host: "127.0.0.1", port: server.port } }
})

describe("sessions of a connection pooler", () => {
  const opened = (schema: string) =>
    Effect.gen(function* () {
      const place = Layer.succeed(Location, { ...(yield* pooled), schema })
      return yield* Effect.scoped(
        Effect.provide(
          Effect.flatMap(
            SqlClient.SqlClient,
            (sql) => sql<{ path: string }>`SELECT current_setting('search_path') AS path`
          ),
          Layer.fresh(Database.layerNoDeps).pipe(Layer.provide(place))
        )
      )
    })

  it("keep the path that they have, and are refused where it leads elsewhere", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      expect(yield* opened("public")).toEqual([{ path: '"$user", public' }])
      const { message } = yield* Effect.flip(opened("behind"))
      expect(message).toStartWith(
        `The connection pooler's sessions have the search_path "$user", public, and this installation's schema is behind: `
      )
      yield* sql.unsafe(
        "DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET search_path = behind', current_database()); END $$"
      )
      expect(yield* opened("behind")).toEqual([{ path: "behind" }])
      expect(yield* tablesOf("behind")).toContain("accounts")
    }).pipe(Effect.scoped, Effect.provide(Layer.fresh(cluster.layer))))
})
