import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { apiRoot } from "../../foundation/http/Contract.ts"
import { jsonResponse } from "../../foundation/http/Request.ts"
import { answerList } from "../accounts/Exports.ts"
import { answer, byCreation, forCaller, listPage, pageForCaller, whole } from "../accounts/Handlers.ts"
import { IdempotentCreate } from "../accounts/Idempotency.ts"
import { scheduleHandlers } from "../projects/Schedules.ts"
import { GeoApi, GeoPromptsApi, GeoRunsApi, GeoSchedulesApi } from "./Api.ts"
import { CitedDomain, GeoAnswer } from "./Domain.ts"
import { Prompts } from "./Prompts.ts"
import { Reads } from "./Reads.ts"
import { Runs } from "./Runs.ts"
import { Schedules } from "./Schedules.ts"
import { Visibility } from "./Snapshots.ts"

const promptsLayer = HttpApiBuilder.group(apiRoot.add(GeoPromptsApi), "geo-prompts", (handlers) =>
  Effect.gen(function* () {
    const prompts = yield* Prompts
    const { creating } = yield* IdempotentCreate
    return handlers
      .handle(
        "create",
        (asked) =>
          creating(asked, (account) =>
            Effect.map(prompts.create(account, asked.path.project_id, asked.payload), ({ existing, prompt }) => ({
              data: prompt,
              existing,
              location: `/api/v1/projects/${asked.path.project_id}/geo/prompts`
            }))
          ),
        whole
      )
      .handle("list", ({ path: { project_id: project }, urlParams }) =>
        listPage(
          { ...urlParams, of: ["geo prompts", project] },
          (account, batch) => prompts.list(account, project, batch),
          byCreation
        )
      )
      .handle("clear", ({ path }) => forCaller((account) => prompts.clear(account, path.project_id)), whole)
      .handle(
        "remove",
        ({ path }) => forCaller((account) => prompts.remove(account, path.project_id, path.prompt_id)),
        whole
      )
  })
).pipe(Layer.provide([IdempotentCreate.Default, Prompts.Default]))

/** Answers per read of an export, because they are long. */
const answersAtOnce = 50

const readsLayer = HttpApiBuilder.group(apiRoot.add(GeoApi), "geo", (handlers) =>
  Effect.gen(function* () {
    const reads = yield* Reads
    const snapshots = yield* Visibility
    const { creating } = yield* IdempotentCreate
    return handlers
      .handle(
        "import",
        ({ headers, path: { project_id }, payload, urlParams: { at } }) =>
          creating(
            { headers, payload: { at: at === undefined ? null : DateTime.formatIso(at), readings: payload } },
            (account) =>
              Effect.map(snapshots.imported(account, project_id, at, payload), (data) => ({
                data,
                location: `/api/v1/projects/${project_id}/geo/visibility`
              }))
          ),
        whole
      )
      .handle("visibility", ({ path: { project_id }, urlParams: { compare, engine } }) =>
        answer((account) => reads.visibility(account, project_id, { compare, engine }))
      )
      .handle("history", ({ path: { project_id }, urlParams: { engine, ...page } }) =>
        Effect.map(
          pageForCaller(
            { ...page, of: ["geo history", project_id, engine ?? ""] },
            (account, batch) => reads.history(account, project_id, engine, batch),
            byCreation
          ),
          ({ data, links, meta }) => jsonResponse({ data: data.map(({ record }) => record), links, meta })
        )
      )
      .handle("answers", ({ path: { project_id }, urlParams: { cursor, limit, outcome, run_id: run } }) =>
        answerList(
          {
            // The list is ordered by the run's time, so the cursor reads it from the run.
            read: (account, batch) =>
              Effect.map(reads.answers(account, project_id, { outcome, run }, batch), (rows) =>
                rows.map(({ created_at, ...record }) => ({ created_at, id: record.id, record }))
              ),
            batch: answersAtOnce,
            columns: Object.keys(GeoAnswer.fields),
            json: ({ record }) => JSON.stringify(record),
            position: byCreation,
            query: { cursor, limit, of: ["geo answers", project_id, outcome ?? "", run ?? ""] }
          },
          ({ data, links, meta }) => Effect.succeed({ data: data.map(({ record }) => record), links, meta })
        )
      )
      .handle("domains", ({ path: { project_id }, urlParams: { cursor, engine, limit, run_id: run } }) =>
        answerList(
          {
            read: (account, batch) => reads.domains(account, project_id, { engine, run }, batch),
            columns: Object.keys(CitedDomain.fields),
            json: (domain) => JSON.stringify(domain),
            position: ({ answers, domain }) => [String(answers), domain],
            query: { cursor, limit, of: ["geo domains", project_id, engine ?? "", run ?? ""] }
          },
          (page) => Effect.succeed(page)
        )
      )
      .handle("power", ({ path: { project_id }, urlParams }) =>
        answer((account) => reads.power(account, project_id, urlParams))
      )
  })
).pipe(Layer.provide([IdempotentCreate.Default, Reads.Default, Visibility.Default]))

const runsLayer = HttpApiBuilder.group(apiRoot.add(GeoRunsApi), "geo-runs", (handlers) =>
  Effect.gen(function* () {
    const runs = yield* Runs
    const { creating } = yield* IdempotentCreate
    return handlers
      .handle(
        "create",
        (asked) => {
          const { path, payload } = asked
          return payload.dry_run
            ? Effect.map(
                answer((account) => runs.estimate(account, path.project_id, payload)),
                (body) => jsonResponse(body)
              )
            : creating(asked, (account) =>
                Effect.map(runs.start(account, path.project_id, payload), (run) => ({
                  accepted: true,
                  data: run,
                  location: `/api/v1/projects/${path.project_id}/geo/runs/${run.id}`
                }))
              )
        },
        whole
      )
      .handle("get", ({ path: { project_id, run_id } }) => answer((account) => runs.get(account, project_id, run_id)))
      .handle("list", ({ path: { project_id: project }, urlParams }) =>
        listPage(
          { ...urlParams, of: ["geo runs", project] },
          (account, batch) => runs.list(account, project, batch),
          byCreation
        )
      )
  })
).pipe(Layer.provide([IdempotentCreate.Default, Runs.Default]))

const schedulesLayer = HttpApiBuilder.group(apiRoot.add(GeoSchedulesApi), "geo-schedules", (handlers) =>
  Effect.gen(function* () {
    const { change, create, get, list, remove } = yield* scheduleHandlers(yield* Schedules, "geo")
    return handlers
      .handle("create", create, whole)
      .handle("list", list)
      .handle("get", get)
      .handle("change", change, whole)
      .handle("remove", remove, whole)
  })
).pipe(Layer.provide([IdempotentCreate.Default, Schedules.Default]))

/** Handlers of AI visibility. */
export const layer = Layer.mergeAll(promptsLayer, runsLayer, readsLayer, schedulesLayer)
