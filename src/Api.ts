import * as OpenApi from "@effect/platform/OpenApi"
import { KeyApi } from "./accounts/Api.ts"
import { AuditsApi } from "./audits/Api.ts"
import { AuditSchedulesApi } from "./audits/schedule/Api.ts"
import { ExperimentsApi } from "./experiments/Api.ts"
import { GrowthProjectsApi } from "./experiments/GrowthProjectsApi.ts"
import { findable } from "./http/Findable.ts"
import { complete } from "./openapi/Document.ts"
import { factsOf } from "./openapi/Facts.ts"
import { ProjectsApi } from "./projects/Api.ts"
import { KeywordsApi } from "./rankings/Api.ts"
import { PerformanceApi } from "./rankings/performance/Api.ts"
import { RankingSourceApi } from "./rankings/sync/Api.ts"
import { RankingImportsApi } from "./rankings/uploads/Api.ts"
import { SiteHealthApi } from "./sitehealth/Api.ts"
import { RulesApi } from "./sitehealth/RulesApi.ts"
import { SiteHealthResultsApi } from "./sitehealth/results/Api.ts"
import { SiteHealthSchedulesApi } from "./sitehealth/schedules/Api.ts"
import { SystemApi } from "./system/Api.ts"
import { WebhooksApi } from "./webhooks/Api.ts"
import { EventsApi } from "./webhooks/events/Api.ts"

const groups = findable
  .add(ProjectsApi)
  .add(SiteHealthApi)
  .add(SiteHealthResultsApi)
  .add(SiteHealthSchedulesApi)
  .add(KeywordsApi)
  .add(PerformanceApi)
  .add(RankingSourceApi)
  .add(RankingImportsApi)
  .add(AuditsApi)
  .add(AuditSchedulesApi)
  .add(ExperimentsApi)
  .add(GrowthProjectsApi)
  .add(WebhooksApi)
  .add(EventsApi)
  .add(RulesApi)
  .add(KeyApi)
  .add(SystemApi)

const description = `Search visibility: rankings, audits, experiments, site health crawls and signed webhooks.

Send a key in \`Authorization: Bearer\` or \`X-API-Key\`. Answers are \`{"data": …}\`, lists with \`meta\` and \`links\`; errors are \`{"error": {"code", "message", "request_id"}}\`.
Limits are told by the \`X-RateLimit\` headers; after a 429 or 503 wait \`Retry-After\` seconds. Fields may be added to answers at any time: ignore those that you do not know.`

/** The whole contract: a value that a client imports alone, without any of the server's code. */
export class Api extends groups.annotateContext(
  OpenApi.annotations({
    title: "Findable",
    version: "1",
    description,
    // `identifier` is what OpenAPI 3.1 wants; the platform's type knows only 3.0.
    override: {
      info: {
        contact: { name: "The operator of this installation" },
        description,
        license: { identifier: "MIT", name: "MIT" },
        title: "Findable",
        version: "1"
      }
    },
    servers: [{ url: "/", description: "This installation" }],
    transform: (document) => complete(document, factsOf(groups))
  })
) {}
