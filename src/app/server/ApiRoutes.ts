import type * as HttpApi from "@effect/platform/HttpApi"
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import type * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as OpenApi from "@effect/platform/OpenApi"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Api, SiteHealthOnly } from "../../Api.ts"
import { ExportLimits } from "../../features/accounts/ExportLimits.ts"
import * as KeyHttp from "../../features/accounts/Http.ts"
import { OpenRequests } from "../../features/accounts/OpenRequests.ts"
import * as ConsoleSessionsHttp from "../../features/accounts/sessions/Http.ts"
import * as AuditsHttp from "../../features/audits/Http.ts"
import * as AuditSchedulesHttp from "../../features/audits/schedule/Http.ts"
import * as ExperimentDesignsHttp from "../../features/experiments/design/Http.ts"
import * as GrowthProjectsHttp from "../../features/experiments/GrowthProjectsHttp.ts"
import * as ExperimentsHttp from "../../features/experiments/Http.ts"
import * as InspectionsHttp from "../../features/inspections/Http.ts"
import * as BacklinksHttp from "../../features/observations/backlinks/Http.ts"
import * as BacklinkImportsHttp from "../../features/observations/backlinks/imports/Http.ts"
import * as ConnectorsHttp from "../../features/observations/interventions/connectors/Http.ts"
import * as InterventionsHttp from "../../features/observations/interventions/Http.ts"
import * as GeoPromptsHttp from "../../features/observations/visibility/prompts/Http.ts"
import * as GeoHttp from "../../features/observations/visibility/reads/Http.ts"
import * as GeoRunsHttp from "../../features/observations/visibility/runs/Http.ts"
import * as GeoSchedulesHttp from "../../features/observations/visibility/schedules/Http.ts"
import * as ProjectsHttp from "../../features/projects/Http.ts"
import * as KeywordsHttp from "../../features/rankings/Http.ts"
import * as OpportunitiesHttp from "../../features/rankings/opportunities/Http.ts"
import * as ProjectDays from "../../features/rankings/ProjectDaysRepo.ts"
import * as PerformanceHttp from "../../features/rankings/performance/Http.ts"
import * as RankingSourceHttp from "../../features/rankings/sync/Http.ts"
import * as RankingImportsHttp from "../../features/rankings/uploads/Http.ts"
import * as ProjectHealth from "../../features/sitehealth/HealthRepo.ts"
import * as SiteHealthHttp from "../../features/sitehealth/Http.ts"
import * as RulesHttp from "../../features/sitehealth/RulesHttp.ts"
import * as SiteHealthResultsHttp from "../../features/sitehealth/results/Http.ts"
import * as SiteHealthSchedulesHttp from "../../features/sitehealth/schedules/Http.ts"
import * as SystemHttp from "../../features/system/Http.ts"
import { Contract } from "../../features/system/Http.ts"
import * as EventsHttp from "../../features/webhooks/events/Http.ts"
import * as WebhooksHttp from "../../features/webhooks/Http.ts"
import { Cursors } from "../../foundation/http/Cursors.ts"
import { PublicUrl } from "../../foundation/http/PublicUrl.ts"
import { Stopping } from "../../foundation/http/ServerContext.ts"
import * as ExampleFiles from "../openapi/ExampleFiles.ts"
import { withExamples } from "../openapi/Examples.ts"
import * as Docs from "./Docs.ts"
import { Drain } from "./Drain.ts"

/** Services that handlers, envelope and shutdown share. */
export const shared = Layer.mergeAll(
  Cursors.Default,
  Drain.Default,
  ExportLimits.Default,
  OpenRequests.Default,
  PublicUrl.Default,
  Stopping.Default
)

/** The OpenAPI document of a contract, built on first use; its `servers` entry is the path at which callers reach this server. */
const systemOf = <Groups extends HttpApiGroup.HttpApiGroup.Any, E, R>(api: HttpApi.HttpApi<"findable", Groups, E, R>) =>
  Layer.provide(
    SystemHttp.layer,
    Layer.effect(
      Contract,
      Effect.gen(function* () {
        const { path } = yield* PublicUrl
        const servers = [{ description: "This installation", url: path("") || "/" }]
        // The first caller going away does not cancel it.
        const document = yield* Effect.cached(
          Effect.uninterruptible(
            Effect.map(ExampleFiles.of(api.groups), (examples) => ({
              ...withExamples(OpenApi.fromApi(api, { additionalPropertiesStrategy: "allow" }), examples),
              servers
            }))
          )
        )
        return { document }
      })
    )
  )

/** What belongs to site health. */
const siteHealthHandlers = Layer.mergeAll(
  Layer.provide(ProjectsHttp.layer, [ProjectDays.layer, ProjectHealth.layer]),
  SiteHealthHttp.layer,
  SiteHealthResultsHttp.layer,
  SiteHealthSchedulesHttp.layer,
  RulesHttp.layer
)

/** The contract with its handlers. */
const handlers = HttpApiBuilder.api(Api).pipe(
  Layer.provide([
    systemOf(Api),
    siteHealthHandlers,
    KeywordsHttp.layer,
    PerformanceHttp.layer,
    OpportunitiesHttp.layer,
    InspectionsHttp.layer,
    RankingSourceHttp.layer,
    RankingImportsHttp.layer,
    GeoPromptsHttp.layer,
    GeoRunsHttp.layer,
    GeoHttp.layer,
    GeoSchedulesHttp.layer,
    AuditsHttp.layer,
    AuditSchedulesHttp.layer,
    ExperimentsHttp.layer,
    ExperimentDesignsHttp.layer,
    GrowthProjectsHttp.layer,
    BacklinksHttp.layer,
    BacklinkImportsHttp.layer,
    ConnectorsHttp.layer,
    InterventionsHttp.layer,
    EventsHttp.layer,
    WebhooksHttp.layer,
    KeyHttp.layer,
    ConsoleSessionsHttp.layer
  ])
)

/** All routes, without a listener and without authorisation. */
export const layer = Layer.provideMerge(Docs.layer, handlers)

/** The routes of site health alone. */
export const siteHealth = Layer.provideMerge(
  Docs.layer,
  HttpApiBuilder.api(SiteHealthOnly).pipe(Layer.provide([systemOf(SiteHealthOnly), siteHealthHandlers]))
)
