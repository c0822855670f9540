import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as Schema from "effect/Schema"
import { failure } from "../../../foundation/http/ApiError.ts"
import { about, inPath, input, list, read, receive, remove } from "../../../foundation/http/Contract.ts"
import { field, Uuid } from "../../../foundation/schema/Scalars.ts"
import { Timestamp } from "../../../foundation/schema/Time.ts"
import { RankingsWrite } from "../../accounts/Authorized.ts"
import { ProjectId } from "../../projects/Domain.ts"
import { Coverage, FileFormat, IsoDate, Range, SnapshotId } from "../Domain.ts"
import { Dropped, SnapshotKind } from "../RawRow.ts"

const UploadId = Uuid.pipe(Schema.brand("RankingImportId"))

const Count = Schema.NonNegativeInt

/** A table without dates from an import. */
const ImportedSnapshot = Schema.Struct({
  id: field(SnapshotId, "UUID of the snapshot"),
  kind: field(SnapshotKind, "What its rows list"),
  file: Schema.String.annotations({ description: "File name of the table" }),
  range: Schema.NullOr(Range).annotations({
    description: "Days that its rows cover; null when neither the export nor the request named them"
  }),
  rows: Count.annotations({ description: "Number of rows" })
}).annotations({ identifier: "ImportedSnapshot", description: "A table without dates, kept as a snapshot" })

/** The outcome of an import. */
const Outcome = Schema.Struct({
  message: Schema.String.annotations({ description: "How each file was read, in words" }),
  rows: Count.annotations({ description: "Imported rows, including snapshots" }),
  changed: Count.annotations({ description: "New, updated and removed rows, including snapshots" }),
  snapshots: Schema.Array(ImportedSnapshot).annotations({
    description: "Tables without dates (Queries.csv, Pages.csv …), stored as snapshots"
  }),
  dropped: Dropped,
  first_day: Schema.NullOr(IsoDate).annotations({
    description: "First day in the file, YYYY-MM-DD; null without rows"
  }),
  last_day: Schema.NullOr(IsoDate).annotations({
    description: "Last day in the file, YYYY-MM-DD; null without rows"
  }),
  incomplete_days: Schema.Array(IsoDate).annotations({
    description:
      "Skipped days, YYYY-MM-DD, because Search Console says that their numbers are not final yet (`first_incomplete_date`, `first_incomplete_hour`)"
  }),
  passed_over: Schema.Array(Schema.String).annotations({
    description: "Tables of the archive that were skipped, each with what to do instead"
  }),
  unchanged: Schema.Boolean.annotations({
    description: "Whether the same file was already imported"
  }),
  coverage: Schema.NullOr(Coverage).annotations({
    description: "Days with data in both periods after the import; null without data"
  })
})
export type Outcome = typeof Outcome.Type

/** Why an import failed; none of its rows are stored. `file` and `line` (from 1) name the place of a problem in a file. */
const UploadError = Schema.Struct({
  code: Schema.Literal("invalid_file", "refused", "import_failed", "worker_lost").annotations({
    description:
      "`invalid_file` and `refused`: the file cannot be imported; `worker_lost`: the server stopped during the import, send the file again"
  }),
  message: Schema.String.annotations({ description: "What is wrong and what to do, in words" }),
  file: Schema.NullOr(Schema.String).annotations({
    description: "File of the archive that has the error; null when no single file has"
  }),
  line: Schema.NullOr(Schema.Int).annotations({ description: "Line with the error, from 1; null when no line has one" })
}).annotations({ identifier: "RankingImportError", description: "Why the import failed. Nothing was imported" })
export type UploadError = typeof UploadError.Type

/** An import over HTTP; its outcome is null until the import is completed. */
export const Upload = Schema.Struct({
  id: UploadId.annotations({ description: "UUID of the import" }),
  project_id: ProjectId.annotations({ description: "UUID of the site" }),
  status: Schema.Literal("queued", "running", "completed", "failed").annotations({
    description: "Status; `completed` and `failed` are final"
  }),
  format: field(FileFormat, "Format of the file"),
  date: Schema.NullOr(IsoDate).annotations({
    description: "Date for tables without dates, from the request; null without one"
  }),
  property: Schema.NullOr(Schema.String).annotations({
    description: "Search Console property, from the request; null without one"
  }),
  range: Schema.NullOr(Range).annotations({
    description: "Date range for tables without dates, from the request; null without one"
  }),
  message: Schema.NullOr(Outcome.fields.message).annotations({
    description: "How each file was read, in words; null until it is completed"
  }),
  rows: Schema.NullOr(Outcome.fields.rows).annotations({
    description: "Imported rows, including snapshots; null until it is completed"
  }),
  changed: Schema.NullOr(Outcome.fields.changed).annotations({
    description: "New, updated and removed rows, including snapshots; null until it is completed"
  }),
  snapshots: Schema.NullOr(Outcome.fields.snapshots).annotations({
    description: "Tables without dates (Queries.csv, Pages.csv …), stored as snapshots; null until it is completed"
  }),
  dropped: Schema.NullOr(Dropped).annotations({
    description: "Skipped rows, by reason; null until it is completed"
  }),
  first_day: Outcome.fields.first_day,
  last_day: Outcome.fields.last_day,
  incomplete_days: Schema.NullOr(Outcome.fields.incomplete_days).annotations({
    description:
      "Skipped days, YYYY-MM-DD, because Search Console says that their numbers are not final yet; null until it is completed"
  }),
  passed_over: Schema.NullOr(Outcome.fields.passed_over).annotations({
    description: "Tables of the archive that were skipped, each with what to do instead; null until it is completed"
  }),
  unchanged: Schema.NullOr(Outcome.fields.unchanged).annotations({
    description: "Whether the same file was already imported; null until it is completed"
  }),
  coverage: Outcome.fields.coverage,
  error: Schema.NullOr(UploadError).annotations({ description: "Why it failed; null unless the status is `failed`" }),
  created_at: field(Timestamp, "When the file was received"),
  finished_at: Schema.NullOr(Timestamp).annotations({ description: "When it finished; null before that" })
}).annotations({ identifier: "RankingImport", description: "An import of search data through the API" })

const all = "/projects/:project_id/rankings/imports" as const

const OfProject = Schema.Struct({ project_id: inPath(ProjectId) })
const OfImport = Schema.Struct({ ...OfProject.fields, import_id: inPath(UploadId) })

/** Replaces a malformed day in a path. No project has data of this day, so the request ends with 404. */
const noDay = "0001-01-01"

const OfDay = Schema.Struct({
  ...OfProject.fields,
  day: Schema.transform(Schema.String, Schema.typeSchema(IsoDate), {
    strict: false,
    decode: (text) => (Schema.is(IsoDate)(text) ? text : noDay),
    encode: (text) => text
  }).annotations({ description: "Day to delete, YYYY-MM-DD" })
})

const text = (description: string) =>
  Schema.optionalWith(
    Schema.String.pipe(
      Schema.filter((text) => text.length >= 1 && text.length <= 500 && !text.includes("\0"), {
        jsonSchema: { maxLength: 500, minLength: 1 },
        message: () => "must be of 1 to 500 characters"
      })
    ),
    { exact: true }
  ).annotations({ description })

/** Parameters for reading a file. */
const ImportParameters = Schema.Struct({
  format: FileFormat.annotations({
    description:
      "Format of the file: `gsc-csv`, a performance export (CSV or ZIP); `gsc-api`, an API response (JSON); `bigquery`, a bulk export",
    message: () => ({ message: `must be one of ${FileFormat.literals.join(", ")}`, override: true })
  }),
  date: Schema.optionalWith(IsoDate, { exact: true }).annotations({
    description: "Date for tables without a date column; in tables with one, all rows must have this date"
  }),
  start: Schema.optionalWith(IsoDate, { exact: true }).annotations({
    description:
      "With `end`: first day of tables without dates, which are stored as snapshots; dates that the export names take precedence"
  }),
  end: Schema.optionalWith(IsoDate, { exact: true }).annotations({
    description: "With `start`: last day of tables without dates, inclusive"
  }),
  property: text(
    "Search Console property, such as sc-domain:example.com: pages on its other hosts are skipped and counted"
  ),
  dimensions: text(
    "With `gsc-api`: dimensions of the keys, separated by commas; date,query,page by default; `hour` may replace date"
  ),
  replace: Schema.optionalWith(
    Schema.Literal("true", "false").annotations({
      description:
        "Treat the data as complete. With bigquery, an import may then shrink a stored day to less than half. With other formats, stored rows stay, and queries missing from the latest days count as lost",
      message: () => ({ message: "must be true or false", override: true })
    }),
    { exact: true }
  )
})

/** Imports of search data from files that callers send. */
export class RankingImportsApi extends HttpApiGroup.make("ranking-imports")
  .annotateContext(about("Imports of Search Console files. Findable imports a whole file or nothing."))
  .add(
    receive("create", all, {
      summary: "Import search data",
      description:
        "Accepts a file and imports it in the background. Files of a site are imported one after the other, in order of arrival. A file that was already imported is recognized (`unchanged`). Of several requests with the same Idempotency-Key, Findable receives one file; the others wait for its import, and return 409 `conflict` with `Retry-After` after a minute. When an import fails, its `error` names the file, the line and the reason.",
      file: "One file, or several in a gzip or ZIP archive, as exported by Search Console; any content type.",
      of: Upload,
      scope: RankingsWrite
    })
      .setPath(OfProject)
      .setUrlParams(input(ImportParameters))
  )
  .add(
    list("list", all, {
      summary: "List imports",
      description: "Imports through the API, latest first.",
      of: Upload,
      scope: RankingsWrite
    })
      .setPath(OfProject)
      .addError(failure("not_found"))
  )
  .add(
    read("get", `${all}/:import_id`, {
      summary: "Get an import",
      description: "Returns the status of an import, and its result when it is finished.",
      ids: OfImport,
      of: Upload,
      scope: RankingsWrite
    })
  )
  .add(
    remove("remove", `${all}/:import_id`, {
      summary: "Delete the record of an import",
      description: "Deletes the record of a finished import. The imported data stay.",
      ids: OfImport,
      scope: RankingsWrite
    }).addError(failure("conflict"))
  )
  .add(
    remove("removeDay", "/projects/:project_id/rankings/days/:day", {
      summary: "Delete a day of search data",
      description:
        "Deletes all data of a day, such as a wrong latest day, and recomputes the rankings before it responds. Returns 409 while an import of the site is in progress.",
      ids: OfDay,
      scope: RankingsWrite
    }).addError(failure("conflict"))
  )
  .prefix("/api/v1") {}
