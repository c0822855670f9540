import * as Schema from "effect/Schema"
import { field } from "../../../../foundation/schema/Field.ts"
import { Count, Uuid } from "../../../../foundation/schema/Scalars.ts"
import { Timestamp } from "../../../../foundation/schema/Timestamp.ts"
import { ProjectId } from "../../../projects/Domain.ts"
import { Source } from "../Domain.ts"

export const ImportId = Uuid.pipe(Schema.brand("BacklinkImportId"))
export type ImportId = typeof ImportId.Type

/** Where workers hear of a file that was received. */
export const channel = "findable_backlink_imports"

/** How a file is read; with `auto` its cells decide. */
export const Format = Schema.Literal("auto", ...Source.literals)
export type Format = typeof Format.Type

/** Rows that were left out. */
const Dropped = Schema.Struct({
  own_host: Count.annotations({ description: "Pages or domains of the site itself" }),
  reported_lost: Count.annotations({ description: "Links that the file itself calls lost" }),
  too_long: Count.annotations({ description: "Addresses above 2,048 characters" })
}).annotations({ identifier: "BacklinkRowsDropped", description: "Rows that were left out, by reason" })

/** Names of lost domains that an import shows. */
export const lostAtMost = 1000

/** What an import brought. */
export const Outcome = Schema.Struct({
  source: Source.annotations({ description: "The tool that the file is of" }),
  rows: Count.annotations({ description: "Rows of the file" }),
  links: Count.annotations({ description: "Rows of linking pages that count" }),
  domains: Count.annotations({ description: "Domains that a list names; 0 of linking pages" }),
  new: Count.annotations({ description: "Linking pages that were not known before" }),
  dropped: field(Dropped, "Rows that were left out, by reason"),
  lost: Schema.Array(Schema.String).annotations({
    description: `Domains without known linking pages that two lists of the source lack by now, the first ${lostAtMost} by name`
  })
}).annotations({ identifier: "BacklinkImportOutcome", description: "What an import brought" })
export type Outcome = typeof Outcome.Type

/** Why an import failed: nothing of it is stored. */
export const ImportError = Schema.Struct({
  code: Schema.Literal("invalid_file", "refused", "import_failed", "worker_lost").annotations({
    description:
      "`invalid_file` and `refused`: the file is at fault; `import_failed`: a fault of the server; `worker_lost`: its worker died, send the file again"
  }),
  message: Schema.String.annotations({ description: "What is wrong and what to do, for people" }),
  line: Schema.NullOr(Schema.Int).annotations({ description: "Line at fault, from 1; null when no line is" })
}).annotations({ identifier: "BacklinkImportError", description: "Why an import failed: nothing of it is stored" })
export type ImportError = typeof ImportError.Type

/** An import that came over HTTP. */
export const BacklinkImport = Schema.Struct({
  id: ImportId.annotations({ description: "UUID of the import" }),
  project_id: ProjectId.annotations({ description: "UUID of the project" }),
  status: Schema.Literal("queued", "running", "completed", "failed").annotations({
    description: "Where it stands; `completed` and `failed` are final"
  }),
  format: field(Format, "How the file is read, as the request said"),
  source: Schema.NullOr(Source).annotations({
    description: "The tool that the file is of; null until it is completed"
  }),
  rows: Schema.NullOr(Count).annotations({ description: "Rows of the file; null until it is completed" }),
  links: Schema.NullOr(Count).annotations({
    description: "Rows of linking pages that count; null until it is completed"
  }),
  domains: Schema.NullOr(Count).annotations({
    description: "Domains that a list names; 0 of linking pages, null until it is completed"
  }),
  new: Schema.NullOr(Count).annotations({
    description: "Linking pages that were not known before; null until it is completed"
  }),
  dropped: Schema.NullOr(Dropped).annotations({
    description: "Rows that were left out, by reason; null until it is completed"
  }),
  lost: Schema.NullOr(Outcome.fields.lost).annotations({
    description:
      "Domains without known linking pages that two lists of the source lack by now; null until it is completed"
  }),
  error: Schema.NullOr(ImportError).annotations({ description: "Why it failed; null unless the status is `failed`" }),
  created_at: field(Timestamp, "When the file was received"),
  finished_at: Schema.NullOr(Timestamp).annotations({ description: "When it ended; null before that" })
}).annotations({ identifier: "BacklinkImport", description: "An import of backlinks that came over HTTP" })
export type BacklinkImport = typeof BacklinkImport.Type
