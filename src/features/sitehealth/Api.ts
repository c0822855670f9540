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
      description: "Only runs in this state",
      message: () => ({ message: `must be one of ${RunStatus.literals.join(", ")}`, override: true })
    }),
    { exact: true }
  )
})

const HistoryParameters = Schema.Struct({
  ...PageParameters,
  rule: Schema.optionalWith(Schema.String, { exact: true }).annotations({
    description: "Id of a rule: each entry has what its run says of it"
  })
})

/** How an answer to a start came about, where it is not a new run. */
const StartMeta = Schema.Struct({
  idempotent_replay: Schema.optionalWith(Schema.Literal(true), { exact: true }).annotations({
    description: "The `Idempotency-Key` was used before: this is the run that it started"
  }),
  joined_in_flight: Schema.optionalWith(Schema.Literal(true), { exact: true }).annotations({
    description: "An identical request is in progress: this is its run"
  })
}).annotations({
  identifier: "SiteHealthStartMeta",
  description: "How the answer came about, where it is not a new run"
})

const Started = Schema.Struct({
  data: field(Run, "The run, new or earlier"),
  meta: field(StartMeta, "How the answer came about, where it is not a new run")
})

const Latest = Schema.Struct({
  run: Schema.NullOr(Run).annotations({
    description: "The newest finished run with a result; null when there is none"
  }),
  result: Schema.NullOr(CrawlResult).annotations({ description: "Its result; null when there is none" }),
  has_data: Schema.Boolean.annotations({ description: "Whether there is one" })
}).annotations({ identifier: "LatestSiteHealth", description: "The newest result of a project" })

/** Bounded crawls of a site: start one, poll it, read its result. */
export class SiteHealthApi extends HttpApiGroup.make("site-health")
  .annotateContext(about("Bounded crawls of a site: start one, poll it, read its result."))
  .add(
    HttpApiEndpoint.post("start", "/projects/:project_id/site-health/runs")
      .annotateContext(
        described(
          "Start a site health run",
          "Queues a crawl of the project's site. An identical request while a run is in progress joins it and is answered with 200 and `meta.joined_in_flight`. A `max_pages` above the plan's limit, and up to 50, is lowered to it; more than 50 are 422."
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
      summary: "List site health runs",
      description: "The runs of a project, the newest first (`created_at`, then `id`).",
      of: Run,
      scope: SiteHealthRead
    })
      .setPath(OfProject)
      .setUrlParams(input(ListParameters))
      .addError(failure("not_found"))
  )
  .add(
    read("latest", "/projects/:project_id/site-health/latest", {
      summary: "Read the newest result",
      description:
        "The newest finished run of a project that has results, with its result; `has_data` is false and both are null when there is none.",
      ids: OfProject,
      of: Latest,
      scope: SiteHealthRead
    })
  )
  .add(
    list("history", "/projects/:project_id/site-health/history", {
      summary: "Read the history of a site",
      description:
        "Score and failing rules of every run of the whole site that had a result, the newest first (`created_at`, then `id`), and with `rule` what each says of that rule. A run whose result is no longer kept is in it too.",
      of: HistoryPoint,
      scope: SiteHealthRead
    })
      .setPath(OfProject)
      .setUrlParams(input(HistoryParameters))
      .addError(failure("not_found"))
  )
  .add(
    read("get", "/runs/:run_id", {
      summary: "Read a run",
      description:
        "A run and how far it is; with `include=result` a finished one carries its result. A crawl usually finishes within 90 seconds: poll every few seconds, or send `Accept: application/x-ndjson` and read each of its states as it comes. An account has 20 such answers at once on a node; one whose reader does not read is aborted.",
      ids: OfRun,
      of: RunWithResult,
      scope: SiteHealthRead
    })
      .setUrlParams(
        input(
          Schema.Struct({
            include: Schema.optionalWith(Schema.Literal("result"), { exact: true }).annotations({
              description: "`result`: the answer has the result of a finished run, which may be megabytes"
            })
          })
        )
      )
      .addError(failure("validation_error"))
      .addError(failure("quota_exceeded"))
      .annotateContext(
        preferringOrFollowing(
          endOfRun,
          "the run in JSON, a line at once and one at each change, a blank line when nothing was sent for 15 s; ends when the run is final, and with its current state when the node stops"
        )
      )
  )
  .add(
    HttpApiEndpoint.post("cancel", "/runs/:run_id/cancel")
      .annotateContext(described("Cancel a run", "Ends a run that is not final."))
      .setPath(OfRun)
      .addSuccess(Data(Run))
      .addError(failure("not_found"))
      .addError(failure("conflict"))
      .middleware(SiteHealthWrite)
  )
  .add(
    remove("remove", "/runs/:run_id", {
      summary: "Delete a run",
      description:
        "Deletes a final run with its result and the verifications of it. `latest` and `diff` then go by the runs that are left; the quota still counts it. While the run or a verification of it is in progress, the answer is 409.",
      ids: OfRun,
      scope: SiteHealthWrite
    }).addError(failure("conflict"))
  )
  .add(
    HttpApiEndpoint.post("verify", "/runs/:run_id/verify")
      .annotateContext(
        described(
          "Verify the faults of a run",
          "Queues a run that checks again what failed, for the named rules or for all: it requests the start, robots.txt, the sitemaps, the failing URLs and what their rules compare them with. Its result has no score, and under `verification` a verdict for each rule and URL."
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

/** A rule of the crawl, in words. */
export const RuleWords = Schema.Struct({
  rule: Schema.String.annotations({ description: "Id of the rule, as findings name it" }),
  title: Schema.String.annotations({ description: "Name of the rule for readers, a short noun phrase" }),
  category: field(Schema.String, "Subject of the rule"),
  severity: field(Schema.Literal("critical", "warning", "info"), "What it costs when it fails"),
  means: Schema.String.annotations({ description: "What it means that the rule fails" }),
  fix: Schema.String.annotations({ description: "What to do about it" }),
  source: Schema.String.annotations({
    description: "Where the rule comes from: a standard, or a search engine's documentation"
  })
}).annotations({ identifier: "Rule", description: "A rule of the crawl, in words" })

/** The catalogue of the crawl. */
export class RulesApi extends HttpApiGroup.make("rules")
  .annotateContext(about("The rules of a crawl, each with its source."))
  .add(
    HttpApiEndpoint.get("list", "/rules")
      .annotateContext(described("List the rules", "Every rule of a crawl, in the order of the report."))
      .addSuccess(Data(Schema.Array(RuleWords)))
      .middleware(AnyKey)
  )
  .prefix("/api/v1") {}
