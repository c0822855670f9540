/** A site with known opportunities: 84 days of a bulk export, each day equal except for planted changes. */
const first = Date.UTC(2026, 6, 1)
export const days = 84
export const dayAt = (at: number) => new Date(first + at * 86_400_000).toISOString().slice(0, 10)

interface Row {
  readonly data_date: string
  readonly url: string
  readonly query: string
  readonly device: string
  readonly country: string
  readonly search_type: string
  readonly impressions: number
  readonly clicks: number
  readonly sum_position: number
}

/** Clicks of a day that add up to a rate over a week, without chance: the n-th day has the clicks due by then. */
const due = (impressions: number, rate: number, at: number) =>
  Math.floor(impressions * rate * (at + 1)) - Math.floor(impressions * rate * at)

const rateAt = (position: number) => 0.3 / position

/** 60 queries on separate pages at whole positions 1 to 12, one with half its clicks, one declining page, and two pages that alternate. */
export const rows = (): ReadonlyArray<Row> =>
  Array.from({ length: days }, (_, at) => {
    const row = (
      query: string,
      path: string,
      position: number,
      impressions: number,
      clicks: number,
      device = "MOBILE"
    ) => ({
      clicks,
      country: "usa",
      data_date: dayAt(at),
      device,
      impressions,
      query,
      search_type: "WEB",
      sum_position: (position - 1) * impressions,
      url: `https://example.com${path}`
    })
    const isNow = at >= days - 28
    const plain = Array.from({ length: 60 }, (_, n) => {
      const position = 1 + (n % 12)
      const impressions = 60 + n
      return row(
        `query ${n}`,
        `/page-${n}`,
        position,
        impressions,
        due(impressions, rateAt(position), at),
        n % 2 === 0 ? "MOBILE" : "DESKTOP"
      )
    })
    const fades = row("fading", "/fading", 2, 400, due(400, isNow ? 0.04 : 0.15, at))
    const dull = row("acme dull", "/dull", 3, 500, due(500, 0.02, at))
    const turn = at % 2 === 0
    const rivals = [
      row("rivals", "/one", 6, turn ? 60 : 40, due(50, 0.06, at)),
      row("rivals", "/two", 7, turn ? 30 : 50, due(40, 0.01, at))
    ]
    return [...plain, fades, dull, ...rivals]
  }).flat()

export const ndjson = (all: ReadonlyArray<object>) => all.map((row) => `${JSON.stringify(row)}\n`).join("")
