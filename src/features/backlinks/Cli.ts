import * as Args from "@effect/cli/Args"
import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import * as FileSystem from "@effect/platform/FileSystem"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { Refused } from "../../foundation/schema/DomainError.ts"
import { described } from "../../foundation/terminal/CommandLine.ts"
import { json, print } from "../../foundation/terminal/Output.ts"
import { at, project, timeOf } from "../projects/Cli.ts"
import { Format } from "./Domain.ts"
import { Importing } from "./Importing.ts"
import { Ranks } from "./Ranks.ts"

const file = Args.file({ exists: "yes", name: "file" })

const bytesOf = (path: string) =>
  Stream.unwrap(
    Effect.map(FileSystem.FileSystem, (fs) =>
      Stream.mapError(fs.stream(path), ({ message }) => new Refused({ message: `${path} cannot be read (${message})` }))
    )
  )

const importBacklinks = Command.make(
  "import",
  {
    at,
    file,
    format: Options.choice("format", Format.literals).pipe(
      Options.withDefault("auto" as const),
      Options.withDescription("Tool that exported the file (default: detected from its columns)")
    ),
    json,
    project
  },
  ({ at, file, format, json, project }) =>
    Effect.gen(function* () {
      const importing = yield* Importing
      const context = yield* Effect.context<FileSystem.FileSystem>()
      const takenAt = yield* timeOf(at)
      const bytes = Stream.provideContext(bytesOf(file), context)
      yield* print(
        yield* importing
          .run({ bytes, format, project, takenAt })
          .pipe(Effect.catchTag("FileRefused", ({ message }) => new Refused({ message: `${file}: ${message}` }))),
        json
      )
    })
).pipe(
  Command.withDescription(
    described(
      "Import the pages or domains that link to a site, from an export of another tool. Raises backlink.lost",
      "backlinks import --project $PROJECT links.csv"
    )
  )
)

const ranks = Command.make("ranks", { at, file, json }, ({ at, file, json }) =>
  Effect.gen(function* () {
    const { replace } = yield* Ranks
    const context = yield* Effect.context<FileSystem.FileSystem>()
    yield* print(yield* replace(Stream.provideContext(bytesOf(file), context), yield* timeOf(at)), json)
  })
).pipe(
  Command.withDescription(
    described(
      "Import domain authority from a Common Crawl ranks file, plain or gzip. Findable keeps the first million domains",
      "backlinks ranks cc-main-2026-domain-ranks.txt.gz"
    )
  )
)

/** `backlinks …` */
export const backlinks = Command.make("backlinks").pipe(
  Command.withDescription("Import backlinks and domain authority"),
  Command.withSubcommands([importBacklinks, ranks]),
  Command.provide(Layer.merge(Importing.Default, Ranks.Default))
)
