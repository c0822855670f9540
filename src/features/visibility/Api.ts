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
  PastRun,
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

/** Prompts of a site for AI engines. */
export class GeoPromptsApi extends HttpApiGroup.make("geo-prompts")
  .annotateContext(about("Prompts that Findable sends to AI assistants for a site."))
  .add(
    create("create", all, {
      summary: "Add a prompt",
      description: `Adds a prompt. Adding the same text and locale again returns 200 with the existing prompt. A site has at most ${promptsAtMost} prompts; one more is 422. A changed set of prompts starts a new baseline.`,
      of: Prompt,
      payload: NewPrompt,
      scope: GeoWrite
    }).setPath(OfProject)
  )
  .add(
    list("list", all, {
      summary: "List prompts",
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
        described("Delete all prompts", "Deletes every prompt of the site. Runs and their answers stay.")
      )
      .setPath(OfProject)
      .addError(failure("not_found"))
      .middleware(GeoWrite)
  )
  .add(
    remove("remove", "/projects/:project_id/geo/prompts/:prompt_id", {
      summary: "Delete a prompt",
      description: "Deletes one prompt. Runs and answers with this prompt stay.",
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

const AnyRun = RunId.annotations({ message: () => "must be the id (UUID) of a crawl" })
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

/** Answers of AI engines. */
export class GeoApi extends HttpApiGroup.make("geo")
  .annotateContext(about("How AI assistants mention and cite a site, measured through their APIs."))
  .add(
    HttpApiEndpoint.get("visibility", "/projects/:project_id/geo/visibility")
      .annotateContext(
        described(
          "Get AI visibility",
          "Citation and mention rates of the latest finished run, per engine; with `engine`, of the latest run with that engine. Empty before the first run. With `compare`, compares each engine with another run of the site, prompt by prompt."
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
    list("history", "/projects/:project_id/geo/history", {
      summary: "List AI visibility by run",
      description: "Citation and mention rates of each finished run, per engine, latest first.",
      of: PastRun,
      scope: GeoRead
    })
      .setPath(ReadsOfProject)
      .setUrlParams(input(Schema.Struct({ ...PageParameters, ...ofEngine })))
      .addError(failure("not_found"))
  )
  .add(
    HttpApiEndpoint.post("import", "/projects/:project_id/geo/imports")
      .annotateContext(
        described(
          "Import a snapshot of AI visibility",
          "Imports measurements of another tool: a JSON array with one object per engine, in the format of the command `geo import`; other fields are ignored. A snapshot must be later than the last one of its engine, otherwise 409. A change of 5 points or more sends the event `geo_score.changed`. One invalid engine returns 422, and nothing is imported."
        )
      )
      .setPath(ReadsOfProject)
      .setHeaders(IdempotencyHeaders)
      .setUrlParams(
        input(
          Schema.Struct({
            at: Schema.optionalWith(Moment, optional).annotations({
              description: "Time of the measurement, ISO 8601 with offset, not in the future; now by default"
            })
          })
        )
      )
      .setPayload(
        input(Schema.Array(VisibilityReading).annotations({ description: "Measurements, one object per engine" }))
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
      summary: "List answers of AI assistants",
      description: "Answers of the site's runs, latest run first.",
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
      summary: "List cited domains",
      description:
        "Hosts that the answers of a run cite, most cited first (`answers`, then `domain`). Without `run_id`, of the latest finished run.",
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
          "Plan the number of prompts and repeats",
          "Statistical power to detect a 10-point rise of the citation rate, for a number of prompts and repeats and a current rate. With fewer than 20 prompts, Findable sends no change event. The calculation assumes a correlation of 0.5 between answers to one prompt."
        )
      )
      .setPath(ReadsOfProject)
      .setUrlParams(
        input(
          Schema.Struct({
            prompts: needed(integer(200), "Prompts, 1 to 200"),
            repeats: needed(integer(10), "Repeats of each prompt, 1 to 10"),
            rate: needed(number(/^0?\.\d{1,20}$/, 0.01, 0.89, "a fraction"), "Current citation rate, 0.01 to 0.89")
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

/** The run of an earlier request with the same Idempotency-Key, or the estimate of a dry run. */
const StartedOrEstimated = Schema.Union(GeoRun, Estimate).annotations({
  identifier: "GeoRunOrEstimate",
  description: "The run of an earlier request with the same Idempotency-Key, or the estimate of a dry run"
})

/** Rounds of questions to AI engines. */
export class GeoRunsApi extends HttpApiGroup.make("geo-runs")
  .annotateContext(about("Runs that send the prompts to AI assistants. They cost money, within a daily budget."))
  .add(
    HttpApiEndpoint.post("create", "/projects/:project_id/geo/runs")
      .annotateContext(
        described(
          "Start an AI visibility run",
          "Sends every prompt of the site to each engine, `repeats` times, and returns the queued run immediately. Before each call, Findable reserves its maximum price in the server's daily budget (UTC); when the budget is used up, the run ends `partial`. With `dry_run`, returns 200 with the number of calls and a price range, and starts nothing. Returns 409 `not_configured` with the missing setting, 409 `conflict` while another run is in progress or without prompts, and 422 for a model without a price."
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
      summary: "Get an AI visibility run",
      description: "Returns one run with its progress and cost so far.",
      ids: Schema.Struct({ ...RunsOfProject.fields, run_id: inPath(RunId) }),
      of: GeoRun,
      scope: GeoRead
    })
  )
  .add(
    list("list", "/projects/:project_id/geo/runs", {
      summary: "List AI visibility runs",
      description: "Latest first (`created_at`, then `id`).",
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
  .annotateContext(about("Recurring AI visibility runs. They use the daily budget like other runs."))
  .add(
    create("create", schedulesPath, {
      summary: "Schedule AI visibility runs",
      description: `Starts a run immediately and then at each interval. A due time is skipped while a run is in progress, or without prompts, key, price or budget; \`last_skipped\` says when and why. A site has at most ${schedulesAtMost.project} schedules and an account ${schedulesAtMost.account}; one more is 422.`,
      of: GeoSchedule,
      payload: NewSchedule,
      scope: GeoWrite
    }).setPath(SchedulesOfProject)
  )
  .add(
    list("list", schedulesPath, {
      summary: "List schedules",
      description: "Oldest first (`created_at`, then `id`).",
      of: GeoSchedule,
      scope: GeoRead
    })
      .setPath(SchedulesOfProject)
      .addError(failure("not_found"))
  )
  .add(
    read("get", one, {
      summary: "Get a schedule",
      description: "Returns one schedule with its next due time and the last skipped one.",
      ids: OfSchedule,
      of: GeoSchedule,
      scope: GeoRead
    })
  )
  .add(
    change("change", one, {
      summary: "Update a schedule",
      description:
        "Fields that you leave out do not change. The next run is due one new interval from now at the latest.",
      ids: OfSchedule,
      of: GeoSchedule,
      payload: PatchSchedule,
      scope: GeoWrite
    })
  )
  .add(
    remove("remove", one, {
      summary: "Delete a schedule",
      description: "Deletes the schedule. Runs that it started stay.",
      ids: OfSchedule,
      scope: GeoWrite
    })
  )
  .prefix("/api/v1") {}
