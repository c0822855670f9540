import * as Reactivity from "@effect/experimental/Reactivity"
import * as Path from "@effect/platform/Path"
import * as BunContext from "@effect/platform-bun/BunContext"
import * as PgClient from "@effect/sql-pg/PgClient"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type * as Redacted from "effect/Redacted"
import * as Schedule from "effect/Schedule"
import { Refused } from "../schema/DomainError.ts"
import * as Place from "./EmbeddedFiles.ts"
import * as EmbeddedServer from "./EmbeddedServer.ts"

import { DatabaseSchema, DatabaseUrl, DataDirectory } from "./Settings.ts"

/** How to reach the database of this installation. */
export class Location extends Context.Tag("database/Location")<
  Location,
  {
    readonly connection: PgClient.PgClientConfig
    readonly description: string
    /** The schema of the tables; `public` by default. */
    readonly schema?: string
  }
>() {}

const database = "findable"

/** The name of this process's sessions in PostgreSQL, at most 63 bytes. A restore finds the nodes of a schema by this name. */
const applicationNameIn = (schema: string) =>
  `findable ${process.pid}${schema === "public" ? "" : ` in ${schema.slice(0, 40)}`}`

const connectionTo = (sockets: string, applicationName: string, name: string): PgClient.PgClientConfig => ({
  applicationName,
  database: name,
  host: sockets,
  port: 5432,
  username: EmbeddedServer.superuser
})

/** A separate connection to the maintenance database. */
const maintenance = (sockets: string) =>
  PgClient.make({ ...connectionTo(sockets, "maintenance", "postgres"), maxConnections: 1 }).pipe(
    Effect.provide(Reactivity.layer)
  )

/** Whether the cluster has our database; the cluster may still be starting. */
const hasDatabase = Effect.fnUntraced(function* (sockets: string) {
  const sql = yield* Effect.retry(maintenance(sockets), { schedule: Schedule.spaced("100 millis"), times: 100 })
  return (yield* sql`SELECT 1 FROM pg_database WHERE datname = ${database}`).length > 0
}, Effect.scoped)

const createDatabase = Effect.fnUntraced(function* (sockets: string) {
  if (yield* hasDatabase(sockets)) return
  const sql = yield* maintenance(sockets)
  // Two starters may both find no database; the second one's error only means that the first was quicker.
  yield* Effect.ignore(sql.unsafe(`CREATE DATABASE ${database}`))
}, Effect.scoped)

/** The last of our processes stops the cluster, even while other programs have sessions. */
const closeWhenLast = Effect.fnUntraced(function* (place: Place.Place, applicationName: string) {
  const sql = yield* maintenance(place.sockets)
  const others = yield* sql`
    SELECT 1 FROM pg_stat_activity WHERE application_name LIKE 'findable %' AND application_name <> ${applicationName} LIMIT 1`
  return others.length === 0
}, Effect.scoped)

/** The database of the embedded cluster. The cluster starts if it is not running, and stops with the last process that uses it. */
const embedded = (settings: Readonly<Record<string, string>>) =>
  Effect.gen(function* () {
    const schema = yield* DatabaseSchema
    const applicationName = applicationNameIn(schema)
    const place = yield* Place.prepare(yield* DataDirectory)
    yield* Effect.forEach(place.notices, (notice) => Effect.logInfo(notice))
    yield* EmbeddedServer.keepShort(place)
    yield* Effect.acquireRelease(EmbeddedServer.start(place, settings), () =>
      closeWhenLast(place, applicationName).pipe(
        Effect.flatMap((last) => Effect.when(EmbeddedServer.stop(place), () => last)),
        Effect.ignoreLogged
      )
    )
    const found = Location.of({
      connection: connectionTo(place.sockets, applicationName, database),
      description: `embedded PostgreSQL ${place.binaries.version} in ${place.data}`,
      schema
    })
    return { found, place }
  })

const embeddedMade = (settings: Readonly<Record<string, string>>) =>
  Effect.tap(embedded(settings), ({ place }) => createDatabase(place.sockets))

const named = (url: Redacted.Redacted) =>
  Effect.map(DatabaseSchema, (schema) =>
    Location.of({
      connection: { applicationName: applicationNameIn(schema), url },
      description: "the PostgreSQL server of DATABASE_URL",
      schema
    })
  )

/** The database of `DATABASE_URL`, else the embedded one, which starts if it is not running and restarts when it ends. */
export const layer = Layer.scoped(
  Location,
  Effect.flatMap(
    DatabaseUrl,
    Option.match({
      onNone: () =>
        embeddedMade({}).pipe(
          Effect.tap(({ place }) => EmbeddedServer.keepRunning(place, {})),
          Effect.map(({ found }) => found)
        ),
      onSome: named
    })
  )
).pipe(Layer.provide(BunContext.layer))

/** The existing database, if any: an existing embedded cluster is started, and no directory, cluster or database is created. */
export const find = Effect.flatMap(
  DatabaseUrl,
  Option.match({
    onNone: () =>
      Effect.gen(function* () {
        if (!(yield* Place.isMade(yield* DataDirectory))) return Option.none()
        const { found, place } = yield* embedded({})
        if (!(yield* hasDatabase(place.sockets))) return Option.none()
        yield* EmbeddedServer.keepRunning(place, {})
        return Option.some(found)
      }),
    onSome: (url) => Effect.asSome(named(url))
  })
).pipe(Effect.provide(BunContext.layer))

/** The data directory as an absolute path. */
export const dataDirectory = Effect.gen(function* () {
  const path = yield* Path.Path
  return path.resolve(yield* DataDirectory)
}).pipe(Effect.provide(BunContext.layer))

/** Where commands look for data, in the words of the administrator. */
export const whereabouts = Effect.flatMap(
  DatabaseUrl,
  Option.match({ onNone: () => dataDirectory, onSome: () => Effect.succeed("the database of DATABASE_URL") })
)

/** The existing database. Without one the layer fails with the searched place, and creates nothing. */
export const layerExisting = Layer.scoped(
  Location,
  Effect.flatMap(
    find,
    Option.match({
      onNone: () =>
        Effect.flatMap(
          dataDirectory,
          (directory) =>
            new Refused({
              message: `There is no Findable data in ${directory}. Set FINDABLE_DATA_DIR to the data directory of your server, or start the server here first.`
            })
        ),
      onSome: Effect.succeed
    })
  )
)

/** An embedded database with given settings, for tests and embedding programs. */
export const layerEmbedded = (settings: Readonly<Record<string, string>>) =>
  Layer.scoped(
    Location,
    Effect.map(embeddedMade(settings), ({ found }) => found)
  ).pipe(Layer.provide(BunContext.layer))
