import type { ListedAudit } from "../api/Contract.ts"
import { count } from "../parts/Formats.ts"

type Vitals = NonNullable<ListedAudit["core_web_vitals"]>

/** A metric of a page. */
export interface Vital {
  readonly name: keyof Vitals["metrics"]
  readonly title: string
  /** The last good value and the last value before poor; absent for metrics that are no Core Web Vital (web.dev/articles/vitals). */
  readonly bounds?: readonly [good: number, needsImprovement: number]
}

/** The metrics in the order of the table. */
export const vitals: ReadonlyArray<Vital> = [
  { bounds: [2500, 4000], name: "lcp_ms", title: "Largest Contentful Paint" },
  { bounds: [200, 500], name: "inp_ms", title: "Interaction to Next Paint" },
  { bounds: [0.1, 0.25], name: "cls", title: "Cumulative Layout Shift" },
  { name: "fcp_ms", title: "First Contentful Paint" },
  { name: "ttfb_ms", title: "Time to First Byte" }
]

/** A value with its unit; a shift has none. */
export const valueOf = (name: Vital["name"], value: number): string =>
  name === "cls" ? value.toFixed(2) : `${count(Math.round(value))} ms`

/** The rating of a value; null for a metric without bounds. */
export const verdictOn = ({ bounds }: Vital, value: number): "good" | "needs_improvement" | "poor" | null => {
  if (bounds === undefined) return null
  return value <= bounds[0] ? "good" : value <= bounds[1] ? "needs_improvement" : "poor"
}

/** Sources of values. */
export const sources: Readonly<Record<NonNullable<Vitals["sources"]["lcp_ms"]>, string>> = {
  lab: "Lab data (Lighthouse)",
  origin_field: "Field data (whole site)",
  page_field: "Field data (this page)"
}
