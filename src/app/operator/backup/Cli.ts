import * as Args from "@effect/cli/Args"
import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Client from "../../../foundation/database/Client.ts"
import * as Location from "../../../foundation/database/Location.ts"
import { described } from "../../../foundation/terminal/Help.ts"
import { json, print } from "../../../foundation/terminal/Output.ts"
import { backup as writeBackup } from "./Backup.ts"
import { CatalogRepo } from "./CatalogRepo.ts"
import { restore as readBackup } from "./Restore.ts"

const catalog = CatalogRepo.Default.pipe(Layer.provideMerge(Client.layerNoDeps), Layer.provideMerge(Location.layer))

const withoutSecrets = Options.boolean("without-secrets").pipe(
  Options.withDescription("leave out API keys, webhook subscriptions and credentials")
)

/** `backup FILE` */
export const backup = Command.make("backup", { file: Args.text({ name: "file" }), json, withoutSecrets }, (asked) =>
  Effect.flatMap(writeBackup(asked.file, !asked.withoutSecrets), (done) => print(done, asked.json))
).pipe(
  Command.withDescription(
    described("write the whole database to a file, while nodes keep working", "backup findable-2026-11-22.gz")
  ),
  Command.provide(catalog)
)

const replace = Options.boolean("replace").pipe(
  Options.withDescription("replace the contents of the database; without it the database must be empty")
)

/** `restore FILE` */
export const restore = Command.make("restore", { file: Args.text({ name: "file" }), json, replace }, (asked) =>
  Effect.flatMap(readBackup(asked.file, asked.replace), (done) => print(done, asked.json))
).pipe(
  Command.withDescription(
    described("fill the database from a backup, and bring its schema up to date", "restore findable-2026-11-22.gz")
  ),
  Command.provide(catalog)
)
