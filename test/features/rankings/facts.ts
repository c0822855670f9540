import * as fc from "fast-check"
import type * as movementModel from "./movementModel.ts"

/** A row in Search Console, before any format. */
export interface Fact {
  readonly date: string
  readonly query: string
  readonly url: string
  readonly device: string
  readonly impressions: number
  readonly clicks: number
  readonly sumTop: number
}

const fact: fc.Arbitrary<Fact> = fc
  .record({
    date: fc.constantFrom("2026-10-01", "2026-10-02", "2026-10-09"),
    query: fc.constantFrom("shoes", 'red "shoes", new', "schuhe\tgrün", "靴"),
    url: fc.constantFrom(
      "https://example.com/a",
      "http://example.com/a",
      "https://www.example.com/a#b",
      "https://example.com/a?x=1",
      "https://example.com"
    ),
    device: fc.constantFrom("MOBILE", "DESKTOP"),
    impressions: fc.integer({ min: 1, max: 10_000 }),
    share: fc.double({ min: 0, max: 1, noNaN: true }),
    extra: fc.integer({ min: 0, max: 300_000 })
  })
  .map(({ extra, impressions, share, ...dimensions }) => ({
    ...dimensions,
    impressions,
    clicks: Math.floor(impressions * share),
    sumTop: impressions + extra
  }))

/** Rows with unique date, query and URL, as the API and its exports give them. */
const searchFacts = fc.uniqueArray(fact, {
  selector: ({ date, query, url }) => `${date} ${query} ${url}`,
  maxLength: 30
})

/** Rows of the bulk export repeat their dimensions; no two are equal in everything. */
const bulkFacts = fc.uniqueArray(fact, { selector: (row) => JSON.stringify(row), maxLength: 30 })

/** Rows as responses of the API. */
export const api = (facts: ReadonlyArray<Fact>) =>
  JSON.stringify({
    rows: facts.map(({ clicks, date, impressions, query, sumTop, url }) => ({
      keys: [date, query, url],
      clicks,
      impressions,
      ctr: clicks / impressions,
      position: sumTop / impressions
    }))
  })

/** Rows as rows of the bulk export. */
export const bulk = (facts: ReadonlyArray<Fact>) =>
  facts
    .map(({ clicks, date, device, impressions, query, sumTop, url }) => ({
      data_date: date,
      url,
      query,
      device,
      country: "usa",
      search_type: "WEB",
      impressions,
      clicks,
      sum_position: sumTop - impressions
    }))
    .map((row) => `${JSON.stringify(row)}\n`)
    .join("")

const quoted = (text: string | number) => `"${String(text).replaceAll('"', '""')}"`

/** Positions are written in full, so that rounding does not matter. */
const csv = (facts: ReadonlyArray<Fact>) =>
  [
    "Date;Query;Page;Clicks;Impressions;Position",
    ...facts.map(({ clicks, date, impressions, query, sumTop, url }) =>
      [date, query, url, clicks, impressions, String(sumTop / impressions).replace(".", ",")].map(quoted).join(";")
    ),
    ""
  ].join("\r\n")

export const formats = [
  ["gsc-api", api, searchFacts],
  ["gsc-csv", csv, searchFacts],
  ["bigquery", bulk, bulkFacts]
] as const

const pathOf = (url: string) => url.replace(/^https?:\/\/[^/]*/, "").replace(/#.*/, "") || "/"

/** The sums of rows in a range of days, by query and page. */
export const expected = (facts: ReadonlyArray<Fact>, from: string, to: string) => {
  const all = new Map<string, movementModel.Sums>()
  for (const row of facts.filter(({ date }) => date >= from && date <= to)) {
    const place = JSON.stringify([row.query, pathOf(row.url)])
    const sums = all.get(place) ?? { impressions: 0, clicks: 0, sumTop: 0 }
    all.set(place, {
      impressions: sums.impressions + row.impressions,
      clicks: sums.clicks + row.clicks,
      sumTop: sums.sumTop + row.sumTop
    })
  }
  return new Map([...all].sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** Any rows of a format, distributed among five files in any order, with some repeated. */
export const scenario = (facts: fc.Arbitrary<ReadonlyArray<Fact>>) =>
  facts.chain((all) =>
    fc.record({
      all: fc.constant(all),
      files: fc.array(fc.integer({ min: 0, max: 4 }), { minLength: all.length, maxLength: all.length }),
      order: fc.shuffledSubarray([0, 1, 2, 3, 4], { minLength: 5 }),
      repeats: fc.array(fc.integer({ min: 0, max: 4 }), { maxLength: 4 }),
      piece: fc.integer({ min: 1, max: 300 }),
      together: fc.boolean()
    })
  )
