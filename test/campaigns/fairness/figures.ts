/** The ordinary tenant's figures of one measurement; times in milliseconds. */
export interface Figures {
  readonly times: ReadonlyArray<number>
  readonly failures: Readonly<Record<string, number>>
  /** From acceptance to the end of each import, by the API. */
  readonly imports: ReadonlyArray<number>
  /** From acceptance of an import to the receipt of its event. */
  readonly events: ReadonlyArray<number>
  /** Expected events that did not arrive. */
  readonly missing: number
}

/** A law of the campaign: the measured figure, and whether it holds. */
export interface Law {
  readonly found: string
  readonly holds: boolean
  readonly law: string
}

export interface Result {
  readonly figures: Readonly<Record<string, Figures>>
  readonly laws: ReadonlyArray<Law>
}

export const percentile = (times: ReadonlyArray<number>, share: number) =>
  times.toSorted((a, b) => a - b)[Math.ceil(share * times.length) - 1] ?? Number.NaN

export const p99 = ({ times }: Figures) => percentile(times, 0.99)

const failed = ({ failures }: Figures) => Object.values(failures).reduce((sum, count) => sum + count, 0)

/** Failures by their code, such as `503 service_unavailable: 12`. */
export const byCode = (counts: Readonly<Record<string, number>>) =>
  Object.entries(counts)
    .map(([code, count]) => `${code}: ${count}`)
    .join(", ") || "none"

const ms = (millis: number) => (Number.isNaN(millis) ? "–" : millis < 10 ? millis.toFixed(1) : millis.toFixed(0))
export const inSeconds = (millis: number) => `${(millis / 1000).toFixed(1)} s`

/** Fewer samples give no p99. */
const enough = 300

/** The law of all cases: p99 is at most a multiple of the idle one, and nothing fails. */
export const laws = (name: string, beside: Figures, attacked: Figures, most = 2, what = "idle"): ReadonlyArray<Law> => [
  {
    found: `${ms(p99(attacked))} ms, ${(p99(attacked) / p99(beside)).toFixed(1)} × ${ms(p99(beside))} ms`,
    holds: p99(attacked) <= most * p99(beside) && Math.min(beside.times.length, attacked.times.length) >= enough,
    law: `${name}: p99 of ${enough} requests or more is at most ${most} × ${what}`
  },
  {
    found: byCode(attacked.failures),
    holds: failed(attacked) === 0,
    law: `${name}: no request and no import of the ordinary tenant fails`
  },
  {
    found: `${attacked.missing} of ${attacked.missing + attacked.events.length} are missing`,
    holds: attacked.missing === 0,
    law: `${name}: every event of the ordinary tenant is delivered`
  }
]

const columns = ["measured", "requests", "p50", "p99", "×", "import p50", "longest", "event p50", "longest", "failures"]

/** A table of all measurements of a case; the ratio compares p99 with the first measurement. */
export const table = (figures: Readonly<Record<string, Figures>>) => {
  const [first] = Object.values(figures)
  if (first === undefined) return []
  const rows = Object.entries(figures).map(([name, one]) => [
    name,
    `${one.times.length}`,
    ms(percentile(one.times, 0.5)),
    ms(p99(one)),
    (p99(one) / p99(first)).toFixed(1),
    ms(percentile(one.imports, 0.5)),
    ms(percentile(one.imports, 1)),
    ms(percentile(one.events, 0.5)),
    ms(percentile(one.events, 1)),
    byCode(one.failures)
  ])
  return [columns, columns.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`)
}
