import * as Predicate from "effect/Predicate"
import { html, Markup, style as reportStyle } from "../../crawl/formats/Markup.ts"
import { safe } from "../../crawl/formats/Wording.ts"
import { schemes } from "../../foundation/design/Tokens.ts"
import { plural } from "../../foundation/text/Words.ts"
import type { Experiment } from "./Domain.ts"
import type { DesignedAnalysis } from "./statistics/design/Design.ts"
import type { DesignedAnalysis as DesignAnalysis } from "./statistics/design/DesignedAnalysis.ts"
import { signedPercent } from "./statistics/design/Judge.ts"

/** Includes its colours, because the picture is also a document by itself. */
const style = new Markup(`
.effect { color-scheme: light dark; ${schemes.light} }
@media (prefers-color-scheme: dark) { .effect { ${schemes.dark} } }
.effect text { fill: var(--ink) } .effect .quiet { fill: var(--quiet) } .effect path { fill: none; stroke: var(--line) } .effect .zero { stroke: var(--quiet) }
.effect .bar { stroke: var(--quiet); stroke-width: 3 } .effect .dot { fill: var(--quiet) } .effect .plain { fill: none; stroke: var(--quiet); stroke-width: 2 }
.effect .increase .bar { stroke: var(--good) } .effect .increase .dot { fill: var(--good) } .effect .decrease .bar { stroke: var(--bad) } .effect .decrease .dot { fill: var(--bad) }`)

/** Layout of the drawing: ends of the scale, position of the first row, and distance of rows. */
const [width, left, right, top, step] = [720, 190, 700, 40, 44]

/** One line of the picture: an effect in percent, with its interval if it has one. */
interface Row {
  readonly name: string
  readonly lift: number
  readonly interval: readonly [number, number] | undefined
  readonly kind: DesignedAnalysis["verdict"] | "beside"
}

const names = { clicks: "Clicks", ctr: "Click-through rate" } as const
const metricOf = ({ unit }: DesignedAnalysis) => (unit === "ctr" ? names.ctr : names.clicks)

const rowsOf = (analysis: DesignedAnalysis): ReadonlyArray<Row> => [
  {
    name: metricOf(analysis),
    lift: analysis.liftPercentage,
    interval: analysis.lift_interval,
    kind: analysis.verdict
  },
  { name: "the same by plain sums", lift: analysis.totals.lift_percentage, interval: undefined, kind: "beside" },
  ...analysis.secondary.map(({ lift_interval, liftPercentage, metric }) => ({
    name: names[metric],
    lift: liftPercentage,
    interval: lift_interval,
    kind: "beside" as const
  }))
]

/** The ends of the scale: 0 and all rows; for an endless interval not much more than the effects. */
const scaleOf = (rows: ReadonlyArray<Row>): readonly [number, number] => {
  const ends = rows.flatMap(({ interval, lift }) => [lift, ...(interval ?? [])])
  const most = Math.max(100, ...rows.map(({ lift }) => 3 * Math.min(Math.abs(lift), 1e6)))
  const [low, high] = [Math.min(0, ...ends), Math.min(most, Math.max(0, ...ends))]
  const margin = 0.05 * Math.max(high - low, 1)
  return [low - margin, high + margin]
}

/** Round numbers of the scale, including 0: 1, 2 or 5 times a power of ten apart, at most eight. */
const ticksOf = ([low, high]: readonly [number, number]): ReadonlyArray<number> => {
  const least = (high - low) / 8
  const power = 10 ** Math.floor(Math.log10(least))
  const apart = ([1, 2, 5, 10].find((times) => times * power >= least) ?? 10) * power
  const first = Math.ceil(low / apart)
  return Array.from({ length: Math.floor(high / apart) - first + 1 }, (_, index) => (first + index) * apart)
}

const label = (value: number): string =>
  value === 0 ? "0%" : `${value < 0 ? "−" : "+"}${Number(Math.abs(value).toPrecision(6))}%`

/** The interval as a line with a mark at each end, or an arrow beyond the scale. */
const bar = (
  [low, high]: readonly [number, number],
  y: number,
  x: (value: number) => number,
  limit: number
): Markup => {
  const [from, to] = [x(low).toFixed(1), x(Math.min(high, limit)).toFixed(1)]
  const ended = high <= limit ? `M${to} ${y - 6}v12` : `M${Number(to) - 7} ${y - 6}L${to} ${y}l-7 6`
  return html`<path class="bar" d="M${from} ${y - 6}v12M${from} ${y}H${to}${ended}"/>`
}

/** The effect of an experiment with its interval on a percent scale, above the plain sums and the other metric, as a separate SVG. */
export const effectPicture = (analysis: DesignedAnalysis): Markup => {
  const rows = rowsOf(analysis)
  const scale = scaleOf(rows)
  const [low, high] = scale
  const x = (value: number) => left + ((Math.min(value, high) - low) / (high - low)) * (right - left)
  const bottom = top + (rows.length - 1) * step + 24
  const title = `${metricOf(analysis)}: ${signedPercent(analysis.liftPercentage)} (${signedPercent(analysis.lift_interval[0])} to ${signedPercent(analysis.lift_interval[1])})`
  const lines = ticksOf(scale).map((tick) => {
    const at = x(tick).toFixed(1)
    return html`<path class="${tick === 0 ? "zero" : "tick"}" d="M${at} ${top - 24}V${bottom}"/><text class="quiet" x="${at}" y="${bottom + 18}" text-anchor="middle">${label(tick)}</text>`
  })
  const drawn = rows.map(({ interval, kind, lift, name }, index) => {
    const y = top + index * step
    const said = `${signedPercent(lift)}${interval === undefined ? "" : `, ${signedPercent(interval[0])} to ${signedPercent(interval[1])}`}`
    return html`<g class="${kind}"><text x="8" y="${y - 2}">${name}</text><text class="quiet" x="8" y="${y + 13}">${said}</text>${interval === undefined ? null : bar(interval, y, x, high)}<circle class="${interval === undefined ? "plain" : "dot"}" cx="${x(lift).toFixed(1)}" cy="${y}" r="5"/></g>`
  })
  return html`<svg xmlns="http://www.w3.org/2000/svg" class="effect" viewBox="0 0 ${width} ${bottom + 28}" role="img" aria-labelledby="effect-title effect-text" font-family="system-ui, sans-serif" font-size="11"><title id="effect-title">${title}</title><desc id="effect-text">${analysis.sentence}</desc><style>${style}</style>${lines}${drawn}</svg>`
}

/** Content security policy of the report: it loads nothing and runs no script. */
export const policy = "default-src 'none'; style-src 'unsafe-inline'"

/** Maximum paths shown per arm; the others are counted. */
const shownPages = 200

type Verdict = NonNullable<Experiment["analysis"]>

const isDesigned = (analysis: Verdict): analysis is DesignAnalysis => Predicate.hasProperty(analysis, "verdict")

const row = (name: string, value: string | number): Markup =>
  html`<tr><th scope="row">${name}</th><td class="u">${typeof value === "number" ? value : safe(value)}</td></tr>`

/** Rounded numbers for readers; the API has all digits. */
const short = (value: number) => Number(value.toPrecision(4))

const table = (rows: ReadonlyArray<Markup>): Markup => html`<table><tbody>${rows}</tbody></table>`

const methods = {
  binomial: "each impression counts as an independent trial",
  page_clustered: "how pages vary within a group",
  page_jackknife: "how pages vary within a group",
  page_permutation: "pages reassigned at random",
  placebo_in_time: "the same comparison at earlier dates without a change"
} as const

const warnings = ({ warnings }: Verdict): Markup =>
  warnings.length === 0
    ? html`<p>No known limitations.</p>`
    : html`<ul>${warnings.map((warning) => html`<li>${safe(warning)}</li>`)}</ul>`

const designed = (analysis: DesignAnalysis): ReadonlyArray<Markup> => {
  const { pages, secondary, unit, windows } = analysis
  const days = (name: "pre" | "post", index: 0 | 1) =>
    `${windows[name][0]} to ${windows[name][1]}, ${windows.days_present[index]} of ${windows.days[index]} days`
  const each = unit === "ctr" ? "click-through rate" : "clicks a day"
  return [
    html`<p><b>${safe(analysis.sentence)}</b></p><div class="wide">${effectPicture(analysis)}</div>`,
    table([
      row(
        "Effect",
        `${signedPercent(analysis.liftPercentage)} (${signedPercent(analysis.lift_interval[0])} to ${signedPercent(analysis.lift_interval[1])})`
      ),
      row(
        `In ${each}`,
        `${short(analysis.didEstimator)} (${short(analysis.confidenceInterval[0])} to ${short(analysis.confidenceInterval[1])})`
      ),
      row("p-value", short(analysis.pValue)),
      row(
        "Standard error from",
        `${methods[analysis.method]}, with ${short(analysis.degrees_of_freedom)} degrees of freedom`
      ),
      row("Earlier dates compared", analysis.placebo_windows),
      row("Pages", `${pages.treatment} test, ${pages.control} control`),
      row("Before", days("pre", 0)),
      row("After", days("post", 1)),
      ...secondary.map((other) =>
        row(
          other.metric === "ctr" ? "Click-through rate" : "Clicks",
          `${signedPercent(other.liftPercentage)} (${signedPercent(other.lift_interval[0])} to ${signedPercent(other.lift_interval[1])}), p ${short(other.pValue)} after Holm`
        )
      )
    ])
  ]
}

const ofCounts = (analysis: Verdict): ReadonlyArray<Markup> => [
  html`<p><b>${analysis.isSignificant ? "An effect is shown" : "No effect shown"}: ${short(100 * analysis.didEstimator)} percentage points, from ${short(100 * analysis.confidenceInterval[0])} to ${short(100 * analysis.confidenceInterval[1])} (95 % interval).</b></p>`,
  table([
    row("Compared with the rate expected without the change", signedPercent(analysis.liftPercentage)),
    row("p-value", short(analysis.pValue)),
    row("Standard error from", methods[analysis.method])
  ])
]

const arm = (name: string, paths: ReadonlyArray<string>): Markup =>
  html`<details><summary>${name} <small>${plural(paths.length, "page")}</small></summary><ul>${paths.slice(0, shownPages).map((path) => html`<li class="u">${safe(path)}</li>`)}</ul>${paths.length > shownPages ? html`<small>and ${paths.length - shownPages} more</small>` : null}</details>`

const beginning = ({ completed_at, hypothesis, name, started_at }: Experiment): Markup =>
  html`<!doctype html><html lang="en"><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${policy}"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="robots" content="noindex"><title>Experiment: ${safe(name)}</title><style>${reportStyle}</style></head><body><h1>${safe(name)}</h1><p class="quiet">Started ${(started_at ?? "").slice(0, 10)}, evaluated ${(completed_at ?? "").slice(0, 10)}.</p>${hypothesis === null ? null : html`<p>${safe(hypothesis)}</p>`}`

/** The result of an experiment as one self-contained HTML file: no requests, no script, all text from people escaped. */
export const renderReport = (experiment: Experiment, analysis: Verdict): string => {
  const { assignment, pages } = experiment
  const dealt =
    assignment === undefined
      ? null
      : html`<p>Findable randomly assigned the pages on ${assignment.assigned_at.slice(0, 10)} with the seed <code>${safe(assignment.seed)}</code>, ${assignment.draws === 1 ? "in one assignment" : `in assignment ${assignment.draws}`}.</p>`
  const arms =
    pages === undefined
      ? null
      : html`<h2>Pages</h2>${dealt}${arm("Test pages", pages.treatment)}${arm("Control pages", pages.control)}`
  return html`${beginning(experiment)}<h2>Result</h2>${isDesigned(analysis) ? designed(analysis) : ofCounts(analysis)}<h2>Limitations</h2>${warnings(analysis)}${arms}</body></html>
`.text
}
