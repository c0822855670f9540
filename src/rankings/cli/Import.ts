import * as Args from "@effect/cli/Args"
import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import { Refused } from "../../schema/DomainError.ts"
import { json, print } from "../../terminal/Output.ts"
import { option } from "../../terminal/Typed.ts"
import { IsoDate } from "../Domain.ts"
import { Format } from "../decode/Format.ts"
import { Imports } from "../import/Imports.ts"
import { ImportsRepo } from "../import/ImportsRepo.ts"
import * as Property from "../Property.ts"
import type { Site } from "../SitesRepo.ts"
import { hashOf } from "./FileHash.ts"
import { batches } from "./Files.ts"
import { project, siteOf } from "./Project.ts"

/** No file holds what has not happened: later days are refused. */
const today = Effect.map(DateTime.now, DateTime.formatIsoDateUtc)

/** The property that the files are of; one that does not cover the site is a mistake. */
const propertyOf = (site: Site, name: Option.Option<string>) =>
  Option.match(name, {
    onNone: () => Effect.succeed({}),
    onSome: (name) =>
      Either.match(Property.covering(name, site.host), {
        onLeft: (message) => new Refused({ message }),
        onRight: (property) => Effect.succeed({ property })
      })
  })

/** `rankings import`: facts from files, all or none of them. */
export const importFiles = Command.make(
  "import",
  {
    date: Options.optional(
      option("date", IsoDate).pipe(
        Options.withDescription("the day of files without dates; the only one that others may have")
      )
    ),
    dimensions: Options.optional(
      Options.text("dimensions").pipe(
        Options.withDescription("gsc-api: dimensions of the keys, comma-separated; date,query,page by default")
      )
    ),
    files: Args.text({ name: "FILE" }).pipe(Args.atLeast(1), Args.withDescription("files, also gzip, and ZIP of CSV")),
    format: Options.choice("format", Format.literals).pipe(Options.withDescription("what the files are")),
    json,
    project,
    property: Options.optional(
      Options.text("property").pipe(
        Options.withDescription("such as sc-domain:example.com: pages on its other hosts are counted and left out")
      )
    ),
    replace: Options.boolean("replace").pipe(
      Options.withDescription("bigquery: also where less than half of a stored day would be left")
    )
  },
  ({ date, dimensions, files, format, json, project, property, replace }) =>
    Effect.gen(function* () {
      const imports = yield* Imports
      const log = yield* ImportsRepo
      const site = yield* siteOf(project)
      const options = {
        host: site.host,
        origin: new URL(site.url).origin,
        notAfter: yield* today,
        ...(yield* propertyOf(site, property)),
        ...Option.match(date, { onNone: () => ({}), onSome: (date) => ({ date }) }),
        ...Option.match(dimensions, {
          onNone: () => ({}),
          onSome: (names) => ({ dimensions: names.split(",").map((name) => name.trim()) })
        })
      }
      const how = [format, ...[date, dimensions, property].map(Option.getOrElse(() => ""))]
      const hash = yield* hashOf(files, how)
      const before = yield* log.same({ hash, site: site.id })
      if (Option.isSome(before)) return yield* print({ ...before.value, changed: 0, unchanged: true }, json)
      const request = { hash, renews: true, replaces: replace, site, source: format }
      yield* print(yield* imports.run(request, yield* batches(files, format, options)), json)
    })
).pipe(Command.withDescription("import Search Console data from files: all of them, or nothing when one has an error"))
