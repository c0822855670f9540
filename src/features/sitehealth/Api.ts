import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import * as Schema from "effect/Schema"
import { CrawlResult } from "../../crawl/report/CrawlResult.ts"
import { failure } from "../../foundation/http/ApiError.ts"
import {
  about,
  body,
  Data,
  described,
  IdempotencyHeaders,
  inPath,
  input,
  list,
  PageParameters,
  read,
  remove
} from "../../foundation/http/Contract.ts"
import { preferring, preferringOrFollowing } from "../../foundation/http/Prefer.ts"
import { field } from "../../foundation/schema/Scalars.ts"
import { AnyKey, SiteHealthRead, SiteHealthWrite } from "../accounts/Authorized.ts"
import { ProjectId } from "../projects/Domain.ts"
import { endOfRun, HistoryPoint, OfRun, Run, RunStatus, RunWithResult, StartRun, VerifyRun } from "./Domain.ts"

const OfProject = Schema.Struct({ project_id: inPath(ProjectId) })

const ListParameters = Schema.Struct({
  ...PageParameters,
  status: Schema.optionalWith(
    RunStatus.annotations({
      description: "Only crawls with this status",
      message: () => ({ message: `must be one of ${RunStatus.literals.join(", ")}`, override: true })
    }),
    { exact: true }
  )
})

const HistoryParameters = Schema.Struct({
  ...PageParameters,
  rule: Schema.optionalWith(Schema.String, { exact: true }).annotations({
    description: "Id of a check: each entry includes its result in that crawl"
  })
})

/** Whether the response has an earlier crawl. */
const StartMeta = Schema.Struct({
  idempotent_replay: Schema.optionalWith(Schema.Literal(true), { exact: true }).annotations({
    description: "The `Idempotency-Key` was used before: this is the crawl that it started"
  }),
  joined_in_flight: Schema.optionalWith(Schema.Literal(true), { exact: true }).annotations({
    description: "An identical crawl is in progress: this is that crawl"
  })
}).annotations({
  identifier: "SiteHealthStartMeta",
  description: "Whether the crawl is an earlier one; empty for a new crawl"
})

const Started = Schema.Struct({
  data: field(Run, "The crawl, new or earlier"),
  meta: field(StartMeta, "Whether the crawl is an earlier one; empty for a new crawl")
})

const Latest = Schema.Struct({
  run: Schema.NullOr(Run).annotations({
    description: "The latest finished crawl with a result; null if there is none"
  }),
  result: Schema.NullOr(CrawlResult).annotations({ description: "Its result; null if there is none" }),
  has_data: Schema.Boolean.annotations({ description: "Whether there is such a crawl" })
}).annotations({ identifier: "LatestSiteHealth", description: "The latest result of a site" })

/** Crawls of a site: start one, poll it, read its result. */
export class SiteHealthApi extends HttpApiGroup.make("site-health")
  .annotateContext(about("Crawls of a site: start one, poll it, read its result."))
  .add(
    HttpApiEndpoint.post("start", "/projects/:project_id/site-health/runs")
      .annotateContext(
        described(
          "Start a crawl",
          "Queues a crawl of the site. If an identical crawl is in progress, the response is 200 with that crawl and `meta.joined_in_flight`. `max_pages` is capped at the limit of your plan; values above 50 return 422."
        )
      )
      .setPath(OfProject)
      .setHeaders(IdempotencyHeaders)
      .annotateContext(preferring(endOfRun))
      .setPayload(body(StartRun))
      .addSuccess(Started.annotations(HttpApiSchema.annotations({ status: 202 })))
      .addSuccess(Started.annotations(HttpApiSchema.annotations({ status: 200 })))
      .addError(failure("validation_error"))
      .addError(failure("not_found"))
      .addError(failure("idempotency_conflict"))
      .addError(failure("quota_exceeded"))
      .middleware(SiteHealthWrite)
  )
  .add(
    list("list", "/projects/:project_id/site-health/runs", {
      summary: "List crawls",
      description: "The crawls of a site, latest first (`created_at`, then `id`).",
      of: Run,
      scope: SiteHealthRead
    })
      .setPath(OfProject)
      .setUrlParams(input(ListParameters))
      .addError(failure("not_found"))
  )
  .add(
    read("latest", "/projects/:project_id/site-health/latest", {
      summary: "Read the latest result",
      description:
        "The latest finished crawl of a site that has a result, with that result. Without one, `has_data` is false and both are null.",
      ids: OfProject,
      of: Latest,
      scope: SiteHealthRead
    })
  )
  .add(
    list("history", "/projects/:project_id/site-health/history", {
      summary: "Read the history of a site",
      description:
        "Score and number of issues of every crawl of the whole site, latest first (`created_at`, then `id`). With `rule`, each entry includes the result of that check. Crawls whose result has been deleted are included.",
      of: HistoryPoint,
      scope: SiteHealthRead
    })
      .setPath(OfProject)
      .setUrlParams(input(HistoryParameters))
      .addError(failure("not_found"))
  )
  .add(
    read("get", "/runs/:run_id", {
      summary: "Read a crawl",
      description:
        "A crawl with its progress. With `include=result`, a finished crawl includes its result. Most crawls finish within 90 seconds: poll every few seconds, or send `Accept: application/x-ndjson` to stream each change. An account can have 20 such streams at a time per server; Findable closes a stream that its client does not read.",
      ids: OfRun,
      of: RunWithResult,
      scope: SiteHealthRead
    })
      .setUrlParams(
        input(
          Schema.Struct({
            include: Schema.optionalWith(Schema.Literal("result"), { exact: true }).annotations({
              description:
                "`result`: the response includes the result of a finished crawl, which can be several megabytes"
            })
          })
        )
      )
      .addError(failure("validation_error"))
      .addError(failure("quota_exceeded"))
      .annotateContext(
        preferringOrFollowing(
          endOfRun,
          "the crawl as JSON: one line immediately and one for each change, and a blank line after 15 s without a change; ends when the crawl is final, or with its current state when the server stops"
        )
      )
  )
  .add(
    HttpApiEndpoint.post("cancel", "/runs/:run_id/cancel")
      .annotateContext(described("Cancel a crawl", "Ends a crawl that is not final."))
      .setPath(OfRun)
      .addSuccess(Data(Run))
      .addError(failure("not_found"))
      .addError(failure("conflict"))
      .middleware(SiteHealthWrite)
  )
  .add(
    remove("remove", "/runs/:run_id", {
      summary: "Delete a crawl",
      description:
        "Deletes a final crawl with its result and its rechecks. `latest` and `diff` then use the remaining crawls; the quota still counts it. Returns 409 while the crawl or a recheck of it is in progress.",
      ids: OfRun,
      scope: SiteHealthWrite
    }).addError(failure("conflict"))
  )
  .add(
    HttpApiEndpoint.post("verify", "/runs/:run_id/verify")
      .annotateContext(
        described(
          "Recheck the issues of a crawl",
          "Queues a crawl that checks the affected URLs again, for some checks or for all. It fetches the start page, robots.txt, the sitemaps, the affected URLs and the URLs that these are compared with. The result has no score; `verification` has one entry for each check and URL."
        )
      )
      .setPath(OfRun)
      .setHeaders(IdempotencyHeaders)
      .annotateContext(preferring(endOfRun))
      .setPayload(body(VerifyRun))
      .addSuccess(Started.annotations(HttpApiSchema.annotations({ status: 202 })))
      .addSuccess(Started.annotations(HttpApiSchema.annotations({ status: 200 })))
      .addError(failure("validation_error"))
      .addError(failure("not_found"))
      .addError(failure("conflict", "idempotency_conflict"))
      .addError(failure("quota_exceeded"))
      .middleware(SiteHealthWrite)
  )
  .prefix("/api/v1") {}

/** A check, in words. */
export const RuleWords = Schema.Struct({
  rule: Schema.String.annotations({ description: "Id of the check, as in results" }),
  title: Schema.String.annotations({ description: "Title of the issue, such as `Broken link`" }),
  category: field(Schema.String, "Category of the check"),
  severity: field(Schema.Literal("critical", "warning", "info"), "Severity of the issue"),
  means: Schema.String.annotations({ description: "What the issue means" }),
  fix: Schema.String.annotations({ description: "How to fix it" }),
  source: Schema.String.annotations({
    description: "Source of the check: a standard, or the documentation of a search engine"
  })
}).annotations({ identifier: "Rule", description: "A check and the issue that it finds, in words" })

/** The checks of the crawler. */
export class RulesApi extends HttpApiGroup.make("rules")
  .annotateContext(about("The checks of a crawl, each with its source."))
  .add(
    HttpApiEndpoint.get("list", "/rules")
      .annotateContext(described("List the checks", "Every check of a crawl, in the order of the report."))
      .addSuccess(Data(Schema.Array(RuleWords)))
      .middleware(AnyKey)
  )
  .prefix("/api/v1") {}
