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
  site_id: IdFilter(ProjectId, "UUID of a site: only experiments on its domain (ignoring scheme, `www.` and port)"),
  project_id: IdFilter(GrowthProjectId, "UUID of an experiment domain (`growth-projects`): only its experiments"),
  status: Schema.optionalWith(ExperimentStatus.annotations({ description: "Only experiments with this status" }), {
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
    description: "`true`: computes the result without completing the experiment"
  })
})

const ExperimentEvaluation = Schema.Struct({
  experiment: field(Experiment, "The experiment, now completed; with `dry_run=true` still running"),
  analysis: field(ExperimentAnalysis, "The result, also stored as `experiment.analysis` unless this was a dry run")
}).annotations({ identifier: "ExperimentEvaluation", description: "An experiment with its result" })

const Html = Schema.String.pipe(HttpApiSchema.withEncoding({ kind: "Text", contentType: "text/html; charset=utf-8" }))

/** Experiments and their results. */
export class ExperimentsApi extends HttpApiGroup.make("experiments")
  .annotateContext(about("Measure what a change does to search traffic."))
  .add(
    list("list", "/experiments", {
      summary: "List experiments",
      description: "Experiments of your account, latest first (`created_at`, then `id`).",
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
        "Creates a draft, or starts the experiment immediately with `status: running`. With a `design`, the result comes from stored Search Console data; without one, from counts that you send.",
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
      summary: "Get an experiment",
      description: "Returns one experiment.",
      ids: OfExperiment,
      of: Experiment,
      scope: ExperimentsRead
    })
  )
  .add(
    change("patch", "/experiments/:id", {
      summary: "Update an experiment",
      description:
        "Changes name, hypothesis or design of a draft. Changing the pages, the site or the exclusions removes a random assignment. Returns 409 after the start.",
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
      description: "Deletes a draft or a completed experiment. Returns 409 while it is running.",
      ids: OfExperiment,
      scope: ExperimentsWrite
    }).addError(failure("conflict"))
  )
  .add(
    HttpApiEndpoint.post("start", "/experiments/:id/start")
      .annotateContext(
        described(
          "Start an experiment",
          "Starts a draft. With a design, Findable fixes the test and control pages, and the change date is today (Pacific time) unless `change_date` is set. Returns 422 for a change date in the future or before the first day with data, and for a design that cannot give a result: missing days, too little history for pages that were not randomly assigned, or too few pages with clicks. The message says what is missing; `force` starts the experiment anyway. Pages without data are left out, and `warnings` lists them."
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
          "Get the report of an experiment",
          "The result as one HTML page with a chart of the effect and its interval. The page loads nothing from other hosts. Returns 409 before the evaluation."
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
          "Computes the result of a running experiment and completes it. With a design, send an empty body: the result comes from stored Search Console data once the last day after the change is final (409 `not_over` says when). Without a design, send counts: the result is their Difference-in-Differences, with `pages` as clusters if you send them. Of concurrent evaluations one succeeds, the others return 409. With `dry_run=true` the response is the same, and the experiment stays running."
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
