import * as Arr from "effect/Array"
import * as Order from "effect/Order"
import type { Spread } from "../Domain.ts"
import type { LighthouseReport } from "../report/LighthouseReport.ts"

const performanceOf = (report: LighthouseReport): number =>
  report.categories.find(({ category }) => category === "performance")?.score ?? 0

const known = (values: ReadonlyArray<number | null>): ReadonlyArray<number> => values.flatMap((value) => value ?? [])

/** The middle value; of an even number of values the lower of the two in the middle, which one of them has. */
const middle = (values: ReadonlyArray<number>): number | undefined =>
  Arr.sort(values, Order.number)[Math.floor((values.length - 1) / 2)]

const distance = (value: number | null, from: number | undefined): number =>
  value === null || from === undefined ? 0 : (value - from) ** 2

/**
 * The representative run of several: of those with the median performance score the one nearest to the median FCP and LCP, the first and the
 * last that people see of a load (Lighthouse's own `median-run` measures the same distance, to FCP and TTI).
 */
export const medianRun = <Run extends { readonly report: LighthouseReport }>(
  runs: Arr.NonEmptyReadonlyArray<Run>
): Run => {
  const score = middle(runs.map(({ report }) => performanceOf(report)))
  const fcp = middle(known(runs.map(({ report }) => report.lab.fcp_ms)))
  const lcp = middle(known(runs.map(({ report }) => report.lab.lcp_ms)))
  const distanceOf = ({ report: { lab } }: Run) => distance(lab.fcp_ms, fcp) + distance(lab.lcp_ms, lcp)
  const nearest = Arr.sort(
    runs.filter(({ report }) => performanceOf(report) === score),
    Order.mapInput(Order.number, distanceOf)
  )
  return nearest[0] ?? runs[0]
}

const rangeOf = (values: ReadonlyArray<number | null>) => {
  const measured = known(values)
  return measured.length === 0 ? null : { highest: Math.max(...measured), lowest: Math.min(...measured) }
}

/** How far several runs lie apart. */
export const spreadOf = (reports: ReadonlyArray<LighthouseReport>): Spread => ({
  runs: reports.length,
  performance: rangeOf(reports.map((report) => Math.round(performanceOf(report) * 100))),
  lcp_ms: rangeOf(reports.map(({ lab }) => lab.lcp_ms)),
  fcp_ms: rangeOf(reports.map(({ lab }) => lab.fcp_ms)),
  ttfb_ms: rangeOf(reports.map(({ lab }) => lab.ttfb_ms)),
  cls: rangeOf(reports.map(({ lab }) => lab.cls))
})
