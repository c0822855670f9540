import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import * as Schema from "effect/Schema"
import { about, Data, described } from "../../foundation/http/Contract.ts"
import { field } from "../../foundation/schema/Scalars.ts"
import { Timestamp } from "../../foundation/schema/Time.ts"
import { AnyKey } from "../accounts/Authorized.ts"

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

const Bytes = Schema.NonNegativeInt

const Table = Schema.Struct({
  name: Schema.String.annotations({ description: "Name of the table" }),
  bytes: Bytes.annotations({ description: "Size with its indexes and texts, in bytes" })
}).annotations({ identifier: "ServerTable", description: "Size of a table" })

const Queue = Schema.Struct({
  name: Schema.String.annotations({ description: "Kind of work, such as `run` (crawls) or `delivery` (webhooks)" }),
  waiting: Schema.NonNegativeInt.annotations({ description: "Work that is due and waits" }),
  oldest_seconds: Schema.NonNegativeInt.annotations({ description: "Seconds that the oldest of it has waited" })
}).annotations({ identifier: "ServerQueue", description: "Work that waits for a worker" })

/** The last backup. */
export const Backup = Schema.Struct({
  at: field(Timestamp, "Moment of the data"),
  bytes: Bytes.annotations({ description: "Size of the file in bytes" }),
  secrets: Schema.Boolean.annotations({ description: "Whether it includes API keys, webhooks and credentials" })
}).annotations({ identifier: "ServerBackup", description: "A backup by the command `backup`" })

/** The size of the database. */
export const Storage = Schema.Struct({
  bytes: Bytes.annotations({ description: "Size of all tables with their indexes, in bytes" }),
  tables: Schema.Array(Table).annotations({ description: "The ten largest tables, largest first" })
}).annotations({ identifier: "ServerStorage", description: "Size of the database" })

/** What only the administrator sees. */
const Administration = Schema.Struct({
  storage: field(Storage, "Size of the database"),
  queues: Schema.Array(Queue).annotations({
    description: "Queues of all servers, by name. A server with `FINDABLE_ROLE=api` knows only `delivery`"
  }),
  last_backup: Schema.NullOr(Backup).annotations({
    description: "Last backup by the command `backup`; null when there is none"
  })
}).annotations({ identifier: "ServerAdministration", description: "Storage, queues and backups of the server" })

/** The schema of the database. */
export const DatabaseSchema = Schema.Struct({
  name: Schema.String.annotations({ description: "Name of the database schema" }),
  migration: Schema.Int.annotations({ description: "Number of its last migration" })
}).annotations({ identifier: "ServerSchema", description: "Schema of the database" })

/** The state of the server. */
export const Server = Schema.Struct({
  version: Schema.String.annotations({ description: "Version of Findable" }),
  schema: field(DatabaseSchema, "Schema of the database"),
  browser: field(
    Schema.Struct({
      found: Schema.Boolean.annotations({ description: "Whether a running worker has a browser for rendering" }),
      version: Schema.NullOr(Schema.String).annotations({
        description: "Name and version of the browser; null without one, and when it tells none"
      }),
      problem: Schema.NullOr(Schema.String).annotations({ description: "Why there is no browser; null with one" })
    }).annotations({ identifier: "ServerBrowser", description: "Browser for rendering" }),
    "Browser that crawls render with"
  ),
  admin: Schema.NullOr(Administration).annotations({
    description: "Storage, queues and backups; null for keys without the scope `server:read`"
  })
}).annotations({ identifier: "Server", description: "State of the server" })

/** The state of the server, for holders of keys. */
export class ServerApi extends HttpApiGroup.make("server")
  .annotateContext(about("State of the server."))
  .add(
    HttpApiEndpoint.get("get", "/server")
      .annotateContext(
        described(
          "Get the state of the server",
          "Returns version, schema and browser to any key; storage, queues and the last backup only with the scope `server:read`, which the command `console --operator` gives."
        )
      )
      .addSuccess(Data(Server))
      .middleware(AnyKey)
  )
  .prefix("/api/v1") {}
