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

/** A table without dates that an import brought. */
const ImportedSnapshot = Schema.Struct({
  id: field(SnapshotId, "UUID of the snapshot"),
  kind: field(SnapshotKind, "What its rows are about"),
  file: Schema.String.annotations({ description: "File of the table" }),
  range: Schema.NullOr(Range).annotations({
    description: "Days that its rows add up; null where neither the export nor the request named them"
  }),
  rows: Count.annotations({ description: "Its rows" })
}).annotations({ identifier: "ImportedSnapshot", description: "A table without dates, kept as a snapshot" })

/** The outcome of an import. */
const Outcome = Schema.Struct({
  message: Schema.String.annotations({ description: "What each file was taken as, for people" }),
  rows: Count.annotations({ description: "Rows that count, those of snapshots included" }),
  changed: Count.annotations({ description: "Facts and rows of snapshots that are new, different or gone" }),
  snapshots: Schema.Array(ImportedSnapshot).annotations({
    description: "Tables without dates (Queries.csv, Pages.csv …), which are kept as snapshots"
  }),
  dropped: Dropped,
  first_day: Schema.NullOr(IsoDate).annotations({
    description: "First day that the file has rows of, YYYY-MM-DD; null without rows"
  }),
  last_day: Schema.NullOr(IsoDate).annotations({
    description: "Last day that the file has rows of, YYYY-MM-DD; null without rows"
  }),
  incomplete_days: Schema.Array(IsoDate).annotations({
    description:
      "Days that were left out because the answers of the API say that their numbers are not final yet (`first_incomplete_date`, `first_incomplete_hour`), YYYY-MM-DD"
  }),
  passed_over: Schema.Array(Schema.String).annotations({
    description: "Tables of an archive that cannot be imported, each with what to do instead"
  }),
  unchanged: Schema.Boolean.annotations({
    description: "Whether the file was imported before and nothing has changed since"
  }),
  coverage: Schema.NullOr(Coverage).annotations({
    description: "How many days of the site's windows have data after the import; null while there are none"
  })
})
export type Outcome = typeof Outcome.Type

/** Why an import failed: nothing of it is stored. `file` and `line` (from 1) say where, as far as the file is at fault. */
const UploadError = Schema.Struct({
  code: Schema.Literal("invalid_file", "refused", "import_failed", "worker_lost").annotations({
    description:
      "`invalid_file` and `refused`: the file is at fault; `worker_lost`: its worker died, send the file again"
  }),
  message: Schema.String.annotations({ description: "What is wrong and what to do, for people" }),
  file: Schema.NullOr(Schema.String).annotations({
    description: "File of the archive that is at fault; null when no single file is"
  }),
  line: Schema.NullOr(Schema.Int).annotations({ description: "Line at fault, from 1; null when no line is" })
}).annotations({ identifier: "RankingImportError", description: "Why an import failed: nothing of it is stored" })
export type UploadError = typeof UploadError.Type

/** An import that came over HTTP; what it brought is null until it is completed. */
export const Upload = Schema.Struct({
  id: UploadId.annotations({ description: "UUID of the import" }),
  project_id: ProjectId.annotations({ description: "UUID of the project" }),
  status: Schema.Literal("queued", "running", "completed", "failed").annotations({
    description: "Where it stands; `completed` and `failed` are final"
  }),
  format: field(FileFormat, "How the file is read"),
  date: Schema.NullOr(IsoDate).annotations({
    description: "Day of tables without dates, as the request said; null when it said none"
  }),
  property: Schema.NullOr(Schema.String).annotations({
    description: "Property of Search Console, as the request said; null when it said none"
  }),
  range: Schema.NullOr(Range).annotations({
    description: "Days of tables without dates, as the request said; null when it said none"
  }),
  message: Schema.NullOr(Outcome.fields.message).annotations({
    description: "What each file was taken as, for people; null until it is completed"
  }),
  rows: Schema.NullOr(Outcome.fields.rows).annotations({
    description: "Rows that count, those of snapshots included; null until it is completed"
  }),
  changed: Schema.NullOr(Outcome.fields.changed).annotations({
    description: "Facts and rows of snapshots that are new, different or gone; null until it is completed"
  }),
  snapshots: Schema.NullOr(Outcome.fields.snapshots).annotations({
    description:
      "Tables without dates (Queries.csv, Pages.csv …), which are kept as snapshots; null until it is completed"
  }),
  dropped: Schema.NullOr(Dropped).annotations({
    description: "Rows that were left out, by reason; null until it is completed"
  }),
  first_day: Outcome.fields.first_day,
  last_day: Outcome.fields.last_day,
  incomplete_days: Schema.NullOr(Outcome.fields.incomplete_days).annotations({
    description:
      "Days that were left out because the answers of the API say that their numbers are not final yet, YYYY-MM-DD; null until it is completed"
  }),
  passed_over: Schema.NullOr(Outcome.fields.passed_over).annotations({
    description:
      "Tables of an archive that cannot be imported, each with what to do instead; null until it is completed"
  }),
  unchanged: Schema.NullOr(Outcome.fields.unchanged).annotations({
    description: "Whether the file was imported before and nothing has changed since; null until it is completed"
  }),
  coverage: Outcome.fields.coverage,
  error: Schema.NullOr(UploadError).annotations({ description: "Why it failed; null unless the status is `failed`" }),
  created_at: field(Timestamp, "When the file was received"),
  finished_at: Schema.NullOr(Timestamp).annotations({ description: "When it ended; null before that" })
}).annotations({ identifier: "RankingImport", description: "An import of search data that came over HTTP" })

const all = "/projects/:project_id/rankings/imports" as const

const OfProject = Schema.Struct({ project_id: inPath(ProjectId) })
const OfImport = Schema.Struct({ ...OfProject.fields, import_id: inPath(UploadId) })

/** No project has data of it: what a malformed day in a path is read as, so that the request ends with 404. */
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

/** How a file is read. */
const ImportParameters = Schema.Struct({
  format: FileFormat.annotations({
    description: "What the file is: tables of the interface, answers of the API, or rows of the bulk export",
    message: () => ({ message: `must be one of ${FileFormat.literals.join(", ")}`, override: true })
  }),
  date: Schema.optionalWith(IsoDate, { exact: true }).annotations({
    description: "Day of tables without dates; tables with dates may have no other"
  }),
  start: Schema.optionalWith(IsoDate, { exact: true }).annotations({
    description:
      "With `end`: first day of tables without dates, which are kept as snapshots; the days that an export names itself come first"
  }),
  end: Schema.optionalWith(IsoDate, { exact: true }).annotations({
    description: "With `start`: last day of tables without dates, inclusive"
  }),
  property: text(
    "Property of Search Console, such as sc-domain:example.com: pages on its other hosts are counted and left out"
  ),
  dimensions: text(
    "With `gsc-api`: dimensions of the keys, with commas between them; date,query,page by default; `hour` may stand for date"
  ),
  replace: Schema.optionalWith(
    Schema.Literal("true", "false").annotations({
      description:
        "No more data will come. bigquery: an import may leave less than half of a stored day. Other formats: stored rows stay, and all queries that the newest days lack are reported as lost",
      message: () => ({ message: "must be true or false", override: true })
    }),
    { exact: true }
  )
})

/** Imports of search data from files that callers send. */
export class RankingImportsApi extends HttpApiGroup.make("ranking-imports")
  .annotateContext(about("Imports of search data from files: a file is imported whole or not at all."))
  .add(
    receive("create", all, {
      summary: "Import search data",
      description:
        "Accepts a file and imports it in the background; the files of a project are imported one after the other, in order of arrival. A file that was imported before, when nothing has changed since, is recognised before any work (`unchanged`). Of requests with the same Idempotency-Key one file is received at a time: the others wait and are answered with its import, and when it fails another takes its place; after a minute the answer is 409 `conflict` with `Retry-After`. The import's `error` names the fault of a file, with the line.",
      file: "One file, or several in a gzip or ZIP archive, as Search Console gives them; of any content type.",
      of: Upload,
      scope: RankingsWrite
    })
      .setPath(OfProject)
      .setUrlParams(input(ImportParameters))
  )
  .add(
    list("list", all, {
      summary: "List imports",
      description: "The imports that came over HTTP, the newest first.",
      of: Upload,
      scope: RankingsWrite
    })
      .setPath(OfProject)
      .addError(failure("not_found"))
  )
  .add(
    read("get", `${all}/:import_id`, {
      summary: "Read an import",
      description: "Its status, and its outcome once it has ended.",
      ids: OfImport,
      of: Upload,
      scope: RankingsWrite
    })
  )
  .add(
    remove("remove", `${all}/:import_id`, {
      summary: "Delete the record of an import",
      description: "Deletes the record of an import that has ended. The data that it brought stay.",
      ids: OfImport,
      scope: RankingsWrite
    }).addError(failure("conflict"))
  )
  .add(
    remove("removeDay", "/projects/:project_id/rankings/days/:day", {
      summary: "Delete a day of search data",
      description:
        "Deletes all data of a day, such as a wrong last day at which the windows end, and computes the rankings anew before it answers. While an import of the project is in progress, the answer is 409.",
      ids: OfDay,
      scope: RankingsWrite
    }).addError(failure("conflict"))
  )
  .prefix("/api/v1") {}
