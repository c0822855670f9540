import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { Render } from "../../../crawl/report/Rendering.ts"
import { apiRoot } from "../../../foundation/http/Contract.ts"
import { LockRepo } from "../../accounts/Accounts.ts"
import { whole } from "../../accounts/Handlers.ts"
import { IdempotentCreate } from "../../accounts/Idempotency.ts"
import { Projects } from "../../projects/Projects.ts"
import {
  dueRuns,
  ofProjects,
  scheduleHandlers,
  schedulesOf,
  scheduleTable,
  startingDue
} from "../../projects/Schedules.ts"
import { RequireBrowser } from "../LiveWorkers.ts"
import { Start, startUrl } from "../Start.ts"
import { ScheduleId, SiteHealthSchedule, SiteHealthSchedulesApi } from "./Api.ts"

/** The stored request of each run. */
const Terms = Schema.Struct({
  url: Schema.String,
  max_pages: Schema.NullOr(Schema.Int),
  check_dead_links: Schema.Boolean,
  check_external_links: Schema.Boolean,
  render: Render
})

const table = {
  Id: ScheduleId,
  name: "site_health_schedules",
  owner: ofProjects,
  Schedule: SiteHealthSchedule,
  Terms
}

/** Reads and writes crawl schedules. */
export class SchedulesRepo extends Effect.Service<SchedulesRepo>()("sitehealth/SchedulesRepo", {
  dependencies: [LockRepo.Default],
  effect: scheduleTable(table)
}) {}

/** An interval, and the request of each run; null pages: the plan's limit. */
interface Asked {
  readonly every: string
  readonly url?: string
  readonly max_pages?: number | null
  readonly check_dead_links: boolean
  readonly check_external_links?: boolean
  readonly render?: Render
}

/** The crawl schedules of an account's sites. */
export class Schedules extends Effect.Service<Schedules>()("sitehealth/Schedules", {
  dependencies: [Projects.Default, RequireBrowser.Default, SchedulesRepo.Default],
  effect: Effect.gen(function* () {
    const browser = yield* RequireBrowser
    return yield* schedulesOf({
      name: "SiteHealthSchedules",
      plural: "crawl schedules",
      table: yield* SchedulesRepo,
      termsOf: Effect.fnUntraced(function* (project, asked: Asked, sent) {
        const { check_dead_links, check_external_links = false, max_pages = null, render = "auto" } = asked
        const url = yield* startUrl(project, asked.url)
        yield* browser.asked(sent.render)
        return { check_dead_links, check_external_links, max_pages, render, url }
      })
    })
  })
}) {}

export const layer = HttpApiBuilder.group(apiRoot.add(SiteHealthSchedulesApi), "site-health-schedules", (handlers) =>
  Effect.gen(function* () {
    const { change, create, get, list, remove } = yield* scheduleHandlers(yield* Schedules, "site-health")
    return handlers
      .handle("create", create, whole)
      .handle("list", list)
      .handle("get", get)
      .handle("change", change, whole)
      .handle("remove", remove, whole)
  })
).pipe(Layer.provide([IdempotentCreate.Default, Schedules.Default]))

/** The crawl schedules as a queue. */
export class DueRepo extends Effect.Service<DueRepo>()("sitehealth/schedules/DueRepo", {
  effect: dueRuns(table, "site health schedules")
}) {}

/** Starts due runs: quotas count, an identical running run is joined, and a slot over quota is skipped. */
const starting = Effect.gen(function* () {
  const { queue, skipped, started } = yield* DueRepo
  const { start } = yield* Start

  yield* startingDue({
    begin: (claim) => {
      const pages = claim.max_pages === null ? {} : { max_pages: claim.max_pages }
      const { check_dead_links, check_external_links, render, url } = claim
      const request = { check_dead_links, check_external_links, render, url, ...pages }
      return Effect.matchEffect(start(claim.account, claim.project, request, undefined), {
        onFailure: ({ message }) => skipped(claim, message),
        onSuccess: ({ run }) => started(claim, run.id)
      })
    },
    name: "site health schedule",
    queue,
    skipped
  })
})

/** Starts scheduled runs until its scope ends. */
export const workerLayer = Layer.scopedDiscard(starting).pipe(Layer.provide([DueRepo.Default, Start.Default]))
