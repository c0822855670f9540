import * as Reactivity from "@effect/experimental/Reactivity"
import * as BunContext from "@effect/platform-bun/BunContext"
import * as PgClient from "@effect/sql-pg/PgClient"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"
import * as Cluster from "./embedded/Cluster.ts"
import * as Place from "./embedded/Place.ts"
import * as ServerLog from "./embedded/ServerLog.ts"
import { DatabaseUrl, DataDirectory } from "./Settings.ts"

/** How to reach the database of this installation. */
export class Location extends Context.Tag("database/Location")<
  Location,
  { readonly connection: PgClient.PgClientConfig; readonly description: string }
>() {}

const database = "findable"

/** The name of this process's sessions in PostgreSQL. */
const applicationName = `findable ${process.pid}`

const connectionTo = (sockets: string, name: string): PgClient.PgClientConfig => ({
  applicationName,
  database: name,
  host: sockets,
  port: 5432,
  username: Cluster.superuser
})

/** A separate connection to the maintenance database. */
const maintenance = (sockets: string) =>
  PgClient.make({ ...connectionTo(sockets, "postgres"), applicationName: "maintenance", maxConnections: 1 }).pipe(
    Effect.provide(Reactivity.layer)
  )

const createDatabase = Effect.fnUntraced(function* (sockets: string) {
  // The cluster may still be starting.
  const sql = yield* Effect.retry(maintenance(sockets), { schedule: Schedule.spaced("100 millis"), times: 100 })
  const rows = yield* sql`SELECT 1 FROM pg_database WHERE datname = ${database}`
  // Two starters may both find none; the second one's error means only that the first was quicker.
  if (rows.length === 0) yield* Effect.ignore(sql.unsafe(`CREATE DATABASE ${database}`))
}, Effect.scoped)

/** The last of our processes stops the cluster; sessions of other programs do not keep it running. */
const closeWhenLast = Effect.fnUntraced(function* (place: Place.Place) {
  const sql = yield* maintenance(place.sockets)
  const others = yield* sql`
    SELECT 1 FROM pg_stat_activity WHERE application_name LIKE 'findable %' AND application_name <> ${applicationName} LIMIT 1`
  return others.length === 0
}, Effect.scoped)

const embedded = (settings: Readonly<Record<string, string>>) =>
  Effect.gen(function* () {
    const place = yield* Place.prepare(yield* DataDirectory)
    yield* Effect.forEach(place.notices, (notice) => Effect.logInfo(notice))
    yield* ServerLog.keepShort(place)
    yield* Effect.acquireRelease(Cluster.start(place, settings), () =>
      closeWhenLast(place).pipe(
        Effect.flatMap((last) => Effect.when(Cluster.stop(place), () => last)),
        Effect.ignoreLogged
      )
    )
    yield* createDatabase(place.sockets)
    return Location.of({
      connection: connectionTo(place.sockets, database),
      description: `embedded PostgreSQL ${place.binaries.version} in ${place.data}`
    })
  })

/** The database that `DATABASE_URL` names, else the embedded one, started if it is not running. */
export const layer = Layer.scoped(
  Location,
  Effect.flatMap(DatabaseUrl, (url) =>
    Option.match(url, {
      onNone: () => embedded({}),
      onSome: (url) =>
        Effect.succeed(Location.of({ connection: { applicationName, url }, description: "the server of DATABASE_URL" }))
    })
  )
).pipe(Layer.provide(BunContext.layer))

/** An embedded database with given settings, for tests and embedding programs. */
export const layerEmbedded = (settings: Readonly<Record<string, string>>) =>
  Layer.scoped(Location, embedded(settings)).pipe(Layer.provide(BunContext.layer))
