import type { ListedAudit } from "../api/Contract.ts"
import { count } from "../parts/Formats.ts"

type Vitals = NonNullable<ListedAudit["core_web_vitals"]>

/** A metric of a page. */
export interface Vital {
  readonly name: keyof Vitals["metrics"]
  readonly title: string
  /** The usual abbreviation. */
  readonly short: string
  /** Whether the metric is one of the three Core Web Vitals. */
  readonly isCore: boolean
  /** The last good value and the last value before poor (web.dev/articles/vitals, web.dev/articles/fcp, web.dev/articles/ttfb). */
  readonly bounds: readonly [good: number, needsImprovement: number]
}

/** The metrics in the order of the screen. */
export const vitals: ReadonlyArray<Vital> = [
  { bounds: [2500, 4000], isCore: true, name: "lcp_ms", short: "LCP", title: "Largest Contentful Paint" },
  { bounds: [200, 500], isCore: true, name: "inp_ms", short: "INP", title: "Interaction to Next Paint" },
  { bounds: [0.1, 0.25], isCore: true, name: "cls", short: "CLS", title: "Cumulative Layout Shift" },
  { bounds: [1800, 3000], isCore: false, name: "fcp_ms", short: "FCP", title: "First Contentful Paint" },
  { bounds: [800, 1800], isCore: false, name: "ttfb_ms", short: "TTFB", title: "Time to First Byte" }
]

const seconds = new Intl.NumberFormat(undefined, { maximumFractionDigits: 2 })
const shift = new Intl.NumberFormat(undefined, { maximumFractionDigits: 2, minimumFractionDigits: 2 })

/** A value with its unit; a shift has none. */
export const valueOf = (name: Vital["name"], value: number): string =>
  name === "cls"
    ? shift.format(value)
    : value < 1000
      ? `${count(Math.round(value))} ms`
      : `${seconds.format(value / 1000)} s`

/** The rating of a value. */
export const verdictOn = ({ bounds }: Vital, value: number): "good" | "needs_improvement" | "poor" =>
  value <= bounds[0] ? "good" : value <= bounds[1] ? "needs_improvement" : "poor"

/** The length of the scale of a threshold bar. */
export const barLength = 100

/** Places on a threshold bar: the ends of the good and of the middle part, and the value, which stays on the bar. */
export const placesOf = ({ bounds: [good, middle] }: Vital, value: number) => {
  const most = Math.max(middle * 1.5, value * 1.08)
  const at = (of: number) => Math.round((of / most) * barLength * 10) / 10
  return { good: at(good), middle: at(middle), value: at(value) }
}

/** Ratings of vitals and of categories in words, and the class of their colour. */
export const statuses = {
  good: ["Good", "good"],
  needs_improvement: ["Needs improvement", "needs_improvement"],
  poor: ["Poor", "poor"],
  unknown: ["Not enough data", "quiet"]
} as const

/** Sources of values. */
export const sources: Readonly<Record<NonNullable<Vitals["sources"]["lcp_ms"]>, string>> = {
  lab: "Lab data (Lighthouse)",
  origin_field: "Field data (whole site)",
  page_field: "Field data (this page)"
}
