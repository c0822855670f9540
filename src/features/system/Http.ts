import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { isCurrent, isWritable } from "../../foundation/database/Migrations.ts"
import * as Shares from "../../foundation/database/Shares.ts"
import { isBusy } from "../../foundation/database/SqlState.ts"
import { apiError } from "../../foundation/http/ApiError.ts"
import { apiRoot } from "../../foundation/http/Contract.ts"
import { version } from "../../foundation/schema/Version.ts"
import { SystemApi } from "./Api.ts"
import { processMetrics } from "./ProcessMetrics.ts"
import { exposition } from "./Prometheus.ts"

/** The OpenAPI document of the contract that this server serves. */
export class Contract extends Context.Tag("system/Contract")<
  Contract,
  { readonly document: Effect.Effect<unknown> }
>() {}

const notReady = (message: string) => apiError("service_unavailable", message, { headers: { "retry-after": "5" } })

export const layer = HttpApiBuilder.group(apiRoot.add(SystemApi), "system", (handlers) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const { document } = yield* Contract
    const ready = Effect.filterOrFail(
      isWritable,
      (writable) => writable,
      () => notReady("The database is read-only")
    ).pipe(
      Effect.zipRight(isCurrent),
      Effect.provideService(SqlClient.SqlClient, sql),
      Effect.timeoutFail({ duration: "5 seconds", onTimeout: () => notReady("The database does not answer") }),
      Effect.catchTags({
        MigrationFailed: ({ message }) => notReady(message),
        SqlError: (error) => notReady(isBusy(error) ? "The node is busy" : "The database is away")
      }),
      Effect.filterOrFail(
        (current) => current,
        () => notReady("Migrations are pending")
      ),
      Effect.locally(Shares.current, Shares.keys)
    )
    return handlers
      .handle("health", () => Effect.succeed({ status: "ok" }))
      .handle("ready", () => Effect.as(ready, { status: "ok" }))
      .handle("metrics", () => Effect.map(exposition, (text) => text + processMetrics(version)))
      .handle("openapi", () => document)
  })
)
