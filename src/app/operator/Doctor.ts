import * as Command from "@effect/cli/Command"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Record from "effect/Record"
import { checkEquipment } from "../../features/audits/run/Equipment.ts"
import * as Client from "../../foundation/database/Client.ts"
import * as Location from "../../foundation/database/Location.ts"
import { isCurrent } from "../../foundation/database/Migrations.ts"
import { selfTest } from "../../foundation/outbound/Guarded.ts"
import { Refused } from "../../foundation/schema/DomainError.ts"
import * as InstallationKey from "../../foundation/secrets/InstallationKey.ts"
import { described } from "../../foundation/terminal/Help.ts"
import { json, print } from "../../foundation/terminal/Output.ts"

/** The finding of one check: a sentence, and whether a node can start. */
interface Found {
  readonly said: string
  readonly fit: boolean
}

const found = <E extends { readonly message: string }, R>(
  check: Effect.Effect<string, E, R>
): Effect.Effect<Found, never, R> =>
  Effect.match(check, {
    onFailure: ({ message }) => ({ fit: false, said: message }),
    onSuccess: (said) => ({ fit: true, said })
  })

/** Where the database is and whether it answers. */
const databaseReport = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { description } = yield* Location.Location
  const [row] = yield* sql<{ version: string }>`SELECT current_setting('server_version') AS version`
  return { database: description, server_version: row?.version ?? "unknown" }
})

const schemaState = Effect.map(isCurrent, (current) =>
  current ? "up to date" : "migrations are pending: start a node, or run migrate"
)

/** `doctor`: checks what a node needs and reports each fault in words. Audits are reported but not required: a node starts without them. */
export const doctor = Command.make("doctor", { json }, ({ json }) =>
  Effect.gen(function* () {
    const database = yield* databaseReport
    const needed = yield* Effect.all({
      schema: found(schemaState),
      secrets: found(InstallationKey.examine),
      outbound: found(Effect.as(selfTest, "the guard holds"))
    })
    const audits = yield* found(Effect.as(checkEquipment, "Lighthouse and Chromium are here"))
    yield* print({ ...database, ...Record.map(needed, ({ said }) => said), audits: audits.said }, json)
    const unfit = Object.entries(needed).flatMap(([name, { fit }]) => (fit ? [] : [name]))
    if (unfit.length > 0) return yield* new Refused({ message: `A node cannot start here: see ${unfit.join(", ")}` })
  })
).pipe(
  Command.withDescription(
    described("check database, schema, the guard of outbound requests and what audits need", "doctor")
  ),
  Command.provide(Client.layerNoDeps.pipe(Layer.provideMerge(Location.layer)))
)
