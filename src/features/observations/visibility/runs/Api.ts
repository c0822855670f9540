import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as Schema from "effect/Schema"
import { failure } from "../../../../foundation/http/ApiError.ts"
import { about, described } from "../../../../foundation/http/Contract.ts"
import { list, read } from "../../../../foundation/http/Endpoints.ts"
import { Created, IdempotencyHeaders } from "../../../../foundation/http/IdempotencyKey.ts"
import { body, inPath } from "../../../../foundation/http/RequestSchemas.ts"
import { GeoRead, GeoWrite } from "../../../accounts/Authorized.ts"
import { ProjectId } from "../../../projects/Domain.ts"
import { RunId } from "../Domain.ts"
import { Estimate, GeoRun, StartGeoRun } from "./Run.ts"

const OfProject = Schema.Struct({ project_id: inPath(ProjectId) })

/** The run that an earlier request with the same Idempotency-Key started, or what a dry run tells. */
const StartedOrEstimated = Schema.Union(GeoRun, Estimate).annotations({
  identifier: "GeoRunOrEstimate",
  description: "The run of an earlier request with the same Idempotency-Key, or what a dry run tells"
})

/** Rounds of questions to AI engines. */
export class GeoRunsApi extends HttpApiGroup.make("geo-runs")
  .annotateContext(about("Rounds of questions to AI engines: they cost money, within a budget of the day."))
  .add(
    HttpApiEndpoint.post("create", "/projects/:project_id/geo/runs")
      .annotateContext(
        described(
          "Ask AI engines",
          "Asks each engine every prompt of the project, some times over, and is answered at once with the queued run. Before each question its upper price is reserved in the installation's budget of the UTC day; at the budget the run ends `partial`. With `dry_run` the answer is 200 with calls and a price range, and nothing is stored. 409 `not_configured` names the setting that is missing, 409 `conflict` says that a run is in progress or that there are no prompts; a model without a price is 422."
        )
      )
      .setPath(OfProject)
      .setHeaders(IdempotencyHeaders)
      .setPayload(body(StartGeoRun))
      .addSuccess(Created(GeoRun), { status: 202 })
      .addSuccess(Created(StartedOrEstimated))
      .addError(failure("validation_error"))
      .addError(failure("not_found"))
      .addError(failure("conflict", "not_configured", "idempotency_conflict"))
      .middleware(GeoWrite)
  )
  .add(
    read("get", "/projects/:project_id/geo/runs/:run_id", {
      summary: "Read a run of AI visibility",
      description: "One run with what was asked and charged so far.",
      ids: Schema.Struct({ ...OfProject.fields, run_id: inPath(RunId) }),
      of: GeoRun,
      scope: GeoRead
    })
  )
  .add(
    list("list", "/projects/:project_id/geo/runs", {
      summary: "List the runs of AI visibility",
      description: "Newest first (`created_at`, then `id`).",
      of: GeoRun,
      scope: GeoRead
    })
      .setPath(OfProject)
      .addError(failure("not_found"))
  )
  .prefix("/api/v1") {}
