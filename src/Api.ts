import * as OpenApi from "@effect/platform/OpenApi"
import { AuditsApi } from "./audits/Api.ts"
import { ExperimentsApi } from "./experiments/Api.ts"
import { findable } from "./http/Findable.ts"
import { complete } from "./OpenApiDocument.ts"
import { ProjectsApi } from "./projects/Api.ts"
import { KeywordsApi } from "./rankings/Api.ts"
import { SiteHealthApi } from "./sitehealth/Api.ts"
import { SystemApi } from "./system/Api.ts"
import { WebhooksApi } from "./webhooks/Api.ts"

/** The whole contract: a value that a client imports alone, without any of the server's code. */
export class Api extends findable
  .add(SystemApi)
  .add(ProjectsApi)
  .add(SiteHealthApi)
  .add(KeywordsApi)
  .add(AuditsApi)
  .add(ExperimentsApi)
  .add(WebhooksApi)
  .annotateContext(
    OpenApi.annotations({
      title: "Findable",
      version: "1",
      description: "Search visibility: rankings, audits, experiments, site health crawls and signed webhooks.",
      license: { name: "MIT" },
      transform: complete
    })
  ) {}
