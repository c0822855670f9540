import * as Command from "@effect/cli/Command"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Client from "../../foundation/database/Client.ts"
import * as Location from "../../foundation/database/Location.ts"
import { migrate as migration } from "../../foundation/database/Migrations.ts"
import { described } from "../../foundation/terminal/Help.ts"
import { json, print } from "../../foundation/terminal/Output.ts"

/** `migrate`: for installations that migrate before they start their nodes. */
export const migrate = Command.make("migrate", { json }, ({ json }) =>
  Effect.flatMap(migration, (applied) => print({ applied }, json))
).pipe(
  Command.withDescription(described("bring the database's schema up to date", "migrate")),
  Command.provide(Client.layerNoDeps.pipe(Layer.provideMerge(Location.layer)))
)

/** Says where the database is and whether it answers. */
export const databaseReport = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { description } = yield* Location.Location
  const [row] = yield* sql<{ version: string }>`SELECT current_setting('server_version') AS version`
  return { database: description, server_version: row?.version ?? "unknown" }
})
