import * as Predicate from "effect/Predicate"
import { html, type Markup } from "../../crawl/console/Markup.ts"
import { style } from "../../crawl/console/Style.ts"
import { safe } from "../../crawl/console/Text.ts"
import { plural } from "../../foundation/text/Words.ts"
import type { Experiment } from "./Domain.ts"
import { effectPicture } from "./EffectPicture.ts"
import type { DesignedAnalysis } from "./statistics/design/DesignedAnalysis.ts"
import { signedPercent } from "./statistics/design/Sentence.ts"

/** What the report may do in a browser: nothing is loaded, and no script runs. */
export const policy = "default-src 'none'; style-src 'unsafe-inline'"

/** Paths of an arm that are shown; the others are counted. */
const shownPages = 200

type Verdict = NonNullable<Experiment["analysis"]>

const isDesigned = (analysis: Verdict): analysis is DesignedAnalysis => Predicate.hasProperty(analysis, "verdict")

const row = (name: string, value: string | number): Markup =>
  html`<tr><th scope="row">${name}</th><td class="u">${typeof value === "number" ? value : safe(value)}</td></tr>`

/** Numbers for readers; the answer of the API has them in full. */
const short = (value: number) => Number(value.toPrecision(4))

const table = (rows: ReadonlyArray<Markup>): Markup => html`<table><tbody>${rows}</tbody></table>`

const methods = {
  binomial: "each impression taken for an independent trial",
  page_clustered: "how the pages differ among themselves",
  page_jackknife: "how the pages differ among themselves",
  page_permutation: "pages dealt out to the arms anew",
  placebo_in_time: "how the same comparison came out at dates when nothing was changed"
} as const

const warnings = ({ warnings }: Verdict): Markup =>
  warnings.length === 0
    ? html`<p>Nothing is known that weakens the verdict.</p>`
    : html`<ul>${warnings.map((warning) => html`<li>${safe(warning)}</li>`)}</ul>`

const designed = (analysis: DesignedAnalysis): ReadonlyArray<Markup> => {
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
      row("The error is", `${methods[analysis.method]}, with ${short(analysis.degrees_of_freedom)} degrees of freedom`),
      row("Earlier dates compared", analysis.placebo_windows),
      row("Pages", `${pages.treatment} treated, ${pages.control} control`),
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
    row("Relative to the rate without the change", signedPercent(analysis.liftPercentage)),
    row("p-value", short(analysis.pValue)),
    row("The error is", methods[analysis.method])
  ])
]

const arm = (name: string, paths: ReadonlyArray<string>): Markup =>
  html`<details><summary>${name} <small>${plural(paths.length, "page")}</small></summary><ul>${paths.slice(0, shownPages).map((path) => html`<li class="u">${safe(path)}</li>`)}</ul>${paths.length > shownPages ? html`<small>and ${paths.length - shownPages} more</small>` : null}</details>`

const beginning = ({ completed_at, hypothesis, name, started_at }: Experiment): Markup =>
  html`<!doctype html><html lang="en"><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${policy}"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="robots" content="noindex"><title>Experiment: ${safe(name)}</title><style>${style}</style></head><body><h1>${safe(name)}</h1><p class="quiet">Started ${(started_at ?? "").slice(0, 10)}, evaluated ${(completed_at ?? "").slice(0, 10)}.</p>${hypothesis === null ? null : html`<p>${safe(hypothesis)}</p>`}`

/** The verdict on an experiment as one self-contained HTML file: no requests, no script, everything that people wrote escaped. */
export const renderReport = (experiment: Experiment, analysis: Verdict): string => {
  const { assignment, pages } = experiment
  const dealt =
    assignment === undefined
      ? null
      : html`<p>The service assigned the pages on ${assignment.assigned_at.slice(0, 10)} with the seed <code>${safe(assignment.seed)}</code>, ${assignment.draws === 1 ? "in one draw" : `in draw ${assignment.draws}`}.</p>`
  const arms =
    pages === undefined
      ? null
      : html`<h2>Pages</h2>${dealt}${arm("Treatment", pages.treatment)}${arm("Control", pages.control)}`
  return html`${beginning(experiment)}<h2>Verdict</h2>${isDesigned(analysis) ? designed(analysis) : ofCounts(analysis)}<h2>What weakens it</h2>${warnings(analysis)}${arms}</body></html>
`.text
}
