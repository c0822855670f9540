import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import * as Schema from "effect/Schema"
import { CrawlDiff, FindingUnit } from "../../../crawl/diff/CrawlDiff.ts"
import { Finding, FindingStatus, Severity } from "../../../crawl/report/Finding.ts"
import { MeasuredPage } from "../../../crawl/report/MeasuredPage.ts"
import { failure } from "../../../foundation/http/ApiError.ts"
import {
  about,
  CountedPage,
  described,
  exportableList,
  input,
  Page,
  PageParameters,
  read
} from "../../../foundation/http/Contract.ts"
import { SiteHealthRead } from "../../accounts/Authorized.ts"
import { FixDirective, OfRun, RunId } from "../Domain.ts"

const optional = { exact: true } as const

const others = (sentence: string) => ({ message: () => ({ message: sentence, override: true }) })

/** What a list of findings is narrowed to, and its order. */
export const FindingFilters = Schema.Struct({
  rule: Schema.optionalWith(Schema.String, optional).annotations({
    description: "Only the finding of this rule, by its id"
  }),
  severity: Schema.optionalWith(Severity, optional).annotations({ description: "Only rules of this severity" }),
  status: Schema.optionalWith(FindingStatus, optional).annotations({ description: "Only findings with this verdict" }),
  url: Schema.optionalWith(
    Schema.String.pipe(Schema.maxLength(2048, { message: () => "must be at most 2048 characters long" })),
    optional
  ).annotations({
    description: "Part of a URL, in any case: only findings that fail on a URL with it; with `rows=url` only these URLs"
  }),
  rows: Schema.optionalWith(
    Schema.Literal("url").annotations(others("must be url, or be left out")),
    optional
  ).annotations({
    description: "`url`: the list has one entry for each rule and each URL that fails it, instead of one for each rule"
  }),
  sort: Schema.optionalWith(
    Schema.Literal("severity").annotations(others("must be severity, or be left out")),
    optional
  ).annotations({
    description:
      "`severity`: the worst first, that is rules that fail, then those that were not assessed, then those that pass, each by severity, and of one severity the one that fails on most pages first; in the order of the catalogue by default"
  })
})
export type FindingFilters = typeof FindingFilters.Type

const FindingParameters = Schema.Struct({ ...PageParameters, ...FindingFilters.fields })

const FindingEntry = Schema.Union(Finding, FindingUnit).annotations({
  identifier: "SiteHealthFindingEntry",
  description: "`SiteHealthFinding`; with `rows=url` `FindingUnit`"
})

/** What a directive's id in a path may be: any text, since one that no directive has is not found. */
const OfFix = Schema.Struct({ ...OfRun.fields, fix_id: Schema.String })

const Diff = Schema.Struct({
  run: RunId.annotations({ description: "UUID of the later run" }),
  against: RunId.annotations({ description: "UUID of the earlier run that it is compared with" }),
  ...CrawlDiff.fields
}).annotations({ identifier: "SiteHealthRunDiff", description: "What changed between two runs of a project" })

const Html = Schema.String.pipe(HttpApiSchema.withEncoding({ kind: "Text", contentType: "text/html; charset=utf-8" }))

/** Parts of a run's result, and reports for people. A run without a result gets 409. */
export class SiteHealthResultsApi extends HttpApiGroup.make("site-health-results")
  .annotateContext(about("Parts of a run's result, and reports for people. A run without a result gets 409."))
  .add(
    exportableList("pages", "/runs/:run_id/pages", {
      summary: "List the pages of a run",
      description: "Every URL that the run met, reached or not, in the order of its result.",
      page: Page(MeasuredPage),
      scope: SiteHealthRead
    })
      .setPath(OfRun)
      .addError(failure("conflict"))
  )
  .add(
    exportableList("findings", "/runs/:run_id/findings", {
      summary: "List the findings of a run",
      description:
        "One entry for each rule, in the order of the catalogue or the worst first, narrowed by status, severity, rule and part of the URL; with `rows=url` one entry for each rule and each URL that fails it. `meta.total` counts the entries of all pages.",
      page: CountedPage(FindingEntry),
      scope: SiteHealthRead
    })
      .setPath(OfRun)
      .setUrlParams(input(FindingParameters))
      .addError(failure("conflict"))
  )
  .add(
    read("diff", "/runs/:run_id/diff", {
      summary: "Compare a run with an earlier one",
      description:
        "What is new, fixed and persisting since the run `against`, by default the newest earlier run of the project with a result and the same start URL. A fault is `fixed` only when the newer run looked and it passed; anything else is `not_comparable`, with its cause.",
      ids: OfRun,
      of: Diff,
      scope: SiteHealthRead
    })
      .setUrlParams(
        input(
          Schema.Struct({
            against: Schema.optionalWith(RunId, optional).annotations({
              description:
                "UUID of an earlier run of the project; the newest with a result and the same start URL by default"
            })
          })
        )
      )
      .addError(failure("validation_error"))
      .addError(failure("conflict"))
  )
  .add(
    read("fixes", "/runs/:run_id/fixes", {
      summary: "List the fix directives of a run",
      description:
        "One for each rule that fails, worst first: for people, and as instructions for a coding agent. Content of the site is fenced as evidence.",
      ids: OfRun,
      of: Schema.Array(FixDirective),
      scope: SiteHealthRead
    }).addError(failure("conflict"))
  )
  .add(
    read("fix", "/runs/:run_id/fixes/:fix_id", {
      summary: "Read a fix directive of a run",
      description: "One of the run's fix directives, by its id: `fix_` and the id of the rule, which must fail.",
      ids: OfFix,
      of: FixDirective,
      scope: SiteHealthRead
    }).addError(failure("conflict"))
  )
  .add(
    HttpApiEndpoint.get("report", "/runs/:run_id/report")
      .annotateContext(
        described(
          "Read a run as a report",
          "The result as one HTML file for people, with what changed since the newest earlier run from the same start. It loads nothing from other hosts."
        )
      )
      .setPath(OfRun)
      .addSuccess(Html)
      .addError(failure("not_found"))
      .addError(failure("conflict"))
      .middleware(SiteHealthRead)
  )
  .prefix("/api/v1") {}
