import * as Args from "@effect/cli/Args"
import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Client from "../../../foundation/database/Client.ts"
import * as Location from "../../../foundation/database/Location.ts"
import { described } from "../../../foundation/terminal/CommandLine.ts"
import { json, option, print } from "../../../foundation/terminal/Output.ts"
import { place, retain, backup as writeBackup } from "./Backup.ts"
import { CatalogRepo } from "./CatalogRepo.ts"
import { restore as readBackup } from "./Restore.ts"

const catalog = CatalogRepo.Default.pipe(Layer.provideMerge(Client.layerNoDeps))

const withoutSecrets = Options.boolean("without-secrets").pipe(
  Options.withDescription("Leave out API keys, webhooks and credentials")
)

const keep = option("keep", Schema.NumberFromString.pipe(Schema.int(), Schema.between(1, 10_000))).pipe(
  Options.optional,
  Options.withDescription("Keep this many of the latest backups in the directory, and delete older ones")
)

/** `backup FILE`, or `backup DIRECTORY` with a number of backups to keep */
export const backup = Command.make(
  "backup",
  {
    file: Args.text({ name: "file" }).pipe(Args.withDescription("File to write, or a directory for dated files")),
    json,
    keep,
    withoutSecrets
  },
  Effect.fnUntraced(function* (asked) {
    const { directory, file } = yield* place(asked.file, asked.keep)
    const done = yield* writeBackup(file, !asked.withoutSecrets)
    const removed = yield* Effect.transposeMapOption(Option.all([directory, asked.keep]), ([directory, keep]) =>
      retain(directory, keep, file)
    )
    yield* print(Option.match(removed, { onNone: () => done, onSome: (removed) => ({ ...done, removed }) }), asked.json)
  })
).pipe(
  Command.withDescription(
    described(
      "Back up the whole database to a file. Servers keep working meanwhile",
      "backup --keep 14 /var/backups/findable"
    )
  ),
  Command.provide(Layer.provideMerge(catalog, Location.layerExisting))
)

const replace = Options.boolean("replace").pipe(
  Options.withDescription("Replace all data in the database. Without this option, the database must be empty")
)

/** `restore FILE` */
export const restore = Command.make(
  "restore",
  { file: Args.text({ name: "file" }).pipe(Args.withDescription("Backup file")), json, replace },
  (asked) => Effect.flatMap(readBackup(asked.file, asked.replace), (done) => print(done, asked.json))
).pipe(
  Command.withDescription(
    described(
      "Restore the database from a backup. Stop all servers of this database first",
      "restore findable-2026-11-22.gz"
    )
  ),
  Command.provide(Layer.provideMerge(catalog, Location.layer))
)
