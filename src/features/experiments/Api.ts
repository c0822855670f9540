import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import * as Schema from "effect/Schema"
import { failure } from "../../foundation/http/ApiError.ts"
import {
  about,
  BodyLimit,
  BodyLists,
  BodyValues,
  body,
  change,
  create,
  Data,
  described,
  inPath,
  input,
  list,
  PageParameters,
  read,
  remove
} from "../../foundation/http/Contract.ts"
import { field } from "../../foundation/schema/Scalars.ts"
import { ExperimentsRead, ExperimentsWrite } from "../accounts/Authorized.ts"
import { ProjectId } from "../projects/Domain.ts"
import {
  Experiment,
  ExperimentAnalysis,
  ExperimentId,
  ExperimentPatch,
  ExperimentStatus,
  NewExperiment,
  StartExperiment
} from "./Domain.ts"
import { bytesOfPages, listsOfDesign, undecided, valuesOfPages } from "./design/Design.ts"
import { GrowthProjectId } from "./GrowthProjectsApi.ts"
import { Evaluation } from "./statistics/ExperimentMetrics.ts"

const OfExperiment = Schema.Struct({ id: inPath(ExperimentId) })

const IdFilter = <A, I>(id: Schema.Schema<A, I>, description: string) =>
  Schema.optionalWith(id.annotations({ description }), { exact: true })

const ListParameters = Schema.Struct({
  ...PageParameters,
  site_id: IdFilter(ProjectId, "UUID of a project: only experiments on its domain (scheme, `www.` and port ignored)"),
  project_id: IdFilter(GrowthProjectId, "UUID of a growth project: only its experiments"),
  status: Schema.optionalWith(ExperimentStatus.annotations({ description: "Only experiments in this state" }), {
    exact: true
  })
})

const EvaluationParameters = Schema.Struct({
  dry_run: Schema.optionalWith(
    Schema.Literal("true", "false").annotations({
      message: () => ({ message: "must be true or false", override: true })
    }),
    { exact: true }
  ).annotations({
    description: "`true`: everything is checked and computed as in an evaluation, and nothing is changed"
  })
})

const ExperimentEvaluation = Schema.Struct({
  experiment: field(Experiment, "The experiment, now completed; with `dry_run=true` as it is, still running"),
  analysis: field(ExperimentAnalysis, "The verdict, as `experiment.analysis` keeps it unless this was a trial")
}).annotations({ identifier: "ExperimentEvaluation", description: "An experiment with its verdict" })

const Html = Schema.String.pipe(HttpApiSchema.withEncoding({ kind: "Text", contentType: "text/html; charset=utf-8" }))

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
      description:
        "Drafts an experiment of a growth project, or starts it at once with `status: running`. With a `design` the verdict comes from the page totals that are stored; without one from counts that are sent.",
      of: Experiment,
      payload: NewExperiment,
      scope: ExperimentsWrite
    })
      .annotate(BodyLimit, bytesOfPages)
      .annotate(BodyValues, valuesOfPages)
      .annotate(BodyLists, listsOfDesign)
      .addError(failure("conflict"))
      .addError(undecided)
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
      description:
        "Changes name, hypothesis or design of a draft. Other arms, another site or other exclusions take an assignment away. Once the experiment has been started, the answer is 409.",
      ids: OfExperiment,
      of: Experiment,
      payload: ExperimentPatch,
      scope: ExperimentsWrite
    })
      .annotate(BodyLimit, bytesOfPages)
      .annotate(BodyValues, valuesOfPages)
      .annotate(BodyLists, listsOfDesign)
      .addError(failure("conflict"))
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
      .annotateContext(
        described(
          "Start an experiment",
          "Moves a draft to running. With a design the pages of both arms are looked for and fixed, and the change is today (Pacific time) unless `change_date` says otherwise; a change in the future, or before the first imported day, is 422, and nothing is changed. So is a design that can only fail to be judged, because days are missing, the past is too short for pages that were not assigned before the change, or an arm has too few pages with clicks: the answer says what is missing, and `force` starts it all the same. Pages that never had data are in no arm, and `warnings` names them."
        )
      )
      .setPath(OfExperiment)
      .setPayload(body(StartExperiment))
      .addSuccess(Data(Experiment))
      .addError(failure("validation_error"))
      .addError(undecided)
      .addError(failure("not_found"))
      .addError(failure("conflict"))
      .middleware(ExperimentsWrite)
  )
  .add(
    HttpApiEndpoint.get("report", "/experiments/:id/report")
      .annotateContext(
        described(
          "Read an experiment as a report",
          "The verdict as one HTML file for people, with a picture of the effect and its interval. It loads nothing from other hosts. An experiment without a verdict gets 409."
        )
      )
      .setPath(OfExperiment)
      .addSuccess(Html)
      .addError(failure("not_found"))
      .addError(failure("conflict"))
      .middleware(ExperimentsRead)
  )
  .add(
    HttpApiEndpoint.post("evaluate", "/experiments/:id/evaluate")
      .annotateContext(
        described(
          "Evaluate an experiment",
          "Completes an experiment, which must be running, with a verdict. With an empty body and a design: by the page totals that are stored, once the last day after the change is final (409 `not_over` says when). With counts: the Difference-in-Differences of these, with `pages` as clusters where they are sent. Of concurrent evaluations one wins; the others get 409. With `dry_run=true` nothing is changed: the answer, or the refusal, is what an evaluation would give, and the experiment stays running."
        )
      )
      .setPath(OfExperiment)
      .setUrlParams(input(EvaluationParameters))
      .annotate(BodyLimit, bytesOfPages)
      .annotate(BodyValues, valuesOfPages)
      .annotate(BodyLists, ["pages"])
      .setPayload(body(Evaluation))
      .addSuccess(Data(ExperimentEvaluation))
      .addError(failure("validation_error"))
      .addError(failure("not_found"))
      .addError(failure("conflict", "not_over"))
      .addError(undecided)
      .middleware(ExperimentsWrite)
  )
  .prefix("/api/v1") {}
