import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as OpenApi from "@effect/platform/OpenApi"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Api } from "../../Api.ts"
import { ExportLimits } from "../../features/accounts/ExportLimits.ts"
import * as KeyHttp from "../../features/accounts/Http.ts"
import * as AuditsHttp from "../../features/audits/Http.ts"
import * as AuditSchedulesHttp from "../../features/audits/schedule/Http.ts"
import * as GrowthProjectsHttp from "../../features/experiments/GrowthProjectsHttp.ts"
import * as ExperimentsHttp from "../../features/experiments/Http.ts"
import * as ProjectsHttp from "../../features/projects/Http.ts"
import * as KeywordsHttp from "../../features/rankings/Http.ts"
import * as PerformanceHttp from "../../features/rankings/performance/Http.ts"
import * as RankingSourceHttp from "../../features/rankings/sync/Http.ts"
import * as RankingImportsHttp from "../../features/rankings/uploads/Http.ts"
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
import * as Docs from "./Docs.ts"
import { Drain } from "./Drain.ts"

/** Services that handlers, envelope and shutdown share. */
export const shared = Layer.mergeAll(
  Cursors.Default,
  Drain.Default,
  ExportLimits.Default,
  PublicUrl.Default,
  Stopping.Default
)

/** The OpenAPI document, built on first use; its `servers` entry is the path at which callers reach this server. */
const contract = Layer.effect(
  Contract,
  Effect.gen(function* () {
    const { path } = yield* PublicUrl
    const servers = [{ description: "This installation", url: path("") || "/" }]
    const document = yield* Effect.cached(
      Effect.sync(() => ({ ...OpenApi.fromApi(Api, { additionalPropertiesStrategy: "allow" }), servers }))
    )
    return { document }
  })
)

/** The contract with its handlers. */
const handlers = HttpApiBuilder.api(Api).pipe(
  Layer.provide([
    Layer.provide(SystemHttp.layer, contract),
    ProjectsHttp.layer,
    SiteHealthHttp.layer,
    SiteHealthResultsHttp.layer,
    SiteHealthSchedulesHttp.layer,
    KeywordsHttp.layer,
    PerformanceHttp.layer,
    RankingSourceHttp.layer,
    RankingImportsHttp.layer,
    AuditsHttp.layer,
    AuditSchedulesHttp.layer,
    ExperimentsHttp.layer,
    GrowthProjectsHttp.layer,
    EventsHttp.layer,
    WebhooksHttp.layer,
    RulesHttp.layer,
    KeyHttp.layer
  ])
)

/** All routes, without a listener and without authorisation. */
export const layer = Layer.provideMerge(Docs.layer, handlers)
