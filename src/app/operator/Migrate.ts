import * as Command from "@effect/cli/Command"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Client from "../../foundation/database/Client.ts"
import * as Location from "../../foundation/database/Location.ts"
import { migrate as migration } from "../../foundation/database/Migrations.ts"
import { described } from "../../foundation/terminal/CommandLine.ts"
import { json, print } from "../../foundation/terminal/Output.ts"

/** `migrate`: for installations that migrate before they start their servers. */
export const migrate = Command.make("migrate", { json }, ({ json }) =>
  Effect.flatMap(migration, (applied) => print({ applied }, json))
).pipe(
  Command.withDescription(described("Update the database schema before you start a new version", "migrate")),
  Command.provide(Client.layerNoDeps.pipe(Layer.provideMerge(Location.layer)))
)
