import * as Args from "@effect/cli/Args"
import * as Command from "@effect/cli/Command"
import * as CliOptions from "@effect/cli/Options"
import * as FileSystem from "@effect/platform/FileSystem"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Record from "effect/Record"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { Refused } from "../../foundation/schema/DomainError.ts"
import { described } from "../../foundation/terminal/CommandLine.ts"
import { isTerminal, json, option, print, replaceLine } from "../../foundation/terminal/Output.ts"
import { fileHash } from "../../foundation/text/Compressed.ts"
import { noSite } from "../projects/Cli.ts"
import { ProjectId } from "../projects/Domain.ts"
import { FileFormat, IsoDate } from "./Domain.ts"
import type { Options } from "./decode/Collector.ts"
import * as Decode from "./decode/Decode.ts"
import { FileImports, nameOf, rangeOf } from "./import/FileImports.ts"
import { ofBatches } from "./import/Loads.ts"
import { untilComputed } from "./opportunities/Worker.ts"
import { ImportFailed } from "./RawRow.ts"
import { SitesRepo } from "./Site.ts"

const width = 30

const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`

/** A bar of 30 places for a share of `total` bytes. */
export const bar = (percent: number, total: number): string => {
  const full = Math.round((width * percent) / 100)
  return `${"█".repeat(full)}${"░".repeat(width - full)} ${String(percent).padStart(3)} % of ${megabytes(total)}`
}

const silent = () => Effect.void

/** Shows every second how long storing has taken: storing a large file takes longer than reading it. */
const storing = (total: number) =>
  Effect.iterate(0, {
    body: (seconds) =>
      Effect.as(
        Effect.zipRight(replaceLine(`${bar(100, total)}, storing for ${seconds} s`), Effect.sleep("1 second")),
        seconds + 1
      ),
    while: () => true
  })

/** A progress line on stderr, on terminals only, for an import of `total` bytes. Takes the number of bytes just read. The end of the scope removes the line. */
const make = (total: number) =>
  Effect.gen(function* () {
    if (!(yield* isTerminal)) return silent
    const scope = yield* Effect.scope
    yield* Effect.addFinalizer(() => replaceLine(""))
    let read = 0
    let shown = -1
    return (bytes: number): Effect.Effect<void> =>
      Effect.suspend(() => {
        read += bytes
        // A file that grows during the import is longer than `total`.
        const percent = read >= total ? 100 : Math.floor((100 * read) / total)
        if (percent <= shown) return Effect.void
        shown = percent
        return percent === 100 ? Effect.asVoid(Effect.forkIn(storing(total), scope)) : replaceLine(bar(percent, total))
      })
  })

/** Bytes read at a time: each piece becomes one COPY. */
const chunkSize = 512 * 1024

const unreadable = (file: string) => (error: { readonly message: string }) =>
  new ImportFailed({ file, line: 0, reason: `cannot be read (${error.message})` })

/** The sizes of files before reading; a missing file fails immediately. */
const sizesOf = (files: ReadonlyArray<string>) =>
  Effect.flatMap(FileSystem.FileSystem, (fs) =>
    Effect.forEach(files, (file) =>
      Effect.mapBoth(fs.stat(file), { onFailure: unreadable(file), onSuccess: ({ size }) => Number(size) })
    )
  )

/** The digest of a file. */
const digestOf = (file: string) =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const hash = fileHash()
    yield* fs.stream(file).pipe(
      Stream.runForEach((bytes) => Effect.sync(() => hash.add(bytes))),
      Effect.mapError(unreadable(file))
    )
    return hash.digest()
  })

/** Reads all files in their order. On a terminal a line shows the progress until the scope ends. */
const batches = (files: ReadonlyArray<string>, format: FileFormat) =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const sizes = yield* sizesOf(files)
    const advance = yield* make(sizes.reduce((sum, size) => sum + size, 0))
    return (options: Options) =>
      Stream.fromIterable(files).pipe(
        Stream.flatMap((file) =>
          fs.stream(file, { chunkSize }).pipe(
            Stream.mapError(unreadable(file)),
            Stream.tap((bytes) => advance(bytes.length)),
            Decode.rows(format, file, options)
          )
        )
      )
  })

/** `--project`: the site of a command. */
export const project = option("project", ProjectId).pipe(
  CliOptions.withDescription("ID of the site, from `projects list`")
)

/** The site with an id. */
export const siteOf = (project: ProjectId) =>
  Effect.flatMap(SitesRepo, (sites) => Effect.flatten(sites.find({ site: project }))).pipe(
    Effect.mapError(() => noSite(project))
  )

/** `rankings import`: rows from files, all or none of them. */
export const importFiles = Command.make(
  "import",
  {
    date: CliOptions.optional(
      option("date", IsoDate).pipe(
        CliOptions.withDescription("Day of the data, YYYY-MM-DD. For files without a date column")
      )
    ),
    end: CliOptions.optional(
      option("end", IsoDate).pipe(CliOptions.withDescription("Last day of the range of --start"))
    ),
    dimensions: CliOptions.optional(
      CliOptions.text("dimensions").pipe(
        CliOptions.withDescription("For gsc-api: dimensions of the request, comma-separated (default: date,query,page)")
      )
    ),
    files: Args.text({ name: "FILE" }).pipe(
      Args.atLeast(1),
      Args.withDescription("Files to import. Gzip works for all formats, ZIP for CSV")
    ),
    format: CliOptions.choice("format", FileFormat.literals).pipe(
      CliOptions.withDescription("Kind of files: Search Console exports, API responses or BigQuery bulk exports")
    ),
    json,
    project,
    property: CliOptions.optional(
      CliOptions.text("property").pipe(
        CliOptions.withDescription(
          "Search Console property of the files, such as sc-domain:example.com. Pages of its other hosts are skipped and counted"
        )
      )
    ),
    replace: CliOptions.boolean("replace").pipe(
      CliOptions.withDescription(
        "Treat this import as complete and final. bigquery: replace stored days even if less than half of their rows remain. Other formats: keep stored rows, and report queries that the latest days lack as lost"
      )
    ),
    start: CliOptions.optional(
      option("start", IsoDate).pipe(
        CliOptions.withDescription(
          "First day of a range, with --end. Stores files without a date column as a snapshot of these days. Dates in an export take precedence"
        )
      )
    )
  },
  ({ date, dimensions, end, files, format, json, project, property, replace, start }) =>
    Effect.gen(function* () {
      const imports = yield* FileImports
      const site = yield* siteOf(project)
      const given = { date, dimensions, property }
      const range = yield* Effect.mapError(
        rangeOf({ date: Option.getOrNull(date), end: Option.getOrNull(end), start: Option.getOrNull(start) }),
        ({ details }) => new Refused({ message: details.map(({ message, path }) => `--${path} ${message}`).join("; ") })
      )
      const reading = { format, range, replaces: replace, ...Record.map(given, Option.getOrNull) }
      const hash = nameOf(reading, yield* Effect.forEach(files, digestOf))
      const imported = Effect.flatMap(batches(files, format), (batchesOf) =>
        imports.run(site, reading, hash, (options) => ofBatches(batchesOf(options)))
      )
      yield* print(yield* Effect.scoped(imported), json)
      yield* untilComputed(site.id)
    })
).pipe(
  Command.withDescription(
    described(
      "Import Search Console data from files. If one file has an error, nothing is imported",
      "rankings import --project $PROJECT --format gsc-csv Performance.zip"
    )
  )
)

const Count = Schema.NumberFromString.pipe(
  Schema.filter((count) => (Number.isInteger(count) && count >= 1 && count <= 1000) || "must be from 1 to 1000")
)

/** `--limit`: the most records that a command lists. */
export const limit = option("limit", Count).pipe(
  CliOptions.withDefault(20),
  CliOptions.withDescription("Most records to list, 1 to 1000 (default: 20)")
)
