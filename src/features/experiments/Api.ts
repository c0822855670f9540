import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as Schema from "effect/Schema"
import { failure } from "../../foundation/http/ApiError.ts"
import { about, BodyLimit, BodyValues, described } from "../../foundation/http/Contract.ts"
import { change, create, list, read, remove } from "../../foundation/http/Endpoints.ts"
import { PageParameters } from "../../foundation/http/Pagination.ts"
import { body, Data, inPath, input } from "../../foundation/http/RequestSchemas.ts"
import { ExperimentsRead, ExperimentsWrite } from "../accounts/Authorized.ts"
import { ProjectId } from "../projects/Domain.ts"
import { Experiment, ExperimentId, ExperimentPatch, ExperimentStatus, NewExperiment } from "./Domain.ts"
import { GrowthProjectId } from "./GrowthProject.ts"
import { Analysis } from "./statistics/Analysis.ts"
import { ExperimentMetrics } from "./statistics/ExperimentMetrics.ts"

const OfExperiment = Schema.Struct({ id: inPath(ExperimentId) })

const IdFilter = <A, I>(id: Schema.Schema<A, I>, description: string) =>
  Schema.optionalWith(id.annotations({ jsonSchema: { type: "string", format: "uuid", description } }), { exact: true })

const ListParameters = Schema.Struct({
  ...PageParameters,
  site_id: IdFilter(ProjectId, "a site of the caller: experiments on its domain (scheme, `www.` and port ignored)"),
  project_id: IdFilter(GrowthProjectId, "a growth project of the caller: its experiments"),
  status: Schema.optionalWith(ExperimentStatus.annotations({ description: "experiments in this state" }), {
    exact: true
  })
})

/** Enough for 10,000 pages with paths of 300 characters. */
const evaluationBytes = 4 * 1024 * 1024

/** 10,000 pages with six values each, the pages themselves, and as much again to spare. */
const evaluationValues = 100_000

/** Experiments, and the verdict on them. */
export class ExperimentsApi extends HttpApiGroup.make("experiments")
  .annotateContext(about("Experiments, and the verdict on them."))
  .add(
    list("list", "/experiments", {
      summary: "List experiments",
      description: "The caller's experiments, the newest first (`created_at`, then `id`).",
      of: Experiment,
      scope: ExperimentsRead
    })
      .setUrlParams(input(ListParameters))
      .addError(failure("not_found"))
  )
  .add(
    create("create", "/experiments", {
      summary: "Create an experiment",
      description: "Drafts an experiment of a growth project, or starts it at once with `status: running`.",
      of: Experiment,
      payload: NewExperiment,
      scope: ExperimentsWrite
    })
  )
  .add(
    read("get", "/experiments/:id", {
      summary: "Read an experiment",
      description: "One experiment of the caller.",
      ids: OfExperiment,
      of: Experiment,
      scope: ExperimentsRead
    })
  )
  .add(
    change("patch", "/experiments/:id", {
      summary: "Change an experiment",
      description: "Changes name or hypothesis of a draft. Once the experiment has been started, the answer is 409.",
      ids: OfExperiment,
      of: Experiment,
      payload: ExperimentPatch,
      scope: ExperimentsWrite
    }).addError(failure("conflict"))
  )
  .add(
    remove("remove", "/experiments/:id", {
      summary: "Delete an experiment",
      description: "Deletes a draft or a completed experiment. While it is running, the answer is 409.",
      ids: OfExperiment,
      scope: ExperimentsWrite
    }).addError(failure("conflict"))
  )
  .add(
    HttpApiEndpoint.post("start", "/experiments/:id/start")
      .annotateContext(described("Start an experiment", "Moves a draft to running."))
      .setPath(OfExperiment)
      .addSuccess(Data(Experiment))
      .addError(failure("not_found"))
      .addError(failure("conflict"))
      .middleware(ExperimentsWrite)
  )
  .add(
    HttpApiEndpoint.post("evaluate", "/experiments/:id/evaluate")
      .annotateContext(
        described(
          "Evaluate an experiment",
          "Computes the Difference-in-Differences of the counts, with `pages` as clusters where they are sent, and completes the experiment, which must be running. Of concurrent evaluations one wins; the others get 409."
        )
      )
      .setPath(OfExperiment)
      .annotate(BodyLimit, evaluationBytes)
      .annotate(BodyValues, evaluationValues)
      .setPayload(body(ExperimentMetrics))
      .addSuccess(Data(Schema.Struct({ experiment: Experiment, analysis: Analysis })))
      .addError(failure("validation_error"))
      .addError(failure("not_found"))
      .addError(failure("conflict"))
      .middleware(ExperimentsWrite)
  )
  .prefix("/api/v1") {}
