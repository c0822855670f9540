import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import * as Schema from "effect/Schema"
import { about, described } from "../../foundation/http/Described.ts"

const Ok = Schema.Struct({ status: Schema.Literal("ok") })

/** What operators and machines ask of a node; no key. */
export class SystemApi extends HttpApiGroup.make("system")
  .annotateContext(about("What operators and machines ask of a node."))
  .add(
    HttpApiEndpoint.get("health", "/healthz")
      .annotateContext(described("Is the process alive", "Answers as long as the process does."))
      .addSuccess(Ok)
  )
  .add(
    HttpApiEndpoint.get("ready", "/readyz")
      .annotateContext(described("Can it serve", "Answers 503 while the database is away or migrations are pending."))
      .addSuccess(Ok)
  )
  .add(
    HttpApiEndpoint.get("metrics", "/metrics")
      .annotateContext(described("Metrics of this process", "In the Prometheus text format 0.0.4."))
      .addSuccess(HttpApiSchema.Text({ contentType: "text/plain" }))
  )
  .add(
    HttpApiEndpoint.get("openapi", "/api/v1/openapi.json")
      .annotateContext(described("This document", "The contract as OpenAPI 3.1."))
      .addSuccess(Schema.Unknown)
  ) {}
