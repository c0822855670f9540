import * as Schema from "effect/Schema"
import { Count, field, Uuid } from "../../foundation/schema/Scalars.ts"
import { Timestamp } from "../../foundation/schema/Time.ts"
import { ProjectId } from "../projects/Domain.ts"

export const BacklinkId = Uuid.pipe(Schema.brand("BacklinkId"))
export type BacklinkId = typeof BacklinkId.Type

/** Tools with exports of backlinks; `csv` is any other table. */
export const Source = Schema.Literal("gsc-links", "ahrefs", "semrush", "majestic", "moz", "csv")
export type Source = typeof Source.Type

/** The result of the latest check of a linking page. */
export const State = Schema.Literal("live", "page_gone", "link_removed", "redirected", "blocked", "unknown")
export type State = typeof State.Type

/** Link attributes that weaken a link for search engines. */
export const Rel = Schema.Literal("nofollow", "ugc", "sponsored")
export type Rel = typeof Rel.Type

const states =
  "`live`: the page links to the site; `page_gone`: the page returns 404 or 410; `link_removed`: the page no longer links to the site; `redirected`: the page redirects, and its target has no link; `blocked`: Findable may not fetch the page; `unknown`: not checked, see `reason`"

/** The authority of a domain, by one source. */
const Authority = Schema.Struct({
  source: Schema.String.annotations({ description: "Source of the number: a tool, or `common-crawl`" }),
  value: Schema.Number.annotations({ description: "The number as reported by the source" }),
  scale: Schema.Literal("0-100", "harmonic-rank").annotations({
    description: "`0-100`: 60 or more is high; `harmonic-rank`: rank in the web graph, 1,000,000 or less is high"
  }),
  as_of: field(Timestamp, "When the source was imported")
}).annotations({ identifier: "DomainAuthority", description: "Authority of a domain by one source" })

/** A page that links to the site. */
export const Backlink = Schema.Struct({
  id: BacklinkId.annotations({ description: "UUID of the backlink; it stays the same for a linking page and site" }),
  source_url: Schema.String.annotations({ description: "The linking page" }),
  source_domain: Schema.String.annotations({ description: "Its host, without `www.`" }),
  target_url: Schema.NullOr(Schema.String).annotations({
    description:
      "URL that the page links to, from the last check that found the link, or as reported; null when unknown"
  }),
  anchor_text: Schema.NullOr(Schema.String).annotations({ description: "Anchor text; null when unknown" }),
  rel: Schema.Array(Rel).annotations({
    description: "rel values of the link, such as `nofollow`; empty: a followed link"
  }),
  state: State.annotations({ description: states }),
  reason: Schema.NullOr(Schema.String).annotations({
    description:
      "Why it is `blocked` or `unknown`, such as `not_checked`, `robots`, `no_answer` or `needs_javascript`; else null"
  }),
  http_status: Schema.NullOr(Schema.Int).annotations({
    description: "HTTP status of the last check; null without a response"
  }),
  first_seen_at: field(Timestamp, "When it was first reported"),
  last_live_at: Schema.NullOr(Timestamp).annotations({
    description: "When Findable last saw the link; null before that"
  }),
  checked_at: Schema.NullOr(Timestamp).annotations({
    description: "When Findable last checked the page; null before the first check"
  }),
  sources: Schema.Array(
    Schema.Struct({
      source: Source.annotations({ description: "The tool" }),
      first_reported_at: field(Timestamp, "First import with the page"),
      last_reported_at: field(
        Timestamp,
        "Latest import with the page; a missing row in a later import does not mean that the link is lost"
      )
    }).annotations({ identifier: "BacklinkSource", description: "A tool that reports the link" })
  ).annotations({ description: "Tools that report the link" }),
  authority: Schema.NullOr(Authority).annotations({ description: "Authority of the domain; null when unknown" })
}).annotations({
  identifier: "Backlink",
  description: "A page that links to the site, with the result of the last check"
})

/** A domain in a list, or with pages that link to the site. */
export const ReferringDomain = Schema.Struct({
  domain: Schema.String.annotations({ description: "Host name without `www.`" }),
  links: Count.annotations({ description: "Reported linking pages" }),
  live_links: Count.annotations({ description: "Linking pages whose link was live at the last check" }),
  reported_links: Schema.NullOr(Count).annotations({
    description: "Linking pages according to the latest list of domains; null without a list"
  }),
  authority: Schema.NullOr(Authority).annotations({ description: "Authority of the domain; null when unknown" }),
  lost_at: Schema.NullOr(Timestamp).annotations({
    description:
      "When the domain was lost: no known page links to the site any more, or the lists of a source no longer have the domain; null while it is not lost"
  })
}).annotations({ identifier: "ReferringDomain", description: "A domain that links to the site" })

/** Kinds of changes of a backlink. */
export const Kind = Schema.Literal("new", "lost", "recovered", "rel_changed")

export const Change = Schema.Struct({
  id: Uuid.annotations({ description: "UUID of the change" }),
  kind: Kind.annotations({
    description:
      "`new`: first reported; `lost`: confirmed by a second check; `recovered`: linked again after it was lost; `rel_changed`: changed rel values"
  }),
  at: field(Timestamp, "When it was found"),
  backlink_id: BacklinkId.annotations({ description: "The backlink" }),
  source_url: Schema.String.annotations({ description: "The linking page" }),
  source_domain: Schema.String.annotations({ description: "Its host, without `www.`" }),
  previous_rel: Schema.NullOr(Schema.Array(Rel)).annotations({
    description: "Previous rel values; null unless they changed"
  }),
  rel: Schema.NullOr(Schema.Array(Rel)).annotations({ description: "New rel values; null unless they changed" })
}).annotations({ identifier: "BacklinkChange", description: "A change of a backlink" })

/** Number of due checks. */
export const Checks = Schema.Struct({
  due: Count.annotations({ description: "Linking pages that are due" })
}).annotations({ identifier: "BacklinkChecks", description: "Linking pages that will be checked" })

export const ImportId = Uuid.pipe(Schema.brand("BacklinkImportId"))

/** The format of a file; with `auto` its cells decide. */
export const Format = Schema.Literal("auto", ...Source.literals)
export type Format = typeof Format.Type

/** Counts of dropped rows. */
const Dropped = Schema.Struct({
  own_host: Count.annotations({ description: "Pages or domains of the site itself" }),
  reported_lost: Count.annotations({ description: "Links that the file marks as lost" }),
  too_long: Count.annotations({ description: "URLs longer than 2,048 characters" })
}).annotations({ identifier: "BacklinkRowsDropped", description: "Skipped rows, by reason" })

/** Maximum names of lost domains that an import returns. */
export const lostAtMost = 1000

/** The result of an import. */
const Outcome = Schema.Struct({
  source: Source.annotations({ description: "Tool that exported the file" }),
  rows: Count.annotations({ description: "Rows of the file" }),
  links: Count.annotations({ description: "Imported rows of linking pages" }),
  domains: Count.annotations({ description: "Domains in a list of domains; 0 for linking pages" }),
  new: Count.annotations({ description: "New linking pages" }),
  dropped: field(Dropped, "Skipped rows, by reason"),
  lost: Schema.Array(Schema.String).annotations({
    description: `Lost domains: missing from two lists of the source and without known linking pages; the first ${lostAtMost} by name`
  })
}).annotations({ identifier: "BacklinkImportOutcome", description: "Result of an import" })
export type Outcome = typeof Outcome.Type

/** Why an import failed: nothing is stored. */
const ImportError = Schema.Struct({
  code: Schema.Literal("invalid_file", "refused", "import_failed", "worker_lost").annotations({
    description:
      "`invalid_file` and `refused`: the file cannot be imported; `import_failed`: server error; `worker_lost`: the server stopped during the import, send the file again"
  }),
  message: Schema.String.annotations({ description: "What is wrong and what to do, in words" }),
  line: Schema.NullOr(Schema.Int).annotations({ description: "Line with the error, from 1; null when no line has one" })
}).annotations({ identifier: "BacklinkImportError", description: "Why the import failed. Nothing was imported" })
export type ImportError = typeof ImportError.Type

/** An import over HTTP. */
export const BacklinkImport = Schema.Struct({
  id: ImportId.annotations({ description: "UUID of the import" }),
  project_id: ProjectId.annotations({ description: "UUID of the site" }),
  status: Schema.Literal("queued", "running", "completed", "failed").annotations({
    description: "Status; `completed` and `failed` are final"
  }),
  format: field(Format, "Format from the request"),
  source: Schema.NullOr(Source).annotations({
    description: "Tool that exported the file; null until it is completed"
  }),
  rows: Schema.NullOr(Count).annotations({ description: "Rows of the file; null until it is completed" }),
  links: Schema.NullOr(Count).annotations({
    description: "Imported rows of linking pages; null until it is completed"
  }),
  domains: Schema.NullOr(Count).annotations({
    description: "Domains in a list of domains; 0 for linking pages, null until it is completed"
  }),
  new: Schema.NullOr(Count).annotations({
    description: "New linking pages; null until it is completed"
  }),
  dropped: Schema.NullOr(Dropped).annotations({
    description: "Skipped rows, by reason; null until it is completed"
  }),
  lost: Schema.NullOr(Outcome.fields.lost).annotations({
    description:
      "Lost domains: missing from two lists of the source and without known linking pages; null until it is completed"
  }),
  error: Schema.NullOr(ImportError).annotations({ description: "Why it failed; null unless the status is `failed`" }),
  created_at: field(Timestamp, "When the file was received"),
  finished_at: Schema.NullOr(Timestamp).annotations({ description: "When it finished; null before that" })
}).annotations({ identifier: "BacklinkImport", description: "An import of backlinks through the API" })
