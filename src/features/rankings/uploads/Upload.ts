import * as Schema from "effect/Schema"
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
  rows: Count,
  changed: Count.annotations({ description: "facts that are new, different or gone" }),
  dropped: Dropped,
  first_day: Schema.NullOr(IsoDate),
  last_day: Schema.NullOr(IsoDate),
  passed_over: Schema.Array(Schema.String).annotations({
    description: "tables of an archive that cannot be imported, each with what to do instead"
  }),
  unchanged: Schema.Boolean.annotations({ description: "the file was imported before, and nothing has changed since" }),
  coverage: Schema.NullOr(Coverage)
})
export type Outcome = typeof Outcome.Type

/** Why an import failed: nothing of it is stored. `file` and `line` (from 1) say where, as far as the file is at fault. */
export const UploadError = Schema.Struct({
  code: Schema.Literal("invalid_file", "refused", "import_failed", "worker_lost"),
  message: Schema.String,
  file: Schema.NullOr(Schema.String),
  line: Schema.NullOr(Schema.Int)
}).annotations({ identifier: "RankingImportError" })
export type UploadError = typeof UploadError.Type

/** An import that came over HTTP; what it brought is null until it is completed. */
export const Upload = Schema.Struct({
  id: UploadId,
  project_id: ProjectId,
  status: Schema.Literal("queued", "running", "completed", "failed"),
  format: FileFormat,
  date: Schema.NullOr(IsoDate),
  property: Schema.NullOr(Schema.String),
  rows: Schema.NullOr(Outcome.fields.rows),
  changed: Schema.NullOr(Outcome.fields.changed),
  dropped: Schema.NullOr(Dropped),
  first_day: Outcome.fields.first_day,
  last_day: Outcome.fields.last_day,
  passed_over: Schema.NullOr(Outcome.fields.passed_over),
  unchanged: Schema.NullOr(Outcome.fields.unchanged),
  coverage: Outcome.fields.coverage,
  error: Schema.NullOr(UploadError),
  created_at: Timestamp,
  finished_at: Schema.NullOr(Timestamp)
}).annotations({ identifier: "RankingImport" })
export type Upload = typeof Upload.Type
