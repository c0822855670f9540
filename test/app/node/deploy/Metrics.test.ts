import { describe, expect } from "bun:test"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as WebhookMetrics from "../../../../src/features/webhooks/deliveries/RecordOutcome.ts"
import { makeMetrics } from "../../../../src/foundation/database/LeaseMonitor.ts"
import { suite } from "../../../harness.ts"
import * as Server from "../../../server.ts"
import { until } from "../../../waiting.ts"
import { text } from "./files.ts"

const it = suite(Server.layerWithWorkers)

const Alerts = Schema.Struct({
  groups: Schema.Array(
    Schema.Struct({
      name: Schema.NonEmptyString,
      rules: Schema.Array(
        Schema.Struct({
          alert: Schema.String.pipe(Schema.pattern(/^Findable[A-Za-z]+$/)),
          annotations: Schema.Struct({ summary: Schema.NonEmptyString }),
          expr: Schema.NonEmptyString,
          for: Schema.optional(Schema.String.pipe(Schema.pattern(/^\d+[smh]$/))),
          labels: Schema.Struct({ severity: Schema.Literal("critical", "warning") })
        })
      )
    })
  )
})

const Dashboard = Schema.Struct({
  panels: Schema.Array(
    Schema.Struct({
      gridPos: Schema.Struct({ h: Schema.Int, w: Schema.Int, x: Schema.Int, y: Schema.Int }),
      id: Schema.Int,
      targets: Schema.NonEmptyArray(
        Schema.Struct({ expr: Schema.NonEmptyString, legendFormat: Schema.NonEmptyString })
      ),
      title: Schema.NonEmptyString
    })
  ),
  templating: Schema.Struct({ list: Schema.Array(Schema.Struct({ name: Schema.String, query: Schema.Unknown })) }),
  title: Schema.NonEmptyString
})

const alerts = Schema.decodeUnknownSync(Alerts)(Bun.YAML.parse(text("alerts.yaml"))).groups.flatMap(
  ({ rules }) => rules
)
const dashboard = Schema.decodeUnknownSync(Schema.parseJson(Dashboard))(text("dashboard.json"))

/** Labels that Prometheus itself adds to the series of a target. */
const ofTarget = ["instance", "job"]

/** The series of a server: labels by name, with their values. `up` belongs to Prometheus. */
const seriesOf = (exposition: string) => {
  const series = new Map<string, Map<string, Set<string>>>([["up", new Map()]])
  for (const [, name = "", labels = ""] of exposition.matchAll(/^(\w+)(?:\{(.*)\})? /gm)) {
    const found = series.get(name) ?? new Map<string, Set<string>>()
    for (const [, label = "", value = ""] of labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g))
      found.set(label, (found.get(label) ?? new Set()).add(value))
    series.set(name, found)
  }
  return series
}

/** The series that an expression names, each with its label matchers. */
const named = (expression: string) =>
  Array.from(
    expression.matchAll(/\b(findable_\w+|process_\w+|up)\b(?:\{([^}]*)\})?/g),
    ([, name = "", chosen = ""]) => ({
      chosen: Array.from(chosen.matchAll(/(\w+)(=~?)"([^"]*)"/g), ([, label = "", how = "", value = ""]) => ({
        how,
        label,
        value
      })),
      name
    })
  )

/** Labels in the grouping of an expression or in its texts. */
const grouped = (expression: string, words: string) => [
  ...Array.from(expression.matchAll(/by \(([^)]*)\)/g), ([, list = ""]) => list.split(/,\s*/)).flat(),
  ...Array.from(words.matchAll(/\{\{\s*(?:\$labels\.)?(\w+)/g), ([, label = ""]) => label)
]

/** Series and labels in an expression and its texts that no server has. */
const unknown = (series: ReturnType<typeof seriesOf>, expression: string, words: string) => {
  const mentioned = named(expression)
  const labels = new Set([...ofTarget, ...mentioned.flatMap(({ name }) => [...(series.get(name)?.keys() ?? [])])])
  return [
    ...(mentioned.length === 0 ? [`${expression}: no series`] : []),
    ...mentioned.flatMap(({ chosen, name }) => {
      const own = series.get(name)
      if (own === undefined) return [name]
      return chosen
        .filter(
          ({ how, label, value }) =>
            !ofTarget.includes(label) && !(how === "=~" ? own.has(label) : own.get(label)?.has(value))
        )
        .map(({ label, value }) => `${name}{${label}="${value}"}`)
    }),
    ...grouped(expression, words).filter((label) => !labels.has(label))
  ]
}

/** Every possible series of a server: an idle server has none for some work, 5xx responses and deliveries. */
const exposition = Effect.gen(function* () {
  const work = makeMetrics("run")
  yield* work.ended("worker_lost", Duration.seconds(1))
  yield* Effect.all([
    WebhookMetrics.attempted("delivered"),
    WebhookMetrics.received(5),
    WebhookMetrics.deactivated("failing")
  ])
  return yield* until(
    Effect.map(Server.send("GET", "/metrics"), ({ body }) => String(body)),
    (body) =>
      [
        "findable_queue_oldest_seconds{",
        "findable_webhook_oldest_due_seconds{",
        "findable_http_request_seconds_bucket{",
        "findable_database_connections{"
      ].every((name) => body.includes(name)),
    "100 millis"
  )
})

describe("the alert rules and the dashboard", () => {
  it("name only series and labels that a server exposes", function* () {
    const series = seriesOf(yield* exposition)
    const expressions = [
      ...alerts.map(({ annotations, expr }) => [expr, annotations.summary] as const),
      ...dashboard.panels.flatMap(({ targets }) =>
        targets.map(({ expr, legendFormat }) => [expr, legendFormat] as const)
      )
    ]
    expect(expressions.length).toBeGreaterThan(30)
    expect(expressions.flatMap(([expression, words]) => unknown(series, expression, words))).toEqual([])
    expect(unknown(series, 'sum by (shape) (findable_nothing + up{state="x"})', "{{colour}}")).toEqual([
      "findable_nothing",
      'up{state="x"}',
      "shape",
      "colour"
    ])
  })

  it("show every series of the product", function* () {
    const shown = JSON.stringify(dashboard.panels)
    const missing = [...seriesOf(yield* exposition).keys()]
      .map((name) => name.replace(/_(?:bucket|count|sum)$/, ""))
      .filter((name) => name.startsWith("findable_") && !shown.includes(name))
    expect(missing).toEqual([])
  })

  it("have panels that do not overlap and fill the width", () =>
    Effect.sync(() => {
      const cells = dashboard.panels.flatMap(({ gridPos: { h, w, x, y } }) =>
        Array.from({ length: h * w }, (_, at) => `${x + (at % w)},${y + Math.floor(at / w)}`)
      )
      expect(new Set(cells).size).toBe(cells.length)
      expect(new Set(dashboard.panels.map(({ id }) => id)).size).toBe(dashboard.panels.length)
      expect(Math.max(...dashboard.panels.map(({ gridPos: { w, x } }) => x + w))).toBe(24)
    }))
})
