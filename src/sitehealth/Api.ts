import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import * as Schema from "effect/Schema"
import { SiteHealthRead, SiteHealthWrite } from "../accounts/Authorized.ts"
import { CrawlResult } from "../crawl/Crawl.ts"
import { failure } from "../http/Failure.ts"
import { Page, PageParameters } from "../http/Pagination.ts"
import { Data, inPath, input } from "../http/Wire.ts"
import { ProjectId } from "../projects/Domain.ts"
import { IdempotencyKey, Run, RunId, RunWithResult, StartRun } from "./Domain.ts"

const OfProject = Schema.Struct({ project_id: inPath(ProjectId) })
const OfRun = Schema.Struct({ run_id: inPath(RunId) })

/** How an answer to a start came about, where it is not a new run. */
const StartMeta = Schema.Struct({
  idempotent_replay: Schema.optionalWith(Schema.Literal(true), { exact: true }),
  joined_in_flight: Schema.optionalWith(Schema.Literal(true), { exact: true })
})

const Started = Schema.Struct({ data: Run, meta: StartMeta })

const Latest = Schema.Struct({
  run: Schema.NullOr(Run),
  result: Schema.NullOr(CrawlResult),
  has_data: Schema.Boolean
})

/** Bounded crawls of a site: start one, poll it, read its result. */
export class SiteHealthApi extends HttpApiGroup.make("site-health")
  .add(
    HttpApiEndpoint.post("start", "/projects/:project_id/site-health/runs")
      .setPath(OfProject)
      .setHeaders(input(Schema.Struct({ "idempotency-key": Schema.optionalWith(IdempotencyKey, { exact: true }) })))
      .setPayload(input(StartRun))
      .addSuccess(Started.annotations(HttpApiSchema.annotations({ status: 202 })))
      .addSuccess(Started.annotations(HttpApiSchema.annotations({ status: 200 })))
      .addError(failure("validation_error"))
      .addError(failure("not_found"))
      .addError(failure("idempotency_conflict"))
      .addError(failure("quota_exceeded"))
      .middleware(SiteHealthWrite)
  )
  .add(
    HttpApiEndpoint.get("list", "/projects/:project_id/site-health/runs")
      .setPath(OfProject)
      .setUrlParams(input(Schema.Struct(PageParameters)))
      .addSuccess(Page(Run))
      .addError(failure("validation_error", "invalid_cursor"))
      .addError(failure("not_found"))
      .middleware(SiteHealthRead)
  )
  .add(
    HttpApiEndpoint.get("latest", "/projects/:project_id/site-health/latest")
      .setPath(OfProject)
      .addSuccess(Data(Latest))
      .addError(failure("not_found"))
      .middleware(SiteHealthRead)
  )
  .add(
    HttpApiEndpoint.get("get", "/runs/:run_id")
      .setPath(OfRun)
      .setUrlParams(input(Schema.Struct({ include: Schema.optionalWith(Schema.Literal("result"), { exact: true }) })))
      .addSuccess(Data(RunWithResult))
      .addError(failure("validation_error"))
      .addError(failure("not_found"))
      .middleware(SiteHealthRead)
  )
  .add(
    HttpApiEndpoint.post("cancel", "/runs/:run_id/cancel")
      .setPath(OfRun)
      .addSuccess(Data(Run))
      .addError(failure("not_found"))
      .addError(failure("conflict"))
      .middleware(SiteHealthWrite)
  )
  .prefix("/api/v1") {}
