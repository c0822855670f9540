import type { ListedAudit } from "../api/Contract.ts"
import { count } from "../parts/Formats.ts"

type Vitals = NonNullable<ListedAudit["core_web_vitals"]>

/** A metric of a page. */
export interface Vital {
  readonly name: keyof Vitals["metrics"]
  readonly title: string
  /** Where good ends and where poor begins, both inclusive of the better; not for metrics that are no Core Web Vital (web.dev/articles/vitals). */
  readonly bounds?: readonly [good: number, needsImprovement: number]
}

/** The metrics in the order in which they are read. */
export const vitals: ReadonlyArray<Vital> = [
  { bounds: [2500, 4000], name: "lcp_ms", title: "Largest Contentful Paint" },
  { bounds: [200, 500], name: "inp_ms", title: "Interaction to Next Paint" },
  { bounds: [0.1, 0.25], name: "cls", title: "Cumulative Layout Shift" },
  { name: "fcp_ms", title: "First Contentful Paint" },
  { name: "ttfb_ms", title: "Time to first byte" }
]

/** A value with its unit; a shift has none. */
export const valueOf = (name: Vital["name"], value: number): string =>
  name === "cls" ? value.toFixed(2) : `${count(Math.round(value))} ms`

/** The verdict on a value; none for a metric without bounds. */
export const verdictOn = ({ bounds }: Vital, value: number): "good" | "needs_improvement" | "poor" | null => {
  if (bounds === undefined) return null
  return value <= bounds[0] ? "good" : value <= bounds[1] ? "needs_improvement" : "poor"
}

/** Who measured a value. */
export const sources: Readonly<Record<NonNullable<Vitals["sources"]["lcp_ms"]>, string>> = {
  lab: "lab: one run of Lighthouse",
  origin_field: "field: visitors of the whole site",
  page_field: "field: visitors of this page"
}
