import * as Schema from "effect/Schema"
import { Count, field, Uuid } from "../../foundation/schema/Scalars.ts"
import { Timestamp } from "../../foundation/schema/Time.ts"
import { ProjectId } from "../projects/Domain.ts"

export const BacklinkId = Uuid.pipe(Schema.brand("BacklinkId"))
export type BacklinkId = typeof BacklinkId.Type

/** Whose exports report backlinks; `csv` is any other table. */
export const Source = Schema.Literal("gsc-links", "ahrefs", "semrush", "majestic", "moz", "csv")
export type Source = typeof Source.Type

/** What the newest look at a linking page found. */
export const State = Schema.Literal("live", "page_gone", "link_removed", "redirected", "blocked", "unknown")
export type State = typeof State.Type

/** Marks of a link that search engines read as a reservation. */
export const Rel = Schema.Literal("nofollow", "ugc", "sponsored")
export type Rel = typeof Rel.Type

const states =
  "`live`: it has a link to the site; `page_gone`: 404 or 410, confirmed; `link_removed`: the whole page has no such link; `redirected`: it leads elsewhere, and there is no link there; `blocked`: the page is closed to us; `unknown`: nothing can be said, see `reason`"

/** How far a domain's word goes, by one source. */
const Authority = Schema.Struct({
  source: Schema.String.annotations({ description: "Whose number it is: a tool, or `common-crawl`" }),
  value: Schema.Number.annotations({ description: "The number as the source has it" }),
  scale: Schema.Literal("0-100", "harmonic-rank").annotations({
    description: "`0-100`: 60 or more is high; `harmonic-rank`: a place in the web graph, 1,000,000 or less is high"
  }),
  as_of: field(Timestamp, "When the source was imported")
}).annotations({ identifier: "DomainAuthority", description: "How far a domain's word goes, by one source" })

/** A page that links to the site. */
export const Backlink = Schema.Struct({
  id: BacklinkId.annotations({ description: "UUID of the backlink, the same for a linking page of a project" }),
  source_url: Schema.String.annotations({ description: "The linking page" }),
  source_domain: Schema.String.annotations({ description: "Its host, without `www.`" }),
  target_url: Schema.NullOr(Schema.String).annotations({
    description: "What it links to: as the last live look saw it, else as reported; null where neither says"
  }),
  anchor_text: Schema.NullOr(Schema.String).annotations({ description: "Text of the link; null where none is known" }),
  rel: Schema.Array(Rel).annotations({ description: "Marks of the link; empty: it is followed" }),
  state: State.annotations({ description: states }),
  reason: Schema.NullOr(Schema.String).annotations({
    description:
      "Why it is `blocked` or `unknown`, such as `not_checked`, `robots`, `no_answer` or `needs_javascript`; else null"
  }),
  http_status: Schema.NullOr(Schema.Int).annotations({
    description: "Status of the deciding answer; null without one"
  }),
  first_seen_at: field(Timestamp, "When it was first reported"),
  last_live_at: Schema.NullOr(Timestamp).annotations({ description: "When we last saw the link; null before that" }),
  checked_at: Schema.NullOr(Timestamp).annotations({ description: "When we last looked; null before that" }),
  sources: Schema.Array(
    Schema.Struct({
      source: Source.annotations({ description: "The tool" }),
      first_reported_at: field(Timestamp, "Its first import that had the page"),
      last_reported_at: field(Timestamp, "Its newest import that had the page; absence from later ones says nothing")
    }).annotations({ identifier: "BacklinkSource", description: "A tool that reports the page" })
  ).annotations({ description: "The tools that report the page" }),
  authority: Schema.NullOr(Authority).annotations({ description: "Authority of its domain; null where none is known" })
}).annotations({ identifier: "Backlink", description: "A page that links to the site, and whether it still does" })

/** A domain with pages that link to the site, or that a list names. */
export const ReferringDomain = Schema.Struct({
  domain: Schema.String.annotations({ description: "Host name without `www.`" }),
  links: Count.annotations({ description: "Linking pages that were reported" }),
  live_links: Count.annotations({ description: "Those whose link we saw at the last look" }),
  reported_links: Schema.NullOr(Count).annotations({
    description: "Linking pages as the newest list of domains counts them; null without one"
  }),
  authority: Schema.NullOr(Authority).annotations({ description: "Its authority; null where none is known" }),
  lost_at: Schema.NullOr(Timestamp).annotations({
    description:
      "When every page that we had seen linking was lost, or, of a domain without linking pages, when the lists of a source lost it; null while it is not"
  })
}).annotations({ identifier: "ReferringDomain", description: "A domain that links to the site" })

/** What became of a backlink. */
export const Kind = Schema.Literal("new", "lost", "recovered", "rel_changed")

export const Change = Schema.Struct({
  id: Uuid.annotations({ description: "UUID of the change" }),
  kind: Kind.annotations({
    description:
      "`new`: reported for the first time; `lost`: confirmed by a second look; `recovered`: there again after it was lost; `rel_changed`: other marks at the link"
  }),
  at: field(Timestamp, "When it was found"),
  backlink_id: BacklinkId.annotations({ description: "The backlink" }),
  source_url: Schema.String.annotations({ description: "The linking page" }),
  source_domain: Schema.String.annotations({ description: "Its host, without `www.`" }),
  previous_rel: Schema.NullOr(Schema.Array(Rel)).annotations({ description: "Marks before; null unless they changed" }),
  rel: Schema.NullOr(Schema.Array(Rel)).annotations({ description: "Marks since; null unless they changed" })
}).annotations({ identifier: "BacklinkChange", description: "What became of a backlink" })

/** What will be looked at. */
export const Checks = Schema.Struct({
  due: Count.annotations({ description: "Linking pages that are due" })
}).annotations({ identifier: "BacklinkChecks", description: "Linking pages that will be looked at" })

export const ImportId = Uuid.pipe(Schema.brand("BacklinkImportId"))

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
const Outcome = Schema.Struct({
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
const ImportError = Schema.Struct({
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
