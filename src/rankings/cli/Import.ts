import * as Args from "@effect/cli/Args"
import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { json, print } from "../../terminal/Output.ts"
import { option } from "../../terminal/Typed.ts"
import { IsoDate } from "../Domain.ts"
import { Format } from "../decode/Format.ts"
import { Imports } from "../import/Imports.ts"
import { batches } from "./Files.ts"
import { project, siteOf } from "./Project.ts"

/** No file holds what has not happened: later days are refused. */
const today = Effect.map(DateTime.now, DateTime.formatIsoDateUtc)

/** `rankings import`: facts from files, all or none of them. */
export const importFiles = Command.make(
  "import",
  {
    date: Options.optional(option("date", IsoDate).pipe(Options.withDescription("the day of files without dates"))),
    dimensions: Options.optional(
      Options.text("dimensions").pipe(
        Options.withDescription("gsc-api: dimensions of the keys, comma-separated; date,query,page by default")
      )
    ),
    files: Args.text({ name: "FILE" }).pipe(Args.atLeast(1), Args.withDescription("files, also gzip, and ZIP of CSV")),
    format: Options.choice("format", Format.literals).pipe(Options.withDescription("what the files are")),
    json,
    project,
    replace: Options.boolean("replace").pipe(
      Options.withDescription("bigquery: also where less than half of a stored day would be left")
    )
  },
  ({ date, dimensions, files, format, json, project, replace }) =>
    Effect.gen(function* () {
      const imports = yield* Imports
      const site = yield* siteOf(project)
      const options = {
        host: site.host,
        origin: new URL(site.url).origin,
        notAfter: yield* today,
        ...Option.match(date, { onNone: () => ({}), onSome: (date) => ({ date }) }),
        ...Option.match(dimensions, {
          onNone: () => ({}),
          onSome: (names) => ({ dimensions: names.split(",").map((name) => name.trim()) })
        })
      }
      const request = { renews: true, replaces: replace, site, source: format }
      yield* print(yield* imports.run(request, yield* batches(files, format, options)), json)
    })
).pipe(Command.withDescription("import Search Console data from files: all of them, or nothing when one has an error"))
