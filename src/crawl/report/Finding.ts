import * as Schema from "effect/Schema"
import { field } from "../../foundation/schema/Scalars.ts"

/** The place of an issue: a landmark of the page (HTML standard §4.3, WAI-ARIA landmark roles), or a file beside the pages. */
export const FaultPlace = Schema.Literal("header", "nav", "main", "footer", "head", "sitemap", "robots").annotations({
  identifier: "FaultPlace",
  description: "Part of a page by its landmarks, `head`, or a file next to the pages"
})
export type FaultPlace = typeof FaultPlace.Type

/** A part of a page; elements outside all other parts are main content. */
export type PagePlace = Exclude<FaultPlace, "sitemap" | "robots">

export const Severity = Schema.Literal("critical", "warning", "info").annotations({
  identifier: "FindingSeverity",
  description:
    "Score impact of an issue: a page keeps 0.5 of its value with a `critical` one, 0.85 with a `warning`, 0.97 with an `info`"
})
export type Severity = typeof Severity.Type

/** The order of severities, worst first. */
export const severityRank: Readonly<Record<Severity, number>> = { critical: 0, warning: 1, info: 2 }

export const Category = Schema.Literal(
  "availability",
  "redirects",
  "indexability",
  "canonicals",
  "content",
  "links",
  "sitemaps",
  "international",
  "structured_data",
  "security",
  "performance"
).annotations({ identifier: "FindingCategory", description: "Category of a check" })
export type Category = typeof Category.Type

export const FindingStatus = Schema.Literal("pass", "fail", "not_assessed").annotations({
  identifier: "FindingStatus",
  description: "`not_assessed`: not checked or not applicable; `evidence.reason` says why"
})
export type FindingStatus = typeof FindingStatus.Type

/** Where the fix of an issue is, by its causes. */
export const Effort = Schema.Literal("site", "template", "pages").annotations({
  identifier: "FindingEffort",
  description:
    "Where the fix is: `site`: one cause of the whole site, such as a link in the navigation; `template`: elements or omissions that at least three pages share; `pages`: single pages"
})
export type Effort = typeof Effort.Type

const optional = { exact: true } as const

/** The evidence on one URL, or on several with a common cause: then `url` is the first of them. */
export const EvidenceItem = Schema.Struct({
  url: Schema.String.annotations({ description: "Affected URL; the first one if pages share the cause" }),
  detail: Schema.String.annotations({ description: "What is wrong there; may be empty" }),
  value: Schema.optionalWith(Schema.String, optional).annotations({
    description: "Value that causes the issue, as the site writes it"
  }),
  markup: Schema.optionalWith(Schema.String.pipe(Schema.maxLength(300)), optional).annotations({
    description: "Element that causes the issue, as the page writes it; at most 300 characters"
  }),
  place: Schema.optionalWith(FaultPlace, optional).annotations({
    description: "Where it is; absent if the check is not about a place"
  }),
  shared_by: Schema.optionalWith(Schema.Int, optional).annotations({
    description: "Pages that share this cause; absent if only one page has it"
  }),
  sample: Schema.optionalWith(Schema.Array(Schema.String).pipe(Schema.maxItems(5)), optional).annotations({
    description: "Up to five of the pages that share this cause"
  })
}).annotations({
  identifier: "SiteHealthEvidence",
  description: "Details of an issue on one URL, or on several that share its cause"
})
export type EvidenceItem = typeof EvidenceItem.Type

/** The result of one check on the site; all checks are reported, in the order of the catalogue. */
export const Finding = Schema.Struct({
  rule: Schema.String.annotations({ description: "Id of the check; `GET /rules` explains it" }),
  category: field(Category, "Category of the check"),
  severity: field(Severity, "Severity of the issue"),
  status: field(FindingStatus, "Result: `pass`, `fail`, or `not_assessed` if not checked or not applicable"),
  count: Schema.Int.annotations({
    description: "Affected pages, 1 for an issue of the whole site; 0 unless the status is `fail`"
  }),
  pages: Schema.Array(Schema.String).annotations({ description: "URLs of all affected pages" }),
  evidence: field(
    Schema.Struct({
      assessed: Schema.Int.annotations({ description: "Pages checked" }),
      reason: Schema.NullOr(Schema.String).annotations({
        description:
          "Why the check did not run, or why other pages than those in `pages` may be affected, such as `scripts were not run`; null otherwise"
      }),
      items: Schema.Array(EvidenceItem).annotations({
        description:
          "One for each cause that pages share, then one for each page with a cause of its own; with hundreds, the later ones have no `detail`"
      })
    }).annotations({ identifier: "SiteHealthFindingEvidence", description: "Details of a result" }),
    "Details of the result"
  ),
  effort: field(Schema.NullOr(Effort), "Where the fix is; null unless the status is `fail`"),
  charged_by: Schema.NullOr(Schema.String).annotations({
    description:
      "Id of the check, or name of the factor, that carries the score impact of an issue without one; null for other issues"
  })
}).annotations({
  identifier: "SiteHealthFinding",
  description: "Result of one check on the site; every check is listed, in the order of the catalogue"
})
export type Finding = typeof Finding.Type

/** Failing checks by severity. */
export const FindingCounts = Schema.Struct({
  critical: Schema.Int.annotations({ description: "Issues of severity `critical`" }),
  warning: Schema.Int.annotations({ description: "Issues of severity `warning`" }),
  info: Schema.Int.annotations({ description: "Issues of severity `info`" })
}).annotations({ identifier: "SiteHealthFindingCounts", description: "Issues by severity" })

/** Counts the failing checks by severity. */
export const countsOf = (findings: ReadonlyArray<Finding>): typeof FindingCounts.Type => {
  const of = (severity: Severity) =>
    findings.filter((finding) => finding.status === "fail" && finding.severity === severity).length
  return { critical: of("critical"), warning: of("warning"), info: of("info") }
}

/** The evidence on each failing URL of an issue: its own item, else the first item of a site-wide cause. */
export const evidenceOn = ({ evidence: { items } }: Finding): ((url: string) => EvidenceItem | undefined) => {
  const own = new Map(items.flatMap((item) => (item.shared_by === undefined ? [[item.url, item]] : [])))
  const shared = items.filter(({ shared_by }) => shared_by !== undefined)
  return (url) => own.get(url) ?? shared.find(({ sample }) => sample?.includes(url)) ?? shared[0]
}

/** One check that fails on one URL, with its detail (may be empty). */
interface Unit extends Pick<Finding, "rule" | "category" | "severity"> {
  readonly url: string
  readonly detail: string
}

/** Every URL that fails a check. */
export const unitsOf = (findings: ReadonlyArray<Finding>): ReadonlyArray<Unit> =>
  findings.flatMap((finding) => {
    const { category, pages, rule, severity } = finding
    const itemOn = evidenceOn(finding)
    return pages.map((url) => ({ rule, category, severity, url, detail: itemOn(url)?.detail ?? "" }))
  })
