import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Metric from "effect/Metric"
import * as MetricState from "effect/MetricState"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Query from "../../foundation/database/Query.ts"
import { apiRoot } from "../../foundation/http/Contract.ts"
import { version } from "../../foundation/schema/Scalars.ts"
import { Caller } from "../accounts/Authorized.ts"
import { grants, ofAdministrator } from "../accounts/Domain.ts"
import { LiveWorkersRepo } from "../sitehealth/LiveWorkers.ts"
import { Backup, DatabaseSchema, ServerApi, Storage } from "./Api.ts"

/** Tables that the administrator sees. */
const largest = 10

/** Reads the state of the database. */
export class ServerRepo extends Effect.Service<ServerRepo>()("system/ServerRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    const schema = Query.one({
      Request: Schema.Void,
      Result: DatabaseSchema,
      execute: () =>
        sql`SELECT current_schema() AS name, (SELECT coalesce(max(id), 0) FROM schema_migrations) AS migration`
    })

    /** A partitioned table counts with its parts. */
    const administration = Query.one({
      Request: Schema.Void,
      Result: Schema.Struct({
        due: Schema.Struct({ oldest_seconds: Schema.Int, waiting: Schema.Int }),
        last_backup: Schema.NullOr(Backup),
        storage: Storage
      }),
      execute: () => sql`
        WITH sizes AS (
          SELECT coalesce(pg_partition_root(c.oid), c.oid)::regclass::text AS name, sum(pg_total_relation_size(c.oid))::bigint AS bytes
          FROM pg_class c WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r' GROUP BY 1
        )
        SELECT
          (SELECT json_build_object('bytes', coalesce(sum(bytes), 0), 'tables', (
            SELECT json_agg(top) FROM (SELECT name, bytes FROM sizes ORDER BY bytes DESC, name LIMIT ${largest}) AS top)) FROM sizes) AS storage,
          (SELECT CASE WHEN backed_up_at IS NOT NULL THEN json_build_object('at', iso(backed_up_at), 'bytes', backup_bytes,
            'secrets', backup_has_secrets) END FROM installation) AS last_backup,
          (SELECT json_build_object('waiting', count(*), 'oldest_seconds',
            coalesce(greatest(0, floor(extract(epoch FROM clock_timestamp() - min(next_attempt_at)))), 0))
            FROM webhook_queue WHERE NOT waiting AND worker IS NULL AND next_attempt_at <= clock_timestamp()) AS due`
    })

    return { administration: administration(undefined), schema: schema(undefined) }
  })
}) {}

/** The gauges of a name in this process, by kind of work. */
const gauges = (name: string) =>
  Effect.map(
    Metric.snapshot,
    (pairs) =>
      new Map(
        pairs.flatMap(({ metricKey, metricState }) =>
          metricKey.name === name && MetricState.isGaugeState(metricState)
            ? Array.from(metricKey.tags, ({ value }) => [value, Number(metricState.value)] as const)
            : []
        )
      )
  )

/** Work that waits for a worker, as the workers of this process have counted it within the last seconds. */
const queues = Effect.zipWith(
  gauges("findable_queue_waiting"),
  gauges("findable_queue_oldest_seconds"),
  (waiting, oldest) =>
    Array.from(waiting, ([name, waiting]) => ({
      name,
      waiting,
      oldest_seconds: Math.floor(oldest.get(name) ?? 0)
    }))
)

const noWorker = "No worker runs. Start one: FINDABLE_ROLE=all or FINDABLE_ROLE=worker."

export const layer = HttpApiBuilder.group(apiRoot.add(ServerApi), "server", (handlers) =>
  Effect.map(Effect.all([LiveWorkersRepo, ServerRepo]), ([{ best }, { administration, schema }]) => {
    const browser = Effect.map(
      best,
      Option.getOrElse(() => ({ found: false, problem: noWorker, version: null }))
    )
    const admin = Effect.zipWith(administration, queues, ({ due, ...rest }, leased) => ({
      ...rest,
      queues: [...leased, { name: "delivery", ...due }].sort((a, b) => a.name.localeCompare(b.name))
    }))
    return handlers.handle("get", () =>
      Effect.gen(function* () {
        const { scopes } = yield* Caller
        const isAdministrator = grants(scopes, ofAdministrator)
        const data = yield* Effect.all({ browser, schema, admin: isAdministrator ? admin : Effect.succeed(null) })
        return { data: { version, ...data } }
      })
    )
  })
).pipe(Layer.provide([LiveWorkersRepo.Default, ServerRepo.Default]))
