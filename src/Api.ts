import type * as HttpApi from "@effect/platform/HttpApi"
import type * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as OpenApi from "@effect/platform/OpenApi"
import { KeyApi, KeysApi } from "./features/accounts/Api.ts"
import { ConsoleSessionsApi } from "./features/accounts/SessionsApi.ts"
import { AuditsApi } from "./features/audits/Api.ts"
import { AuditSchedulesApi } from "./features/audits/schedule/Api.ts"
import { BacklinkImportsApi, BacklinksApi } from "./features/backlinks/Api.ts"
import { ExperimentsApi } from "./features/experiments/Api.ts"
import { ExperimentDesignsApi } from "./features/experiments/design/Api.ts"
import { GrowthProjectsApi } from "./features/experiments/GrowthProjectsApi.ts"
import { InspectionsApi } from "./features/inspections/Api.ts"
import { ConnectorsApi, InterventionsApi } from "./features/interventions/Api.ts"
import { ProjectsApi } from "./features/projects/Api.ts"
import { KeywordsApi } from "./features/rankings/Api.ts"
import { OpportunitiesApi } from "./features/rankings/opportunities/Api.ts"
import { PerformanceApi } from "./features/rankings/performance/Api.ts"
import { RankingSnapshotsApi } from "./features/rankings/snapshots/Api.ts"
import { RankingSourceApi } from "./features/rankings/sync/Api.ts"
import { RankingImportsApi } from "./features/rankings/uploads/Api.ts"
import { RulesApi, SiteHealthApi } from "./features/sitehealth/Api.ts"
import { SiteHealthResultsApi } from "./features/sitehealth/results/Api.ts"
import { SiteHealthSchedulesApi } from "./features/sitehealth/schedules/Api.ts"
import { ServerApi, SystemApi } from "./features/system/Api.ts"
import { GeoApi, GeoPromptsApi, GeoRunsApi, GeoSchedulesApi } from "./features/visibility/Api.ts"
import { WebhooksApi } from "./features/webhooks/Api.ts"
import { deliveries } from "./features/webhooks/Catalogue.ts"
import { EventsApi } from "./features/webhooks/events/Api.ts"
import { apiRoot } from "./foundation/http/Contract.ts"
import { complete, withoutWebhooks } from "./foundation/openapi/Document.ts"
import { factsOf } from "./foundation/openapi/Operation.ts"

const groups = apiRoot
  .add(ProjectsApi)
  .add(SiteHealthApi)
  .add(SiteHealthResultsApi)
  .add(SiteHealthSchedulesApi)
  .add(KeywordsApi)
  .add(PerformanceApi)
  .add(OpportunitiesApi)
  .add(InspectionsApi)
  .add(RankingSourceApi)
  .add(RankingImportsApi)
  .add(RankingSnapshotsApi)
  .add(GeoPromptsApi)
  .add(GeoRunsApi)
  .add(GeoApi)
  .add(GeoSchedulesApi)
  .add(AuditsApi)
  .add(AuditSchedulesApi)
  .add(ExperimentsApi)
  .add(ExperimentDesignsApi)
  .add(GrowthProjectsApi)
  .add(BacklinksApi)
  .add(BacklinkImportsApi)
  .add(ConnectorsApi)
  .add(InterventionsApi)
  .add(WebhooksApi)
  .add(EventsApi)
  .add(RulesApi)
  .add(KeyApi)
  .add(KeysApi)
  .add(ConsoleSessionsApi)
  .add(ServerApi)
  .add(SystemApi)

const description = `Crawl your sites, read their rankings, audit pages, run experiments and receive signed webhooks.

Send a key in \`Authorization: Bearer\` or \`X-API-Key\`. A response is \`{"data": …}\`, a list adds \`meta\` and \`links\`, and an error is \`{"error": {"code", "message", "request_id"}}\`.
Rate limits are in the \`X-RateLimit\` headers. After a 429 or 503, wait \`Retry-After\` seconds. Responses may gain fields at any time: ignore fields that you do not know.`

/** A contract with its title, and with the document that it makes completed. */
const titled = <Groups extends HttpApiGroup.HttpApiGroup.Any, E, R>(
  groups: HttpApi.HttpApi<"findable", Groups, E, R>,
  shown = (document: ReturnType<typeof complete>) => document
) =>
  groups.annotateContext(
    OpenApi.annotations({
      title: "Findable",
      version: "1",
      description,
      // OpenAPI 3.1 has `identifier`; the platform's type knows only 3.0.
      override: {
        info: {
          contact: { name: "The administrator of this server" },
          description,
          license: { identifier: "MIT", name: "MIT" },
          title: "Findable",
          version: "1"
        }
      },
      servers: [{ url: "/", description: "This server" }],
      transform: (document) => shown(complete(document, factsOf(groups), deliveries))
    })
  )

/** The whole contract: a value that a client imports alone, without any of the server's code. */
export class Api extends titled(groups) {}

const siteHealth = apiRoot
  .add(ProjectsApi)
  .add(SiteHealthApi)
  .add(SiteHealthResultsApi)
  .add(SiteHealthSchedulesApi)
  .add(RulesApi)
  .add(SystemApi)

/** Site health alone, for programs that mount nothing else: sites, runs with their results and schedules, rules, and the state of the node. */
export class SiteHealthOnly extends titled(siteHealth, withoutWebhooks) {}
