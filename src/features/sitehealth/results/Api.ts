import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import * as Schema from "effect/Schema"
import { CrawlDiff, FindingUnit } from "../../../crawl/diff/CrawlDiff.ts"
import { DeadLink } from "../../../crawl/report/CrawlResult.ts"
import { Finding, FindingStatus, Severity } from "../../../crawl/report/Finding.ts"
import { HealthReason, HealthState, MeasuredPage } from "../../../crawl/report/MeasuredPage.ts"
import { failure } from "../../../foundation/http/ApiError.ts"
import {
  about,
  CountedPage,
  described,
  exportableList,
  input,
  PageParameters,
  read
} from "../../../foundation/http/Contract.ts"
import { field } from "../../../foundation/schema/Scalars.ts"
import { SiteHealthRead } from "../../accounts/Authorized.ts"
import { FixDirective, OfRun, RunId } from "../Domain.ts"

const optional = { exact: true } as const

const others = (sentence: string) => ({ message: () => ({ message: sentence, override: true }) })

/** Filters and order of a list of issues. */
export const FindingFilters = Schema.Struct({
  rule: Schema.optionalWith(Schema.String, optional).annotations({
    description: "Only the result of this check, by its id"
  }),
  severity: Schema.optionalWith(Severity, optional).annotations({ description: "Only checks of this severity" }),
  status: Schema.optionalWith(FindingStatus, optional).annotations({ description: "Only checks with this result" }),
  url: Schema.optionalWith(
    Schema.String.pipe(Schema.maxLength(2048, { message: () => "must be at most 2048 characters long" })),
    optional
  ).annotations({
    description: "Part of a URL, case-insensitive: only issues that affect such a URL; with `rows=url` only these URLs"
  }),
  rows: Schema.optionalWith(Schema.Literal("url").annotations(others("must be url, or omitted")), optional).annotations(
    {
      description: "`url`: one entry for each issue and affected URL, instead of one for each check"
    }
  ),
  sort: Schema.optionalWith(
    Schema.Literal("severity", "impact").annotations(others("must be severity or impact, or omitted")),
    optional
  ).annotations({
    description:
      "`severity`: issues first, then checks that did not run, then checks that passed. Each group is sorted by severity, then by the number of affected pages. `impact`: the same groups by score impact, the most points first, then as by severity. Default: the order of the catalogue"
  })
})
export type FindingFilters = typeof FindingFilters.Type

const oneOf = (values: ReadonlyArray<string>) => others(`must be one of ${values.join(", ")}, or omitted`)

const Part = Schema.String.pipe(Schema.maxLength(2048, { message: () => "must be at most 2048 characters long" }))

const Ascending = Schema.Literal("asc", "desc")

const order = Schema.optionalWith(Ascending.annotations(oneOf(Ascending.literals)), optional).annotations({
  description: "Direction of `sort`: `asc` or `desc`; `asc` by default. Missing values are last"
})

/** The fields of a page that order the list. */
const PageSort = Schema.Literal(
  "url",
  "title",
  "state",
  "indexability",
  "http_status",
  "depth",
  "words",
  "response_ms",
  "linked_from_count",
  "rendering"
)

/** Filters and order of a list of pages. */
export const PageFilters = Schema.Struct({
  state: Schema.optionalWith(HealthState.annotations(oneOf(HealthState.literals)), optional).annotations({
    description: "Only URLs with this status (`health_state`)"
  }),
  reason: Schema.optionalWith(HealthReason.annotations(oneOf(HealthReason.literals)), optional).annotations({
    description: "Only URLs with this reason for their status (`health_reason`)"
  }),
  q: Schema.optionalWith(Part, optional).annotations({
    description: "Part of the URL or the title, case-insensitive"
  }),
  sort: Schema.optionalWith(PageSort.annotations(oneOf(PageSort.literals)), optional).annotations({
    description:
      "Field that orders the list: `state` is `health_state`, `indexability` is `indexability_state`, `rendering` is its state. Default: the order of discovery"
  }),
  order
})
export type PageFilters = typeof PageFilters.Type

/** Whether a link leads to the site or to another one. */
const LinkKind = Schema.Literal("internal", "external").annotations({
  identifier: "BrokenLinkKind",
  description: "`internal`: a page of the site; `external`: a page of another site"
})

/** A broken URL of a crawl in a list. */
export const ListedDeadLink = Schema.Struct({
  kind: field(LinkKind, "Whether it is a page of the site or of another one"),
  ...DeadLink.fields,
  linked_from_count: Schema.Int.annotations({ description: "Pages that link to it" })
}).annotations({
  identifier: "SiteHealthDeadLink",
  description: "A page that returns 4xx or 5xx, confirmed by a second GET, and where it is linked"
})
export type ListedDeadLink = typeof ListedDeadLink.Type

const LinkSort = Schema.Literal("url", "http_status", "linked_from_count")

const LinkReason = Schema.Literal("http_4xx", "http_5xx")

/** Filters and order of a list of broken links. */
export const DeadLinkFilters = Schema.Struct({
  kind: Schema.optionalWith(LinkKind.annotations(oneOf(LinkKind.literals)), optional).annotations({
    description: "Only broken URLs of this kind"
  }),
  reason: Schema.optionalWith(LinkReason.annotations(oneOf(LinkReason.literals)), optional).annotations({
    description: "Only URLs that return 4xx, or only those that return 5xx"
  }),
  q: Schema.optionalWith(Part, optional).annotations({
    description: "Part of the broken URL, of the link text or of a page that links to it, case-insensitive"
  }),
  sort: Schema.optionalWith(LinkSort.annotations(oneOf(LinkSort.literals)), optional).annotations({
    description: "Field that orders the list. Default: pages of the site before other sites, in the order of discovery"
  }),
  order
})
export type DeadLinkFilters = typeof DeadLinkFilters.Type

const FindingParameters = Schema.Struct({ ...PageParameters, ...FindingFilters.fields })

const FindingEntry = Schema.Union(Finding, FindingUnit).annotations({
  identifier: "SiteHealthFindingEntry",
  description: "`SiteHealthFinding`; with `rows=url` `FindingUnit`"
})

/** A directive's id in a path: any text, because an unknown id gives 404. */
const OfFix = Schema.Struct({ ...OfRun.fields, fix_id: Schema.String })

const Diff = Schema.Struct({
  run: RunId.annotations({ description: "UUID of the later crawl" }),
  against: RunId.annotations({ description: "UUID of the earlier crawl" }),
  ...CrawlDiff.fields
}).annotations({ identifier: "SiteHealthRunDiff", description: "What changed between two crawls of a site" })

const Html = Schema.String.pipe(HttpApiSchema.withEncoding({ kind: "Text", contentType: "text/html; charset=utf-8" }))

/** Parts of the result of a crawl, and reports for people. A crawl without a result returns 409. */
export class SiteHealthResultsApi extends HttpApiGroup.make("site-health-results")
  .annotateContext(
    about("Parts of the result of a crawl, and reports for people. A crawl without a result returns 409.")
  )
  .add(
    exportableList("pages", "/runs/:run_id/pages", {
      summary: "List the pages of a crawl",
      description:
        "Every URL that the crawl found, fetched or not, in the order of the result or sorted by a field. Filter by status, reason and part of the URL or title. `meta.total` counts the entries of all pages.",
      page: CountedPage(MeasuredPage),
      scope: SiteHealthRead
    })
      .setPath(OfRun)
      .setUrlParams(input(Schema.Struct({ ...PageParameters, ...PageFilters.fields })))
      .addError(failure("conflict"))
  )
  .add(
    exportableList("deadLinks", "/runs/:run_id/dead-links", {
      summary: "List the broken links of a crawl",
      description:
        "Every URL that returns 4xx or 5xx, confirmed by a second request, with the pages that link to it, in the order of the result or sorted by a field. Other sites are included if the crawl checked external links. `meta.total` counts the entries of all pages.",
      page: CountedPage(ListedDeadLink),
      scope: SiteHealthRead
    })
      .setPath(OfRun)
      .setUrlParams(input(Schema.Struct({ ...PageParameters, ...DeadLinkFilters.fields })))
      .addError(failure("conflict"))
  )
  .add(
    exportableList("findings", "/runs/:run_id/findings", {
      summary: "List the issues of a crawl",
      description:
        "One entry for each check, in the order of the catalogue or worst first. Filter by status, severity, check and part of the URL. With `rows=url`, one entry for each issue and affected URL. `meta.total` counts the entries of all pages.",
      page: CountedPage(FindingEntry),
      scope: SiteHealthRead
    })
      .setPath(OfRun)
      .setUrlParams(input(FindingParameters))
      .addError(failure("conflict"))
  )
  .add(
    read("diff", "/runs/:run_id/diff", {
      summary: "Compare two crawls",
      description:
        "New, fixed and unresolved issues since the crawl `against`, by default the latest earlier crawl of the site with a result and the same start URL. An issue is `fixed` only if the later crawl checked it and it passed; otherwise it is `not_comparable`, with the cause.",
      ids: OfRun,
      of: Diff,
      scope: SiteHealthRead
    })
      .setUrlParams(
        input(
          Schema.Struct({
            against: Schema.optionalWith(RunId, optional).annotations({
              description:
                "UUID of an earlier crawl of the site; by default the latest one with a result and the same start URL"
            })
          })
        )
      )
      .addError(failure("validation_error"))
      .addError(failure("conflict"))
  )
  .add(
    read("fixes", "/runs/:run_id/fixes", {
      summary: "List the fixes of a crawl",
      description:
        "One for each issue, worst first: for people, and as a prompt for a coding agent. Content of the site is fenced as evidence.",
      ids: OfRun,
      of: Schema.Array(FixDirective),
      scope: SiteHealthRead
    }).addError(failure("conflict"))
  )
  .add(
    read("fix", "/runs/:run_id/fixes/:fix_id", {
      summary: "Read a fix of a crawl",
      description: "One fix by its id: `fix_` and the id of the check, which must have found an issue.",
      ids: OfFix,
      of: FixDirective,
      scope: SiteHealthRead
    }).addError(failure("conflict"))
  )
  .add(
    HttpApiEndpoint.get("report", "/runs/:run_id/report")
      .annotateContext(
        described(
          "Read a crawl as a report",
          "The result as one HTML file for people, with the changes since the latest earlier crawl from the same start URL. It loads nothing from other hosts."
        )
      )
      .setPath(OfRun)
      .addSuccess(Html)
      .addError(failure("not_found"))
      .addError(failure("conflict"))
      .middleware(SiteHealthRead)
  )
  .prefix("/api/v1") {}
