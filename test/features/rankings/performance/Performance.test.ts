import { describe, expect } from "bun:test"
import * as Effect from "effect/Effect"
import { suite } from "../../../harness.ts"
import * as Server from "../../../server.ts"
import { csv, importInto, layer, owner } from "../storing.ts"

const it = suite(layer)

interface Row {
  readonly data_date: string
  readonly url: string
  readonly query: string | null
  readonly country: string
  readonly device: string
  readonly impressions: number
  readonly clicks: number
  readonly sum_position: number
}

const days = ["2026-10-01", "2026-10-02", "2026-10-08", "2026-10-09"]

/** Rows of the bulk export by a fixed rule: all numbers differ, every third query is anonymized. */
const rows: ReadonlyArray<Row> = Array.from({ length: 240 }, (_, n) => ({
  clicks: n % 4,
  country: n % 5 === 0 ? "fra" : "deu",
  data_date: days[n % 4] ?? "",
  device: n % 3 === 0 ? "DESKTOP" : "MOBILE",
  impressions: 10 + n,
  query: n % 3 === 1 ? null : `q${n % 7}`,
  sum_position: (10 + n) * (n % 11),
  url: `https://example.com/${n % 6}`
}))

const ndjson = (all: ReadonlyArray<object>) => all.map((row) => `${JSON.stringify(row)}\n`).join("")

/** The site table counts fewer impressions than the url table: several pages of one search are one impression of the property. */
const property = rows
  .filter((_, n) => Math.floor(n / 4) % 2 === 0)
  .map(({ sum_position, url: _, ...row }) => ({ ...row, sum_top_position: sum_position }))

interface Listed {
  readonly key: string
  readonly clicks: number
  readonly ctr: number
  readonly impressions: number
  readonly position: number
  readonly previous?: { readonly clicks: number } | null
}

interface Sums {
  impressions: number
  clicks: number
  top: number
}

/** An independent sum by a key, in the order of the response. */
const grouped = <A extends { impressions: number; clicks: number }>(
  all: ReadonlyArray<A>,
  keyOf: (row: A) => string,
  top: (row: A) => number
) => {
  const found = new Map<string, Sums>()
  for (const row of all) {
    const sums = found.get(keyOf(row)) ?? { clicks: 0, impressions: 0, top: 0 }
    found.set(keyOf(row), {
      clicks: sums.clicks + row.clicks,
      impressions: sums.impressions + row.impressions,
      top: sums.top + top(row) + row.impressions
    })
  }
  return [...found]
    .map(([key, { clicks, impressions, top }]) => ({
      clicks,
      ctr: clicks / impressions,
      impressions,
      key,
      position: top / impressions
    }))
    .sort((a, b) => b.impressions - a.impressions || b.clicks - a.clicks || (a.key < b.key ? -1 : 1))
}

const added = (all: ReadonlyArray<{ impressions: number; clicks: number }>) => ({
  clicks: all.reduce((sum, { clicks }) => sum + clicks, 0),
  impressions: all.reduce((sum, { impressions }) => sum + impressions, 0)
})

const urlSum = ({ sum_position }: Row) => sum_position
const siteSum = ({ sum_top_position }: { sum_top_position: number }) => sum_top_position

const furnished = Effect.tap(owner, ({ site }) =>
  importInto(site, "bigquery", [{ text: ndjson(rows) }, { text: ndjson(property) }])
)

const ask = (key: string, path: string, parameters: Record<string, string> = {}) =>
  Server.send("GET", `/api/v1${path}?${new URLSearchParams(parameters)}`, { key })

describe("search performance", () => {
  it("equals an independent sum of the rows, by each dimension", function* () {
    const { key, site } = yield* furnished
    const table = (parameters: Record<string, string>) =>
      Effect.map(ask(key, `/projects/${site}/performance`, { limit: "100", ...parameters }), ({ body }) => body)
    const told = rows.filter(({ query }) => query !== null)

    const byDevice = yield* table({ by: "device" })
    expect(byDevice.data).toEqual(grouped(property, ({ device }) => device, siteSum))
    expect(byDevice.meta).toMatchObject({ totals: added(property), totals_source: "property" })
    expect((yield* table({ by: "country", device: "mobile" })).data).toEqual(
      grouped(
        property.filter(({ device }) => device === "MOBILE"),
        ({ country }) => country,
        siteSum
      )
    )
    expect((yield* table({ by: "page" })).data).toEqual(grouped(rows, ({ url }) => new URL(url).pathname, urlSum))
    const byQuery = yield* table({ by: "query", country: "deu" })
    const german = ({ country }: Row) => country === "deu"
    expect(byQuery.data).toEqual(grouped(told.filter(german), ({ query }) => query ?? "", urlSum))
    const [all, some] = [added(property.filter(({ country }) => country === "deu")), added(told.filter(german))]
    expect(byQuery.meta.anonymised).toEqual({
      clicks: Math.max(0, all.clicks - some.clicks),
      impressions: Math.max(0, all.impressions - some.impressions)
    })
    const ofPage = yield* table({ by: "device", page_path: "/3" })
    const third = rows.filter(({ url }) => url.endsWith("/3"))
    expect(ofPage.data).toEqual(grouped(third, ({ device }) => device, urlSum))
    expect(ofPage.meta).toMatchObject({ totals: added(third), totals_source: "pages" })
    const byDate = yield* table({ by: "date", end: "2026-10-08", start: "2026-10-01" })
    expect(byDate.data.map(({ key }: { key: string }) => key)).toEqual(["2026-10-01", "2026-10-02", "2026-10-08"])
    const first = property.filter(({ data_date }) => data_date === "2026-10-01")
    expect(byDate.data[0]).toEqual(grouped(first, ({ data_date }) => data_date, siteSum)[0] ?? byDate.data[0])
  })

  it("is paged in order, and a walk ends when its data change", function* () {
    const { key, site } = yield* furnished
    const whole = yield* ask(key, `/projects/${site}/performance`, { by: "query", limit: "100" })
    const seen: Array<unknown> = []
    let path: string | undefined = `/api/v1/projects/${site}/performance?by=query&limit=3`
    let cursor: string | undefined
    while (path !== undefined) {
      const { body }: Server.Reply = yield* Server.send("GET", path, { key })
      seen.push(...body.data)
      cursor ??= body.meta.next_cursor
      path = body.links.next
    }
    expect(seen).toEqual(whole.body.data)
    const second = () => ask(key, `/projects/${site}/performance`, { by: "query", cursor: cursor ?? "", limit: "3" })
    yield* importInto(site, "gsc-csv", [{ text: csv("2026-10-10,new,/,0,9,2") }])
    // A day later than the walk's data does not affect it.
    expect((yield* second()).body.data).toEqual(whole.body.data.slice(3, 6))
    yield* importInto(site, "gsc-csv", [{ text: csv("2026-10-02,another,/,0,9,2") }])
    const reply = yield* second()
    expect([reply.status, reply.body.error.code]).toEqual([422, "invalid_cursor"])
  })

  it("is empty for a site without data, is not found for a foreign site, and names wrong parameters", function* () {
    const { key, site } = yield* owner
    const { site: foreign } = yield* furnished
    const empty = yield* ask(key, `/projects/${site}/performance`)
    expect(empty.body).toMatchObject({ data: [], meta: { has_next: false, totals: null, totals_source: null } })
    for (const path of ["performance", "cannibalisation"]) {
      expect((yield* ask(key, `/projects/${foreign}/${path}`)).status).toBe(404)
    }
    const wrong: ReadonlyArray<Record<string, string>> = [
      { by: "hour" },
      { start: "01.10.2026" },
      { end: "2026-10-01", start: "2026-10-02" },
      { end: "2026-10-01", start: "2020-10-02" }
    ]
    for (const parameters of wrong) {
      const reply = yield* ask(key, `/projects/${site}/performance`, parameters)
      expect([reply.status, reply.body.error.code]).toEqual([422, "validation_error"])
      expect(Object.keys(parameters)).toContain(reply.body.error.details[0].path)
    }
  })
})

describe("search performance in another order, of some queries, or beside another period", () => {
  const range = { end: "2026-10-09", start: "2026-10-08" }
  const before = { end: "2026-10-07", start: "2026-10-06" }
  const walk = (key: string, path: string) =>
    Effect.gen(function* () {
      const seen: Array<Listed> = []
      for (let next: string | undefined = path; next !== undefined; ) {
        const { body, status }: Server.Reply = yield* Server.send("GET", next, { key })
        expect(status).toBe(200)
        seen.push(...body.data)
        next = body.links.next
      }
      return seen
    })
  const urlOf = (site: string, parameters: Record<string, string>) =>
    `/api/v1/projects/${site}/performance?${new URLSearchParams(parameters)}`

  it("is a walk through the whole list in every order, with its keys once each", function* () {
    const { account, site } = yield* furnished
    const sorts = ["impressions", "clicks", "ctr", "position"] as const
    for (const by of ["query", "page", "country"] as const)
      for (const sort of sorts)
        for (const order of ["asc", "desc"] as const) {
          const key = yield* Server.keyWith(account, ["*"])
          const whole = yield* ask(key, `/projects/${site}/performance`, { by, limit: "100", order, sort })
          const values = whole.body.data.map((row: Listed) => row[sort])
          expect(values).toEqual(values.toSorted((a: number, b: number) => (order === "asc" ? a - b : b - a)))
          const usual = yield* ask(key, `/projects/${site}/performance`, { by, limit: "100" })
          expect(new Set(whole.body.data.map(({ key }: Listed) => key))).toEqual(
            new Set(usual.body.data.map(({ key }: Listed) => key))
          )
          expect(yield* walk(key, urlOf(site, { by, limit: "3", order, sort }))).toEqual(whole.body.data)
        }
    const key = yield* Server.keyWith(account, ["*"])
    const days = yield* ask(key, `/projects/${site}/performance`, { order: "desc" })
    expect(days.body.data.map(({ key }: Listed) => key)).toEqual(
      days.body.data
        .map(({ key }: Listed) => key)
        .toSorted()
        .toReversed()
    )
  })

  it("has in `previous` what the same request of the other period lists, and its totals", function* () {
    const { account, site } = yield* furnished
    const early = { end: "2026-10-02", start: "2026-10-01" }
    // The period before 8–9 October has one day with data, so the data of 1–2 October are imported again five days later.
    yield* importInto(site, "bigquery", [
      { text: ndjson(rows.filter((_, n) => n % 3 !== 2).map((row) => ({ ...row, data_date: "2026-10-06" }))) }
    ])
    expect(early).not.toEqual(before)
    for (const by of ["query", "page", "device", "country", "date"]) {
      const key = yield* Server.keyWith(account, ["*"])
      for (const filter of [{}, { device: "MOBILE" }, { page_path: "/3" }, { query: "q2" }, { query_contains: "Q" }]) {
        const table = (parameters: Record<string, string>) =>
          ask(key, `/projects/${site}/performance`, { by, limit: "100", ...filter, ...parameters })
        const now = yield* table({ ...range, compare: "previous" })
        const then = yield* table(before)
        const known = new Map<string, unknown>(then.body.data.map(({ key, ...numbers }: Listed) => [key, numbers]))
        const place = (day: string) => (by === "date" ? (day === "2026-10-08" ? "2026-10-06" : "2026-10-07") : day)
        for (const { key, previous } of now.body.data) expect(previous).toEqual(known.get(place(key)) ?? null)
        expect(now.body.meta.period).toEqual(range)
        expect(now.body.meta.previous).toEqual({ period: before, totals: then.body.meta.totals })
      }
    }
    const key = yield* Server.keyWith(account, ["*"])
    const year = yield* ask(key, `/projects/${site}/performance`, { ...range, by: "query", compare: "year" })
    expect(year.body.meta.previous.period).toEqual({ end: "2025-10-10", start: "2025-10-09" })
    expect(year.body.data.every(({ previous }: Listed) => previous === null)).toBe(true)
  })

  it("is by change a walk through the rows of either period, the greatest loss first", function* () {
    const { account, key, site } = yield* owner
    const lines = ["2026-10-01,gone,/,9,90,2", "2026-10-01,less,/,8,50,3", "2026-10-02,less,/,5,50,4"]
    yield* importInto(site, "gsc-csv", [
      { text: csv(...lines, "2026-10-02,new,/,3,30,1", "2026-10-02,same,/,2,20,9", "2026-10-01,same,/,2,20,8") }
    ])
    const asked = { by: "query", compare: "previous", end: "2026-10-02", start: "2026-10-02" }
    const losses = yield* ask(key, `/projects/${site}/performance`, { ...asked, order: "asc", sort: "clicks_change" })
    const changes = losses.body.data.map(({ clicks, key, previous }: Listed) => [key, clicks - (previous?.clicks ?? 0)])
    expect(changes).toEqual([
      ["gone", -9],
      ["less", -3],
      ["same", 0],
      ["new", 3]
    ])
    expect(losses.body.data[0]).toEqual({
      clicks: 0,
      ctr: 0,
      impressions: 0,
      key: "gone",
      position: null,
      previous: { clicks: 9, ctr: 0.1, impressions: 90, position: 2 }
    })
    for (const sort of ["clicks_change", "impressions_change", "position_change"])
      for (const order of ["asc", "desc"]) {
        const key = yield* Server.keyWith(account, ["*"])
        const whole = yield* ask(key, `/projects/${site}/performance`, { ...asked, order, sort })
        expect(whole.body.data).toHaveLength(4)
        expect(yield* walk(key, urlOf(site, { ...asked, limit: "1", order, sort }))).toEqual(whole.body.data)
      }
    const moved = yield* ask(key, `/projects/${site}/performance`, { ...asked, sort: "position_change" })
    expect(moved.body.data.map(({ key }: Listed) => key).slice(0, 2)).toEqual(["less", "same"])
  })

  it("of a query, or of queries with a text, adds up to its totals by every dimension", function* () {
    const { key, site } = yield* furnished
    const filters = [
      [{ query: "q2" }, (query: string) => query === "q2"],
      [{ query: "q2", query_contains: "Q" }, (query: string) => query === "q2"],
      [{ query_contains: "Q" }, () => true],
      [{ query_contains: "3" }, (query: string) => query.includes("3")]
    ] as const
    for (const [filter, isMeant] of filters) {
      const meant = rows.filter(({ query }) => query !== null && isMeant(query))
      for (const by of ["query", "page", "device", "country", "date"]) {
        const { body } = yield* ask(key, `/projects/${site}/performance`, { by, limit: "100", ...filter })
        expect(added(body.data)).toEqual(added(meant))
        expect(body.meta).toMatchObject({ totals: added(meant), totals_source: "queries" })
        if (by === "page") expect(body.data).toEqual(grouped(meant, ({ url }) => new URL(url).pathname, urlSum))
        if (by === "query") expect(body.data).toEqual(grouped(meant, ({ query }) => query ?? "", urlSum))
      }
    }
    for (const filter of [{ query_contains: "absent" }, { query: "q2", query_contains: "q3" }]) {
      const none = yield* ask(key, `/projects/${site}/performance`, { by: "query", ...filter })
      expect(none.body).toMatchObject({ data: [], meta: { totals: { clicks: 0, impressions: 0, position: null } } })
    }
  })

  it("names parameters that do not fit together", function* () {
    const { key, site } = yield* furnished
    const wrong: ReadonlyArray<readonly [string, Record<string, string>]> = [
      ["sort", { by: "query", sort: "clicks_change" }],
      ["sort", { sort: "name" }],
      ["order", { order: "up" }],
      ["compare", { compare: "month" }],
      ["query", { query: "" }]
    ]
    for (const [path, parameters] of wrong) {
      const { body, status } = yield* ask(key, `/projects/${site}/performance`, parameters)
      expect([status, body.error.details[0].path]).toEqual([422, path])
    }
  })

  it("is an export with the column `previous` only beside another period", function* () {
    const { key, site } = yield* furnished
    const head = (parameters: Record<string, string>) =>
      Effect.map(
        Server.send("GET", urlOf(site, { by: "query", ...parameters }), { headers: { accept: "text/csv" }, key }),
        ({ body }) => String(body).split("\r\n")[0]
      )
    expect(yield* head({ sort: "clicks" })).toBe("key,impressions,clicks,ctr,position")
    expect(yield* head({ compare: "previous" })).toBe("key,impressions,clicks,ctr,position,previous")
  })
})

describe("a keyword", () => {
  it("has the same fields as in the list, and its days add up to the record", function* () {
    const { key, site } = yield* furnished
    const { body: list } = yield* ask(key, "/keywords", { limit: "100", site_id: site })
    expect(list.data.length).toBeGreaterThan(20)
    for (const record of list.data.slice(0, 5)) {
      const { body } = yield* ask(key, `/keywords/${record.id}`)
      expect(body.data).toEqual(record)
      const series = yield* ask(key, `/keywords/${record.id}/series`, record.period)
      expect(series.body.data.map(({ date }: { date: string }) => date)).toEqual(["2026-10-08", "2026-10-09"])
      expect(added(series.body.data)).toEqual({ clicks: record.clicks, impressions: record.impressions })
      const unseen = series.body.data.find(({ impressions }: Sums) => impressions === 0)
      if (unseen !== undefined) expect(unseen).toMatchObject({ clicks: 0, ctr: 0, position: null })
    }
    expect((yield* ask(key, `/keywords/${list.data[0].id}/series`)).body.data).toHaveLength(4)
  })

  it("is not found by another account, or by an unknown id", function* () {
    const { key } = yield* owner
    const other = yield* furnished
    const { body } = yield* ask(other.key, "/keywords")
    for (const id of [body.data[0].id, "kw_1", `kw_${"a".repeat(32)}`]) {
      for (const path of [`/keywords/${id}`, `/keywords/${id}/series`]) {
        const reply = yield* ask(key, path)
        expect([reply.status, reply.body.error.code]).toEqual([404, "not_found"])
      }
    }
  })
})

it("cannibalization lists queries that several pages share, by the impressions outside of the largest page", function* () {
  const { key, site } = yield* owner
  const lines = [
    "a,/1,1,60,2",
    "a,/2,2,30,4",
    "a,/3,0,5,9",
    "b,/1,0,100,1",
    "b,/2,0,100,2",
    "c,/1,0,95,1",
    "c,/2,0,9,1"
  ]
  yield* importInto(site, "gsc-csv", [
    { text: csv(...lines.map((line) => `2026-10-01,${line}`), "2026-09-01,c,/2,0,500,1") }
  ])
  const { body } = yield* ask(key, `/projects/${site}/cannibalisation`)
  expect(body.data).toEqual([
    {
      clicks: 0,
      impressions: 200,
      pages: [
        { clicks: 0, impressions: 100, page_path: "/1", position: 1, share: 0.5 },
        { clicks: 0, impressions: 100, page_path: "/2", position: 2, share: 0.5 }
      ],
      query: "b"
    },
    {
      clicks: 3,
      impressions: 95,
      pages: [
        { clicks: 1, impressions: 60, page_path: "/1", position: 2, share: 60 / 95 },
        { clicks: 2, impressions: 30, page_path: "/2", position: 4, share: 30 / 95 }
      ],
      query: "a"
    }
  ])
})

describe("the summary of rankings", () => {
  const read = (key: string, site: string) => ask(key, `/projects/${site}/rankings/summary`)

  it("counts the records of the list by status, and has the site totals of both windows", function* () {
    const { key, site } = yield* furnished
    const { body } = yield* read(key, site)
    const list = yield* ask(key, "/keywords", { limit: "100" })
    const counted: Record<string, number> = { climbing: 0, dropping: 0, lost: 0, new: 0, stable: 0 }
    for (const { ranking_status } of list.body.data) counted[ranking_status] = (counted[ranking_status] ?? 0) + 1
    const of = (first: string, last: string) =>
      added(property.filter(({ data_date }) => first <= data_date && data_date <= last))
    expect(body.data).toEqual({
      ...counted,
      coverage: list.body.meta.coverage[0],
      current: of("2026-10-03", "2026-10-09"),
      previous: of("2026-09-26", "2026-10-02"),
      totals_source: "property"
    })
  })

  it("uses page totals where site totals are unknown, and never query totals", function* () {
    const [pages, queries] = [yield* owner, yield* owner]
    yield* importInto(pages.site, "bigquery", [{ text: ndjson(rows) }])
    expect((yield* read(pages.key, pages.site)).body.data).toMatchObject({
      current: added(rows.filter(({ data_date }) => data_date >= "2026-10-03")),
      totals_source: "pages"
    })
    yield* importInto(queries.site, "gsc-csv", [{ text: csv("2026-10-09,hat,https://example.com/,1,10,3") }])
    expect((yield* read(queries.key, queries.site)).body.data).toMatchObject({
      current: null,
      new: 1,
      previous: null,
      totals_source: null
    })
  })

  it("is empty before there are data, and not found for another account", function* () {
    const { key, site } = yield* owner
    expect((yield* read(key, site)).body.data).toEqual({
      climbing: 0,
      coverage: null,
      current: null,
      dropping: 0,
      lost: 0,
      new: 0,
      previous: null,
      stable: 0,
      totals_source: null
    })
    const { key: stranger } = yield* Server.customer()
    expect((yield* read(stranger, site)).status).toBe(404)
  })
})
