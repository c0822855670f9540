import * as Args from "@effect/cli/Args"
import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Record from "effect/Record"
import { described } from "../../../foundation/terminal/Help.ts"
import { option } from "../../../foundation/terminal/Input.ts"
import { json, print } from "../../../foundation/terminal/Output.ts"
import { IsoDate } from "../Domain.ts"
import { FileFormat } from "../FileFormat.ts"
import { FileImports, nameOf } from "../import/FileImports.ts"
import { ofBatches } from "../import/Loads.ts"
import { batches, digestOf } from "./Files.ts"
import { project, siteOf } from "./Project.ts"

/** `rankings import`: facts from files, all or none of them. */
export const importFiles = Command.make(
  "import",
  {
    date: Options.optional(
      option("date", IsoDate).pipe(
        Options.withDescription("the day of files without dates; files with dates may have no other")
      )
    ),
    dimensions: Options.optional(
      Options.text("dimensions").pipe(
        Options.withDescription("gsc-api: dimensions of the keys, comma-separated; date,query,page by default")
      )
    ),
    files: Args.text({ name: "FILE" }).pipe(Args.atLeast(1), Args.withDescription("files, also gzip, and ZIP of CSV")),
    format: Options.choice("format", FileFormat.literals).pipe(Options.withDescription("what the files are")),
    json,
    project,
    property: Options.optional(
      Options.text("property").pipe(
        Options.withDescription("such as sc-domain:example.com: pages on its other hosts are counted and left out")
      )
    ),
    replace: Options.boolean("replace").pipe(
      Options.withDescription(
        "no more data will come. bigquery: an import may leave less than half of a stored day. Other formats: stored rows stay, and all queries that the newest days lack are reported as lost"
      )
    )
  },
  ({ date, dimensions, files, format, json, project, property, replace }) =>
    Effect.gen(function* () {
      const imports = yield* FileImports
      const site = yield* siteOf(project)
      const given = { date, dimensions, property }
      const reading = { format, replaces: replace, ...Record.map(given, Option.getOrNull) }
      const hash = nameOf(reading, yield* Effect.forEach(files, digestOf))
      const imported = Effect.flatMap(batches(files, format), (batchesOf) =>
        imports.run(site, reading, hash, (options) => ofBatches(batchesOf(options)))
      )
      yield* print(yield* Effect.scoped(imported), json)
    })
).pipe(
  Command.withDescription(
    described(
      "import Search Console data from files: all of them, or nothing when one has an error",
      "rankings import --project $PROJECT --format gsc-csv Performance.zip"
    )
  )
)
