import * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"
import type * as MetricPair from "effect/MetricPair"
import * as MetricState from "effect/MetricState"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"

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
export const exposition: Effect.Effect<string> = Effect.map(Metric.snapshot, (pairs) =>
  render(pairs.filter(({ metricKey }) => metricKey.name.startsWith("findable_")))
)
