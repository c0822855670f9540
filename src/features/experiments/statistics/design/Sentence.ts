import { plural } from "../../../../foundation/text/Words.ts"
import type { Design, Metric } from "./Panel.ts"

/** Numbers of JSON are finite: what is beyond them is their limit. */
export const finite = (value: number): number => Math.min(Number.MAX_VALUE, Math.max(-Number.MAX_VALUE, value))

/** The lift in per cent, 100 · (e^θ − 1). */
export const liftOf = (theta: number): number => finite(100 * Math.expm1(theta))

/** Per cent for readers: one decimal, none from 1,000 on. */
export const percent = (value: number): string =>
  Math.abs(value) >= 1_000
    ? `${Math.abs(value) >= 1e9 ? value.toExponential(1) : Math.round(value).toLocaleString("en-US")} %`
    : `${value.toFixed(1).replace(/^-0\.0$/, "0.0")} %`

/** The same with the sign of a change. */
export const signedPercent = (value: number): string => {
  const text = percent(Math.abs(value))
  if (/^0\.0 /.test(text)) return text
  return `${value < 0 ? "−" : "+"}${text}`
}

const names: Readonly<Record<Metric, string>> = { clicks: "clicks", ctr: "click-through rate" }

/** A verdict in a sentence; of no effect shown it never says that there is none. */
export const sentenceOf = (
  design: Design,
  lift: number,
  [low, high]: readonly [number, number],
  isSignificant: boolean,
  level: number
): string => {
  const name = names[design.metric]
  const confidence = `${Number((100 * (1 - level)).toFixed(2))} %`
  const interval = `${signedPercent(low)} to ${signedPercent(high)} (${confidence} interval)`
  const pages = `${plural(design.treatment.length, "changed page")} against ${plural(design.control.length, "other")}`
  if (isSignificant) {
    const verb = lift > 0 ? "Increase" : "Decrease"
    return `${verb} of ${name} by ${percent(Math.abs(lift))}, ${interval}, of ${pages}.`
  }
  return `No effect shown on ${name}: ${signedPercent(lift)}, ${interval}, of ${pages}; effects of any size within the interval remain possible.`
}

/** What a design can show, in a sentence. */
export const powerSentence = (
  metric: Metric,
  days: number,
  effect: { readonly increase_percent: number; readonly decrease_percent: number } | { readonly needed_days: number }
): string =>
  "needed_days" in effect
    ? `What ${days} days after the change can show is not known: it takes ${effect.needed_days} days of history.`
    : `With ${days} days after the change, an increase of ${names[metric]} by ${percent(effect.increase_percent)} or a decrease by ${percent(effect.decrease_percent)} is found in four of five experiments; smaller effects usually are not.`
