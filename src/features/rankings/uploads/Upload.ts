import * as Schema from "effect/Schema"
import { field } from "../../../foundation/schema/Field.ts"
import { Uuid } from "../../../foundation/schema/Scalars.ts"
import { Timestamp } from "../../../foundation/schema/Timestamp.ts"
import { ProjectId } from "../../projects/Domain.ts"
import { Coverage, IsoDate } from "../Domain.ts"
import { FileFormat } from "../FileFormat.ts"
import { Dropped } from "../RawRow.ts"

export const UploadId = Uuid.pipe(Schema.brand("RankingImportId"))
export type UploadId = typeof UploadId.Type

/** Where workers hear of a file that was received. */
export const channel = "findable_imports"

const Count = Schema.NonNegativeInt

/** The outcome of an import. */
export const Outcome = Schema.Struct({
  rows: Count.annotations({ description: "Rows that count" }),
  changed: Count.annotations({ description: "Facts that are new, different or gone" }),
  dropped: Dropped,
  first_day: Schema.NullOr(IsoDate).annotations({
    description: "First day that the file has rows of, YYYY-MM-DD; null without rows"
  }),
  last_day: Schema.NullOr(IsoDate).annotations({
    description: "Last day that the file has rows of, YYYY-MM-DD; null without rows"
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
export const UploadError = Schema.Struct({
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
  rows: Schema.NullOr(Outcome.fields.rows).annotations({ description: "Rows that count; null until it is completed" }),
  changed: Schema.NullOr(Outcome.fields.changed).annotations({
    description: "Facts that are new, different or gone; null until it is completed"
  }),
  dropped: Schema.NullOr(Dropped).annotations({
    description: "Rows that were left out, by reason; null until it is completed"
  }),
  first_day: Outcome.fields.first_day,
  last_day: Outcome.fields.last_day,
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
export type Upload = typeof Upload.Type
