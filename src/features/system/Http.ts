import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"
import type * as MetricPair from "effect/MetricPair"
import * as MetricState from "effect/MetricState"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { isCurrent, isWritable } from "../../foundation/database/Migrations.ts"
import * as Shares from "../../foundation/database/Shares.ts"
import { isBusy } from "../../foundation/database/SqlState.ts"
import { apiError } from "../../foundation/http/ApiError.ts"
import { apiRoot } from "../../foundation/http/Contract.ts"
import { version } from "../../foundation/schema/Scalars.ts"
import { SystemApi } from "./Api.ts"

/** Platform adapter: metrics of the process, with the names of Prometheus' own clients. */

const started = performance.timeOrigin / 1000

const line = (name: string, type: "counter" | "gauge", help: string, value: number, labels = "") =>
  `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${name}${labels} ${value}\n`

/** Processor time, memory, start and version of this process, as Prometheus text. */
const processMetrics = (version: string): string => {
  const { system, user } = process.cpuUsage()
  return [
    line("process_cpu_seconds_total", "counter", "Processor time used, in seconds", (system + user) / 1e6),
    line("process_resident_memory_bytes", "gauge", "Resident memory, in bytes", process.memoryUsage.rss()),
    line(
      "process_start_time_seconds",
      "gauge",
      "Start time, as a Unix time in seconds",
      Math.round(started * 1000) / 1000
    ),
    line(
      "findable_build_info",
      "gauge",
      "Version of Findable and of the runtime",
      1,
      `{version="${version}",runtime="bun ${Bun.version}"}`
    )
  ].join("")
}

const quoted = Schema.encodeSync(Schema.parseJson(Schema.String))

const labels = (pairs: ReadonlyArray<readonly [string, string]>) =>
  pairs.length === 0 ? "" : `{${pairs.map(([name, value]) => `${name}=${quoted(value)}`).join(",")}}`

type Series = ReadonlyArray<readonly [suffix: string, labels: string, value: number | bigint]>

const seriesOf = (
  state: MetricState.MetricState.Untyped,
  tags: ReadonlyArray<readonly [string, string]>
): { readonly type: string; readonly series: Series } | undefined => {
  if (MetricState.isCounterState(state)) return { series: [["", labels(tags), state.count]], type: "counter" }
  if (MetricState.isGaugeState(state)) return { series: [["", labels(tags), state.value]], type: "gauge" }
  if (!MetricState.isHistogramState(state)) return undefined
  const buckets = state.buckets.map(
    ([bound, count]) =>
      [
        "_bucket",
        labels([...tags, ["le", bound === Number.MAX_SAFE_INTEGER || bound === Infinity ? "+Inf" : String(bound)]]),
        count
      ] as const
  )
  return {
    series: [...buckets, ["_sum", labels(tags), state.sum], ["_count", labels(tags), state.count]],
    type: "histogram"
  }
}

const render = (pairs: ReadonlyArray<MetricPair.MetricPair.Untyped>) => {
  const lines = new Map<string, Array<string>>()
  for (const { metricKey, metricState } of pairs) {
    const tags = Array.from(metricKey.tags, ({ key, value }) => [key, value] as const)
    const found = seriesOf(metricState, tags)
    if (found === undefined) continue
    const { name } = metricKey
    const block = lines.get(name) ?? [
      `# HELP ${name} ${Option.getOrElse(metricKey.description, () => name)}`,
      `# TYPE ${name} ${found.type}`
    ]
    block.push(...found.series.map(([suffix, text, value]) => `${name}${suffix}${text} ${value}`))
    lines.set(name, block)
  }
  return `${Array.from(lines.values(), (block) => block.join("\n")).join("\n")}\n`
}

/** This process's metrics in the Prometheus text format, version 0.0.4. */
const exposition: Effect.Effect<string> = Effect.map(Metric.snapshot, (pairs) =>
  render(pairs.filter(({ metricKey }) => metricKey.name.startsWith("findable_")))
)

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
      Effect.timeoutFail({ duration: "5 seconds", onTimeout: () => notReady("The database does not respond") }),
      Effect.catchTags({
        MigrationFailed: ({ message }) => notReady(message),
        SqlError: (error) => notReady(isBusy(error) ? "The server is busy" : "The database is unreachable")
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
