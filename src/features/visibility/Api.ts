import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as Schema from "effect/Schema"
import { failure } from "../../foundation/http/ApiError.ts"
import {
  about,
  body,
  Created,
  change,
  create,
  Data,
  described,
  exportableList,
  IdempotencyHeaders,
  inPath,
  input,
  list,
  Page,
  PageParameters,
  read,
  remove
} from "../../foundation/http/Contract.ts"
import { Moment } from "../../foundation/schema/Time.ts"
import { GeoRead, GeoWrite } from "../accounts/Authorized.ts"
import { ProjectId } from "../projects/Domain.ts"
import { schedulesAtMost } from "../projects/Schedule.ts"
import {
  CitedDomain,
  Engine,
  Estimate,
  GeoAnswer,
  GeoImport,
  GeoPower,
  GeoRun,
  GeoSchedule,
  NewPrompt,
  NewSchedule,
  Outcome,
  PatchSchedule,
  Prompt,
  PromptId,
  promptsAtMost,
  RunId,
  ScheduleId,
  StartGeoRun,
  VisibilityReading,
  Visible
} from "./Domain.ts"

const all = "/projects/:project_id/geo/prompts" as const
const OfProject = Schema.Struct({ project_id: inPath(ProjectId) })

/** What AI engines are asked for a project. */
export class GeoPromptsApi extends HttpApiGroup.make("geo-prompts")
  .annotateContext(about("What AI engines are asked for a project."))
  .add(
    create("create", all, {
      summary: "Add a prompt",
      description: `Adds a question that runs ask. The same text and locale again is answered with 200 and the first. A project has at most ${promptsAtMost}: one more is 422. Another set of prompts begins another baseline.`,
      of: Prompt,
      payload: NewPrompt,
      scope: GeoWrite
    }).setPath(OfProject)
  )
  .add(
    list("list", all, {
      summary: "List the prompts of a project",
      description: "Oldest first (`created_at`, then `id`).",
      of: Prompt,
      scope: GeoRead
    })
      .setPath(OfProject)
      .addError(failure("not_found"))
  )
  .add(
    HttpApiEndpoint.del("clear", all)
      .annotateContext(
        described("Delete all prompts", "Deletes every prompt of the project. Runs and their answers stay.")
      )
      .setPath(OfProject)
      .addError(failure("not_found"))
      .middleware(GeoWrite)
  )
  .add(
    remove("remove", "/projects/:project_id/geo/prompts/:prompt_id", {
      summary: "Delete a prompt",
      description: "Deletes one prompt. Runs that asked it, and their answers, stay.",
      ids: Schema.Struct({ ...OfProject.fields, prompt_id: inPath(PromptId) }),
      scope: GeoWrite
    })
  )
  .prefix("/api/v1") {}

const ReadsOfProject = Schema.Struct({ project_id: inPath(ProjectId) })
const optional = { exact: true } as const

const ofEngine = {
  engine: Schema.optionalWith(Engine, optional).annotations({ description: "Only this engine" })
}

const AnyRun = RunId.annotations({ message: () => "must be the id of a run" })
const ofRun = (description: string) => Schema.optionalWith(AnyRun, optional).annotations({ description })

const number = (pattern: RegExp, least: number, most: number, what: string) =>
  Schema.String.pipe(
    Schema.filter((text) => pattern.test(text) && Number(text) >= least && Number(text) <= most, {
      message: () => `must be ${what} from ${least} to ${most}`
    }),
    Schema.transform(Schema.Number, { strict: true, decode: Number, encode: String }),
    Schema.annotations({
      jsonSchema: { maximum: most, minimum: least, type: what === "an integer" ? "integer" : "number" }
    })
  )
const needed = <I>(schema: Schema.Schema<number, I>, description: string) =>
  Schema.propertySignature(schema).annotations({ description })

const integer = (most: number) => number(/^\d{1,3}$/, 1, most, "an integer")

/** What AI engines said. */
export class GeoApi extends HttpApiGroup.make("geo")
  .annotateContext(about("How visible a site is in the answers of AI engines, as their APIs give them."))
  .add(
    HttpApiEndpoint.get("visibility", "/projects/:project_id/geo/visibility")
      .annotateContext(
        described(
          "Read AI visibility",
          "Rates of the newest finished run, for each engine that it asked; with `engine` of the newest that asked it. Empty before the first. With `compare`, each engine is compared with another run of the project by prompt."
        )
      )
      .setPath(ReadsOfProject)
      .setUrlParams(input(Schema.Struct({ ...ofEngine, compare: ofRun("UUID of the run to compare with") })))
      .addSuccess(Data(Schema.Array(Visible)))
      .addError(failure("validation_error"))
      .addError(failure("not_found"))
      .middleware(GeoRead)
  )
  .add(
    HttpApiEndpoint.post("import", "/projects/:project_id/geo/imports")
      .annotateContext(
        described(
          "Import a snapshot of AI visibility",
          "Records what another tool measured: a JSON array with an object for each engine, as the command `geo import` reads it; other fields of the objects are ignored. A snapshot is newer than the last one of its engine, else the answer is 409. A metric that moved by 5 points or more is published as `geo_score.changed`. One engine at fault is 422, and nothing is recorded."
        )
      )
      .setPath(ReadsOfProject)
      .setHeaders(IdempotencyHeaders)
      .setUrlParams(
        input(
          Schema.Struct({
            at: Schema.optionalWith(Moment, optional).annotations({
              description: "When it was measured, ISO 8601 with offset, not in the future; now by default"
            })
          })
        )
      )
      .setPayload(
        input(
          Schema.Array(VisibilityReading).annotations({ description: "What was measured, an object for each engine" })
        )
      )
      .addSuccess(Created(GeoImport), { status: 201 })
      .addSuccess(Created(GeoImport))
      .addError(failure("validation_error"))
      .addError(failure("not_found"))
      .addError(failure("conflict", "idempotency_conflict"))
      .middleware(GeoWrite)
  )
  .add(
    exportableList("answers", "/projects/:project_id/geo/answers", {
      summary: "List the answers of AI engines",
      description: "Answers of the project's runs, those of the newest run first.",
      page: Page(GeoAnswer),
      scope: GeoRead
    })
      .setPath(ReadsOfProject)
      .setUrlParams(
        input(
          Schema.Struct({
            ...PageParameters,
            outcome: Schema.optionalWith(Outcome, optional).annotations({ description: "Only this outcome" }),
            run_id: ofRun("Only answers of this run")
          })
        )
      )
  )
  .add(
    exportableList("domains", "/projects/:project_id/geo/domains", {
      summary: "List the domains that answers cite",
      description:
        "Hosts that the answers of a run cite, the most cited first (`answers`, then `domain`): of the newest finished run unless `run_id` names one.",
      page: Page(CitedDomain),
      scope: GeoRead
    })
      .setPath(ReadsOfProject)
      .setUrlParams(input(Schema.Struct({ ...PageParameters, ...ofEngine, run_id: ofRun("UUID of the run to read") })))
  )
  .add(
    HttpApiEndpoint.get("power", "/projects/:project_id/geo/power")
      .annotateContext(
        described(
          "Plan prompts and repeats",
          "The chance to notice that the share of citing answers rises by 10 points, for a number of prompts and repeats and the share before; under 20 prompts no change is published. Computed, not measured: answers to a prompt are taken to be alike with a correlation of 0.5."
        )
      )
      .setPath(ReadsOfProject)
      .setUrlParams(
        input(
          Schema.Struct({
            prompts: needed(integer(200), "Prompts, 1 to 200"),
            repeats: needed(integer(10), "How often each is asked, 1 to 10"),
            rate: needed(
              number(/^0?\.\d{1,20}$/, 0.01, 0.89, "a fraction"),
              "Share of citing answers before the change, 0.01 to 0.89"
            )
          })
        )
      )
      .addSuccess(Data(GeoPower))
      .addError(failure("validation_error"))
      .addError(failure("not_found"))
      .middleware(GeoRead)
  )
  .prefix("/api/v1") {}

const RunsOfProject = Schema.Struct({ project_id: inPath(ProjectId) })

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
      .setPath(RunsOfProject)
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
      ids: Schema.Struct({ ...RunsOfProject.fields, run_id: inPath(RunId) }),
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
      .setPath(RunsOfProject)
      .addError(failure("not_found"))
  )
  .prefix("/api/v1") {}

const schedulesPath = "/projects/:project_id/geo/schedules" as const
const one = "/projects/:project_id/geo/schedules/:schedule_id" as const

const SchedulesOfProject = Schema.Struct({ project_id: inPath(ProjectId) })
const OfSchedule = Schema.Struct({ ...SchedulesOfProject.fields, schedule_id: inPath(ScheduleId) })

/** Recurring runs of AI visibility. */
export class GeoSchedulesApi extends HttpApiGroup.make("geo-schedules")
  .annotateContext(about("Recurring runs of AI visibility. They spend the budget of the day like any other run."))
  .add(
    create("create", schedulesPath, {
      summary: "Schedule runs of AI visibility",
      description: `Starts a run at once and then after each interval. A slot at which none can start is skipped: a run is in progress, or there are no prompts, no key, no price or no budget; \`last_skipped\` says when and why. A project has at most ${schedulesAtMost.project} schedules and an account ${schedulesAtMost.account}: one more is 422.`,
      of: GeoSchedule,
      payload: NewSchedule,
      scope: GeoWrite
    }).setPath(SchedulesOfProject)
  )
  .add(
    list("list", schedulesPath, {
      summary: "List the schedules of a project",
      description: "Oldest first (`created_at`, then `id`).",
      of: GeoSchedule,
      scope: GeoRead
    })
      .setPath(SchedulesOfProject)
      .addError(failure("not_found"))
  )
  .add(
    read("get", one, {
      summary: "Read a schedule",
      description: "One schedule, with its next slot and the last one that was skipped.",
      ids: OfSchedule,
      of: GeoSchedule,
      scope: GeoRead
    })
  )
  .add(
    change("change", one, {
      summary: "Change a schedule",
      description:
        "Fields that are not sent stay as they are; the next slot is due no later than one new interval from now.",
      ids: OfSchedule,
      of: GeoSchedule,
      payload: PatchSchedule,
      scope: GeoWrite
    })
  )
  .add(
    remove("remove", one, {
      summary: "Delete a schedule",
      description: "Ends it; the runs that it started stay.",
      ids: OfSchedule,
      scope: GeoWrite
    })
  )
  .prefix("/api/v1") {}
