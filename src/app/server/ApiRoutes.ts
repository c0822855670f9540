import type * as HttpApi from "@effect/platform/HttpApi"
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import type * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as OpenApi from "@effect/platform/OpenApi"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Api, SiteHealthOnly } from "../../Api.ts"
import { ExportLimits } from "../../features/accounts/Exports.ts"
import * as KeyHttp from "../../features/accounts/Http.ts"
import { OpenRequests } from "../../features/accounts/OpenRequests.ts"
import * as ConsoleSessionsHttp from "../../features/accounts/Sessions.ts"
import * as AuditsHttp from "../../features/audits/Http.ts"
import * as AuditSchedulesHttp from "../../features/audits/schedule/Schedules.ts"
import * as BacklinksHttp from "../../features/backlinks/Http.ts"
import * as GrowthProjects from "../../features/experiments/GrowthProjects.ts"
import * as ExperimentsHttp from "../../features/experiments/Http.ts"
import * as InspectionsHttp from "../../features/inspections/Http.ts"
import * as InterventionsHttp from "../../features/interventions/Http.ts"
import * as ProjectsHttp from "../../features/projects/Http.ts"
import * as KeywordsHttp from "../../features/rankings/Http.ts"
import * as OpportunitiesHttp from "../../features/rankings/opportunities/Opportunities.ts"
import * as PerformanceHttp from "../../features/rankings/performance/Performance.ts"
import * as ProjectDays from "../../features/rankings/Site.ts"
import * as RankingSnapshotsHttp from "../../features/rankings/snapshots/Snapshots.ts"
import * as RankingSourceHttp from "../../features/rankings/sync/Connections.ts"
import * as RankingImportsHttp from "../../features/rankings/uploads/Http.ts"
import * as ProjectHealth from "../../features/sitehealth/History.ts"
import * as SiteHealthHttp from "../../features/sitehealth/Http.ts"
import * as SiteHealthResultsHttp from "../../features/sitehealth/results/Http.ts"
import * as SiteHealthSchedulesHttp from "../../features/sitehealth/schedules/Schedules.ts"
import * as SystemHttp from "../../features/system/Http.ts"
import * as ServerHttp from "../../features/system/Server.ts"
import * as VisibilityHttp from "../../features/visibility/Http.ts"
import * as EventsHttp from "../../features/webhooks/events/List.ts"
import * as WebhooksHttp from "../../features/webhooks/Http.ts"
import { Cursors } from "../../foundation/http/Cursors.ts"
import { PublicUrl, Stopping } from "../../foundation/http/Request.ts"
import * as Examples from "../../foundation/openapi/Examples.ts"
import * as Docs from "./Docs.ts"
import { Drain } from "./ErrorEnvelope.ts"

/** Services that handlers, envelope and shutdown share. */
export const shared = Layer.mergeAll(
  Cursors.Default,
  Drain.Default,
  ExportLimits.Default,
  OpenRequests.Default,
  PublicUrl.Default,
  Stopping.Default
)

/** The OpenAPI document of a contract, built on first use; its `servers` entry is the callers' path of this server. */
const systemOf = <Groups extends HttpApiGroup.HttpApiGroup.Any, E, R>(api: HttpApi.HttpApi<"findable", Groups, E, R>) =>
  Layer.provide(
    SystemHttp.layer,
    Layer.effect(
      SystemHttp.Contract,
      Effect.gen(function* () {
        const { path } = yield* PublicUrl
        const servers = [{ description: "This server", url: path("") || "/" }]
        // When the first caller leaves, the build continues.
        const document = yield* Effect.cached(
          Effect.uninterruptible(
            Effect.map(Examples.of(api.groups), (examples) => ({
              ...Examples.withExamples(OpenApi.fromApi(api, { additionalPropertiesStrategy: "allow" }), examples),
              servers
            }))
          )
        )
        return { document }
      })
    )
  )

/** The handlers of site health. */
const siteHealthHandlers = Layer.mergeAll(
  Layer.provide(ProjectsHttp.layer, [ProjectDays.layer, ProjectHealth.layer]),
  SiteHealthHttp.layer,
  SiteHealthResultsHttp.layer,
  SiteHealthSchedulesHttp.layer
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
    RankingSnapshotsHttp.layer,
    VisibilityHttp.layer,
    AuditsHttp.layer,
    AuditSchedulesHttp.layer,
    ExperimentsHttp.layer,
    ExperimentsHttp.designsLayer,
    GrowthProjects.layer,
    BacklinksHttp.layer,
    BacklinksHttp.importsLayer,
    InterventionsHttp.connectorsLayer,
    InterventionsHttp.layer,
    EventsHttp.layer,
    WebhooksHttp.layer,
    KeyHttp.layer,
    ServerHttp.layer,
    ConsoleSessionsHttp.handlers
  ])
)

/** All routes, without a listener and without authorisation. */
export const layer = Layer.provideMerge(Docs.layer, handlers)

/** The routes of site health alone. */
export const siteHealth = Layer.provideMerge(
  Docs.layer,
  HttpApiBuilder.api(SiteHealthOnly).pipe(Layer.provide([systemOf(SiteHealthOnly), siteHealthHandlers]))
)
