import * as Command from "@effect/cli/Command"
import * as BunContext from "@effect/platform-bun/BunContext"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Record from "effect/Record"
import { checkEquipment } from "../../features/audits/run/Lighthouse.ts"
import { findRenderer, Rendering } from "../../foundation/browser/Settings.ts"
import type { Sandbox } from "../../foundation/browser/Start.ts"
import * as Client from "../../foundation/database/Client.ts"
import { checkWritable } from "../../foundation/database/EmbeddedFiles.ts"
import * as Location from "../../foundation/database/Location.ts"
import { examine, isCurrent, isWritable, rehearse } from "../../foundation/database/Migrations.ts"
import { DatabaseSchema, DataDirectory } from "../../foundation/database/Settings.ts"
import { isSqlError, sqlMessage } from "../../foundation/database/SqlState.ts"
import { selfTest } from "../../foundation/outbound/Guarded.ts"
import { Refused } from "../../foundation/schema/DomainError.ts"
import * as Cipher from "../../foundation/secrets/Cipher.ts"
import * as MasterKey from "../../foundation/secrets/MasterKey.ts"
import { described } from "../../foundation/terminal/CommandLine.ts"
import { json, print } from "../../foundation/terminal/Output.ts"
import { invocation } from "../../foundation/terminal/Terminal.ts"

/** The result of one check: a sentence, and whether a server can start. */
interface Found {
  readonly said: string
  readonly fit: boolean
}

const found = <E extends { readonly message: string }, R>(
  check: Effect.Effect<string, E, R>
): Effect.Effect<Found, never, R> =>
  Effect.match(check, {
    onFailure: (error) => ({ fit: false, said: isSqlError(error) ? sqlMessage(error) : error.message }),
    onSuccess: (said) => ({ fit: true, said })
  })

const fine = (said: string): Found => ({ fit: true, said })

const version = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  Effect.map(
    sql<{ version: string }>`SELECT current_setting('server_version') AS version`,
    ([row]) => row?.version ?? "unknown"
  )
)

/**
 * Whether the schema fits this program, or can be migrated. Migrations of an installation are not tried, because they would lock its servers out of the tables.
 */
const schemaState = Effect.gen(function* () {
  const schema = yield* DatabaseSchema
  if (!(yield* isWritable)) {
    return yield* new Refused({ message: "The database is read-only. Set DATABASE_URL to the primary server." })
  }
  if (yield* isCurrent) return `OK: schema ${schema} is up to date`
  if (yield* examine) return `schema ${schema} needs an update: start the server, or run \`${invocation} migrate\``
  yield* rehearse
  return `OK: schema ${schema} is empty. The first start creates the tables`
})

/** The key of this machine without a database for comparison. The first start creates a missing key. */
const keyAlone = Effect.gen(function* () {
  const key = yield* MasterKey.find
  if (Option.isSome(key)) return "OK: the first start records the master key"
  yield* checkWritable(yield* DataDirectory)
  return "OK: the first start creates a key file"
}).pipe(Effect.provide(BunContext.layer))

const ofDatabase = Effect.gen(function* () {
  const { description } = yield* Location.Location
  return {
    database: fine(description),
    server_version: fine(yield* version),
    schema: yield* found(schemaState),
    secrets: yield* found(Effect.zipRight(keyAlone, Cipher.examine))
  }
})

const toBeMade = Effect.gen(function* () {
  const directory = yield* Location.dataDirectory
  yield* checkWritable(directory)
  return {
    database: fine(`OK: none yet. The first start creates one in ${directory}`),
    schema: fine("OK: none yet. The first start creates it"),
    secrets: yield* found(keyAlone)
  }
})

/** The state of the database and its dependents. */
const stored = Effect.scoped(
  Effect.gen(function* () {
    const place = yield* Location.find
    if (Option.isNone(place)) return yield* Effect.provide(toBeMade, BunContext.layer)
    const client = Client.layerNoDeps.pipe(Layer.provideMerge(Layer.succeed(Location.Location, place.value)))
    return yield* Effect.provide(ofDatabase, client)
  })
).pipe(
  Effect.catchAll((error) =>
    Effect.gen(function* () {
      const { said } = yield* found(Effect.fail(error))
      const isSilent = Predicate.isTagged(error, "DatabaseUnreachable")
      const advice = isSilent ? ". Check that PostgreSQL is running and that DATABASE_URL is right" : ""
      return {
        database: { fit: false, said: `${said}${advice}` },
        schema: fine("not checked, because the database cannot be reached"),
        secrets: yield* found(keyAlone)
      }
    })
  )
)

/** How the pages of strangers are kept from this machine, after the name and version of the browser. */
const sandboxes: Readonly<Record<Sandbox, string>> = {
  dropped: "with its sandbox, as the user nobody, because this command runs as root: prefer an ordinary user",
  none: "without its sandbox, because FINDABLE_RENDER is unsandboxed",
  user: "with its sandbox"
}

/** The browser that crawls render with, which is started for a moment: only then its version is known, and whether its sandbox works. */
const rendering = Effect.scoped(
  Effect.gen(function* () {
    yield* findRenderer
    const unsandboxed = (yield* Rendering) === "unsandboxed"
    const { startBrowser, usualBounds } = yield* Effect.promise(() => import("../../foundation/browser/Browser.ts"))
    const { product, sandbox } = yield* startBrowser({ bounds: usualBounds, unsandboxed })
    return `OK: ${product} ${sandboxes[sandbox]}`
  })
).pipe(Effect.provide(BunContext.layer))

/**
 * `doctor`: checks the needs of a server, reports each problem in words and changes nothing. Rendering and audits are reported but not required.
 */
export const doctor = Command.make("doctor", { json }, ({ json }) =>
  Effect.gen(function* () {
    const directory = yield* found(Location.dataDirectory)
    const needed = {
      data_directory: directory,
      ...(yield* stored),
      outbound: yield* found(Effect.as(selfTest, "OK: requests to private networks are blocked"))
    }
    const audits = yield* found(Effect.as(checkEquipment, "OK: Lighthouse and Chromium are installed"))
    const rendered = yield* found(rendering)
    yield* print({ ...Record.map(needed, ({ said }) => said), rendering: rendered.said, audits: audits.said }, json)
    const unfit = Object.entries(needed).flatMap(([name, { fit }]) => (fit ? [] : [name]))
    if (unfit.length > 0)
      return yield* new Refused({ message: `The server cannot start here. Fix ${unfit.join(", ")} above.` })
  })
).pipe(
  Command.withDescription(
    described(
      "Check whether the server can start here, and whether rendering and audits can run. Changes nothing",
      "doctor",
      {
        0: "A server can start here",
        1: "A server cannot start here, with the reason on stderr"
      }
    )
  )
)
