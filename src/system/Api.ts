import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import * as Schema from "effect/Schema"

const Ok = Schema.Struct({ status: Schema.Literal("ok") })

/** What operators and machines ask of a node; no key. */
export class SystemApi extends HttpApiGroup.make("system")
  .add(HttpApiEndpoint.get("health", "/healthz").addSuccess(Ok))
  .add(HttpApiEndpoint.get("ready", "/readyz").addSuccess(Ok))
  .add(HttpApiEndpoint.get("metrics", "/metrics").addSuccess(HttpApiSchema.Text({ contentType: "text/plain" })))
  .add(HttpApiEndpoint.get("openapi", "/api/v1/openapi.json").addSuccess(Schema.Unknown)) {}
