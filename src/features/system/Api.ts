import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import * as Schema from "effect/Schema"
import { about, described } from "../../foundation/http/Contract.ts"

const Ok = Schema.Struct({
  status: Schema.Literal("ok").annotations({ description: "Always `ok`; otherwise the server returns 503" })
}).annotations({ identifier: "Health", description: "The server is healthy" })

/** Health, metrics and the contract, for operators and machines; no key. */
export class SystemApi extends HttpApiGroup.make("system")
  .annotateContext(about("Health, metrics and API description of the server."))
  .add(
    HttpApiEndpoint.get("health", "/healthz")
      .annotateContext(described("Liveness", "Returns 200 as long as the process runs."))
      .addSuccess(Ok)
  )
  .add(
    HttpApiEndpoint.get("ready", "/readyz")
      .annotateContext(
        described(
          "Readiness",
          "Returns 503 while the database is unreachable or read-only, or while migrations are pending."
        )
      )
      .addSuccess(Ok)
  )
  .add(
    HttpApiEndpoint.get("metrics", "/metrics")
      .annotateContext(described("Metrics of this process", "In the Prometheus text format 0.0.4."))
      .addSuccess(HttpApiSchema.Text({ contentType: "text/plain" }))
  )
  .add(
    HttpApiEndpoint.get("openapi", "/api/v1/openapi.json")
      .annotateContext(described("Get this OpenAPI document", "Describes the API as OpenAPI 3.1."))
      .addSuccess(Schema.Unknown)
  ) {}
