import { expect, test } from "bun:test"
import * as Either from "effect/Either"
import { decode, facts, refusal, rowsOf } from "../decoding.ts"

const good = {
  data_date: "2026-10-01",
  site_url: "sc-domain:example.com",
  url: "https://www.example.com/a",
  query: "shoes, red",
  is_anonymized_query: false,
  is_anonymized_discover: false,
  country: "deu",
  search_type: "WEB",
  device: "MOBILE",
  impressions: 10,
  clicks: 1,
  sum_position: 40
}
type Row = { readonly [field in keyof typeof good]?: string | number | boolean | null }

const ndjson = (...rows: ReadonlyArray<Row>) => rows.map((row) => `${JSON.stringify(row)}\n`).join("")

const csv = (...rows: ReadonlyArray<Row>) =>
  [
    Object.keys(good).join(","),
    ...rows.map((row) =>
      Object.values({ ...good, ...row })
        .map((value) => `"${value ?? ""}"`)
        .join(",")
    ),
    ""
  ].join("\n")

const sums = { date: "2026-10-01", query: "shoes, red", page: "/a", impressions: 10, clicks: 1, sumTop: 50 }

test("positions are zero-based in the export and one-based in the result", () => {
  expect(rowsOf("bigquery", ndjson(good)).map(facts)).toEqual([sums])
})

test("integers may be strings, as in JSON exports, and rows may be in an array", () => {
  const texts = { ...good, impressions: "10", clicks: "1", sum_position: "40" }
  expect(rowsOf("bigquery", ndjson(texts)).map(facts)).toEqual([sums])
  expect(rowsOf("bigquery", JSON.stringify([texts, texts], null, 1), {}, 5).map(facts)).toEqual([sums, sums])
})

test("a day may be an object with a value, as in BigQuery clients", () => {
  const row = { ...good, data_date: { value: "2026-10-01" } }
  expect(rowsOf("bigquery", JSON.stringify([row])).map(facts)).toEqual([sums])
  expect(refusal("bigquery", JSON.stringify([{ ...good, data_date: { value: 5 } }]))).toContain("data_date is not text")
})

test("CSV and JSON of the same rows give the same rows", () => {
  const rows = [good, { ...good, device: "DESKTOP" }, { ...good, url: "http://example.com/a#b" }]
  const lineless = (text: string) => rowsOf("bigquery", text).map(({ line: _, ...row }) => row)
  expect(lineless(csv(...rows))).toEqual(lineless(ndjson(...rows)))
})

test("other search types and other hosts of the domain are skipped and counted, and anonymized queries count for their page", () => {
  const rows = [
    good,
    { ...good, is_anonymized_query: true },
    { ...good, query: "" },
    { ...good, query: null },
    { ...good, search_type: "IMAGE" },
    { ...good, search_type: "DISCOVER", query: null, impressions: null, sum_position: null },
    { ...good, url: "https://blog.example.com/a" }
  ]
  const dropped = { anonymised: 3, otherSearchType: 2, otherHost: 1, noImpressions: 0 }
  for (const text of [ndjson(...rows), csv(...rows)]) {
    const batch = Either.getOrThrow(decode("bigquery", text))
    expect(batch.rows.map(({ page, query }) => [query, page])).toEqual([
      ["shoes, red", "/a"],
      [null, "/a"],
      [null, "/a"],
      [null, "/a"]
    ])
    expect(batch.dropped).toEqual(dropped)
  }
})

test("country, device and flags of search appearance are kept as exported", () => {
  const flagged = { ...good, is_video: true, is_amp_story: false }
  expect(rowsOf("bigquery", `${JSON.stringify(flagged)}\n`)).toMatchObject([
    { appearance: "is_video", country: "deu", device: "MOBILE" }
  ])
  expect(rowsOf("bigquery", ndjson(good))).toMatchObject([{ appearance: null }])
})

test("the site table has the totals of the property, with one-based sums of top positions", () => {
  const { sum_position, url: _, ...row } = good
  const text = `${JSON.stringify({ ...row, sum_top_position: sum_position })}\n`
  expect(rowsOf("bigquery", text)).toMatchObject([
    { country: "deu", impressions: 10, page: null, query: null, sumTop: 50, table: { level: "property" } }
  ])
})

test.each([
  ["impressions with decimals", { impressions: 10.5 }, "impressions must be a whole number"],
  ["negative impressions", { impressions: -1 }, "impressions must be a whole number"],
  ["no impressions", { impressions: null }, "impressions must be a whole number"],
  ["more clicks than impressions", { clicks: 11 }, "11 clicks are more than 10 impressions"],
  ["clicks without a number", { clicks: "NaN" }, "clicks must be a whole number"],
  ["a negative sum", { sum_position: -1 }, "sum_position"],
  ["a sum without a number", { sum_position: "x" }, "sum_position"],
  ["an unknown day", { data_date: "2026-02-29" }, "not a date"],
  ["a foreign host", { url: "https://other.org/" }, "not on the site's host"],
  [
    "a host outside a prefix property",
    { url: "https://blog.example.com/a", site_url: "https://www.example.com/" },
    "not on the site's host"
  ]
])("%s: refused with file and line, in JSON and CSV", (_, bad, reason) => {
  for (const text of [ndjson(good, { ...good, ...bad }), csv(good, bad)]) {
    const message = refusal("bigquery", text)
    expect(message).toStartWith(text.startsWith("{") ? "file:2: " : "file:3: ")
    expect(message).toContain(reason)
  }
})

test.each([
  ["data_date,site_url,query,search_type,clicks,sum_top_position\n", "no field impressions"],
  ["data_date,url,query,impressions,clicks\n", "no field sum_position"]
])("a header of another table is refused: %#", (text, reason) => {
  expect(refusal("bigquery", text)).toContain(`file:1: `)
  expect(refusal("bigquery", text)).toContain(reason)
})

test("JSON without rows is refused", () => {
  expect(refusal("bigquery", '{"a":1}\n')).toContain("file:1: no field data_date")
  expect(refusal("bigquery", `${ndjson(good)}{"data_date":`)).toContain(
    "file:2: the file ends in the middle of a value. Download it again"
  )
  expect(refusal("bigquery", "[1]")).toContain("not rows of a BigQuery bulk export")
})

test("an empty shard of an export holds no rows", () => {
  expect(rowsOf("bigquery", "")).toEqual([])
})
