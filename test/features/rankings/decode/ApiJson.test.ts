import { expect, test } from "bun:test"
import * as Either from "effect/Either"
import * as fc from "fast-check"
import { decode, facts, refusal, rowsOf } from "../decoding.ts"

const row = (keys: ReadonlyArray<string>, clicks: number, impressions: number, position: number) => ({
  keys,
  clicks,
  impressions,
  ctr: clicks / impressions,
  position
})

const page = "https://www.example.com/welcome?x=1#y"
const answer = {
  rows: [
    row(["2026-10-01", "welcome sequence", page], 6, 40, 8),
    row(["2026-10-02", 'curly } brace "{', page], 0, 3, 10 / 3)
  ],
  responseAggregationType: "byPage",
  metadata: { first_incomplete_date: "2026-10-03" }
}
const expected = [
  { date: "2026-10-01", query: "welcome sequence", page: "/welcome?x=1", impressions: 40, clicks: 6, sumTop: 320 },
  { date: "2026-10-02", query: 'curly } brace "{', page: "/welcome?x=1", impressions: 3, clicks: 0, sumTop: 10 }
]

const one = JSON.stringify(answer)
const pretty = JSON.stringify(answer, null, 2)
const empty = JSON.stringify({ responseAggregationType: "byPage" })

test.each([
  ["one document", one, 1],
  ["one document over many lines", pretty, 1],
  ["one document per line", `${one}\n${empty}\n${one}\n`, 2],
  ["concatenated documents", `${pretty}${empty}\n\n${pretty}`, 2],
  ["an array of documents", `[${one}, ${empty},\n${pretty}]`, 2],
  ["responses without data", `${empty}\n{}`, 0],
  ["a byte order mark", `\uFEFF${one}`, 1]
])("%s", (_, text, times) => {
  for (const piece of [1, 7, 65536]) {
    expect(rowsOf("gsc-api", text, {}, piece).map(facts)).toEqual(Array.from({ length: times }, () => expected).flat())
  }
})

const named = ({ keys: [date, query, page], ...numbers }: ReturnType<typeof row>) => ({ date, query, page, ...numbers })
const rowsOfAnswer = answer.rows.map((one) => JSON.stringify(one))
const namedRows = answer.rows.map((one) => JSON.stringify(named(one)))

test.each([
  ["an array of rows", `[${rowsOfAnswer.join(",\n")}]`],
  ["one row per line", rowsOfAnswer.join("\n")],
  ["an array of rows with names", JSON.stringify(answer.rows.map(named), null, 1)],
  ["one row with names per line", namedRows.join("\n")],
  ["a response with rows with names", JSON.stringify({ rows: answer.rows.map(named) })],
  ["rows with their numbers first", JSON.stringify(answer.rows.map(({ keys, ...numbers }) => ({ ...numbers, keys })))]
])("%s", (_, text) => {
  for (const piece of [1, 7, 65536]) expect(rowsOf("gsc-api", text, {}, piece).map(facts)).toEqual(expected)
})

test("rows with named dimensions have the level of these dimensions", () => {
  const of = (value: object, options = {}) =>
    rowsOf("gsc-api", JSON.stringify([{ ...value, clicks: 1, impressions: 10, position: 2 }]), options).map(
      ({ country, date, device, page, query, table }) => [table.level, date, query, page, country, device]
    )
  expect(of({ date: "2026-10-01" })).toEqual([["property", "2026-10-01", null, null, null, null]])
  expect(of({ date: "2026-10-01", page, device: "MOBILE" })).toEqual([
    ["pages", "2026-10-01", null, "/welcome?x=1", null, "MOBILE"]
  ])
  expect(of({ query: "a", page, country: "deu" }, { date: "2026-10-02" })).toEqual([
    ["queries", "2026-10-02", "a", "/welcome?x=1", "deu", null]
  ])
})

test.each([
  [[{ query: "a", page }], "the dimension date is missing. Request the data by date, query and page"],
  [[{ date: "2026-10-01", query: "a" }], "the dimension page is missing"],
  [[{ date: "2026-10-01", searchAppearance: "AMP" }], "API responses by search appearance cannot be imported"],
  [[{ date: "2026-10-01", page }, { date: "2026-10-01" }], "a row has date where rows before it have date, page"],
  [
    [{ date: "2026-10-01" }, { keys: ["2026-10-01", "a", page] }],
    "this row has keys, but earlier rows have named dimensions"
  ],
  [[{ keys: ["2026-10-01", "a", page] }, { date: "2026-10-01" }], "this row has no keys"],
  [[{ date: 20261001 }], "a dimension is not a text"],
  [[{ date: "2026-10-01", brand: "yes" }], 'the member "brand" is unknown'],
  [[{ date: "2026-10-01", searchType: "smell" }], 'searchType "smell" is not a search type']
])("%#: rows with unsuitable dimensions are refused", (rows, reason) => {
  const text = rows.map((one) => JSON.stringify({ clicks: 1, ...one, impressions: 10, position: 2 })).join("\n")
  expect(refusal("gsc-api", text)).toContain(reason)
})

test.each([["searchType"], ["search_type"], ["type"]])(
  "rows of other search types than web are skipped and counted: %s",
  (name) => {
    const rows = [{ [name]: "IMAGE" }, { [name]: "web" }, { [name]: "discover" }, { [name]: null }].map((one) => ({
      ...one,
      date: "2026-10-01",
      clicks: 1,
      impressions: 10,
      position: 2
    }))
    const found = Either.getOrThrow(decode("gsc-api", JSON.stringify(rows)))
    expect(found.dropped.otherSearchType).toBe(2)
    expect(found.rows).toHaveLength(2)
  }
)

test("positions are ratios of integers, and their sums are restored exactly", () => {
  const whole = fc.integer({ min: 1, max: 2_000_000 })
  fc.assert(
    fc.property(whole, fc.integer({ min: 0, max: 200 }), (impressions, extra) => {
      const sumTop = impressions + extra * 3
      const text = JSON.stringify({ rows: [row(["2026-10-01", "q", "/p"], 0, impressions, sumTop / impressions)] })
      expect(rowsOf("gsc-api", text).map((found) => found.sumTop)).toEqual([sumTop])
    })
  )
})

test("dimensions may be in another order, and there may be more of them", () => {
  const text = JSON.stringify({
    rows: [row(["mobile", page, "welcome", "deu"], 6, 40, 8), row(["mobile", page, "welcome", "fra"], 1, 2, 8)]
  })
  const rows = rowsOf("gsc-api", text, { dimensions: ["device", "page", "query", "country"], date: "2026-10-01" })
  expect(rows.map(facts)).toMatchObject([
    { date: "2026-10-01", query: "welcome", impressions: 40 },
    { date: "2026-10-01", query: "welcome", impressions: 2 }
  ])
  expect(rows.map(({ country, device }) => [country, device])).toEqual([
    ["deu", "MOBILE"],
    ["fra", "MOBILE"]
  ])
})

const good = row(["2026-10-01", "a", page], 1, 10, 2)

test.each([
  [{ ...good, clicks: 1.5 }, "clicks must be a whole number"],
  [{ ...good, impressions: 10.5 }, "impressions must be a whole number"],
  [{ ...good, impressions: "10" }, "not numbers"],
  [{ ...good, clicks: 11 }, "11 clicks are more than 10 impressions"],
  [{ ...good, clicks: -1 }, "clicks must be a whole number"],
  [{ ...good, position: 0.2 }, "position 0.2 is not a number of at least 1"],
  [{ ...good, position: null }, "position null"],
  [{ ...good, position: undefined }, "position undefined"],
  [{ ...good, keys: ["2026-10-01", "a"] }, "2 keys where the dimensions are date, query, page"],
  [{ ...good, keys: ["2026-10-01", "a", 5] }, "keys must be an array of texts"],
  [{ ...good, keys: ["today", "a", page] }, '"today" is not a date'],
  [{ ...good, keys: ["2026-10-01", "a", "https://other.org/"] }, "not on the site's host"]
])("%#: a bad row is refused with its line", (bad, reason) => {
  const text = `{"rows":[\n${JSON.stringify(good)},\n${JSON.stringify(bad)}\n]}`
  const message = refusal("gsc-api", text)
  expect(message).toStartWith("file:3: ")
  expect(message).toContain(reason)
})

test.each([
  ['{"rows":[{"keys":["2026-10-01","a","/a"],"clicks":1', "ends in the middle of a value"],
  ['{"rows":[}', "has no opening bracket"],
  ['{"rows":[]]}', "has no opening bracket"],
  ['{"rows":[1,2]}', "rows must be an array of objects"],
  ['{"rows":{"a":1}}', "rows must be an array of objects"],
  ['{"rows":[] "x":1}', "not JSON"],
  ['{"rows":[{"keys":[}]}', "not JSON"],
  ["hello", 'unexpected "hel'],
  ['"hello"', "unexpected"],
  ['{"hello":1}', "not a response of the Search Console API"],
  ["[[1]]", "not a response of the Search Console API"],
  ['{"error":{"code":403,"message":"No permission."}}', "an error of the API, not data: No permission."],
  [JSON.stringify({ ...answer, responseAggregationType: "byProperty" }), "aggregated by property"]
])("%s is refused", (text, reason) => {
  for (const piece of [1, 65536]) {
    const message = refusal("gsc-api", text, {}, piece)
    expect(message).toStartWith("file:1: ")
    expect(message).toContain(reason)
  }
})

test("totals of pages and of the property are distinguished", () => {
  const of = (dimensions: ReadonlyArray<string>, ...keys: ReadonlyArray<string>) =>
    rowsOf("gsc-api", JSON.stringify({ responseAggregationType: "byProperty", rows: [row(keys, 1, 10, 2)] }), {
      dimensions
    }).map(({ country, device, page, query, table }) => [table.level, query, page, country, device])
  expect(of(["date", "country", "device"], "2026-10-01", "deu", "MOBILE")).toEqual([
    ["property", null, null, "deu", "MOBILE"]
  ])
  const pages = JSON.stringify({ rows: [row(["2026-10-01", page], 1, 10, 2)] })
  expect(rowsOf("gsc-api", pages, { dimensions: ["date", "page"] })).toMatchObject([
    { page: "/welcome?x=1", query: null, table: { level: "pages" } }
  ])
})

test.each([
  [["date", "query"], "the dimension page is missing. Request the data by date, query and page"],
  [["query", "page"], "the dimension date is missing. Request the data by date, query and page"],
  [["date", "query", "page", "week"], "the dimension week cannot be imported"],
  [["searchAppearance"], "API responses by search appearance cannot be imported. Use a bulk export"]
])("the dimensions %p are refused", (dimensions, reason) => {
  expect(refusal("gsc-api", one, { dimensions })).toBe(`file: ${reason}`)
})

test("a file without a response is refused", () => {
  expect(refusal("gsc-api", " \n")).toBe("file: the file is empty: it has no API response")
})

test("arrays and objects nested deeper than 64 levels are refused anywhere, even if they never end", () => {
  const tooDeep = "file:1: a value has more than 64 nested arrays and objects"
  const nested = (depth: number) => "[".repeat(depth) + "]".repeat(depth)
  expect(refusal("gsc-api", `{"metadata":${nested(63)}}`)).toMatchObject({ rows: [] })
  expect(refusal("gsc-api", `{"metadata":${nested(64)}}`)).toBe(tooDeep)
  expect(refusal("gsc-api", `{"rows":${"[".repeat(100)}`)).toBe(tooDeep)
  expect(refusal("gsc-api", `{"rows":[{"keys":${nested(62)}}]}`)).toBe(tooDeep)
  expect(refusal("gsc-api", `{"rows":[${'{"a":'.repeat(100)}`)).toBe(tooDeep)
  expect(refusal("bigquery", `{"data_date":${nested(100)}}`)).toBe(tooDeep)
})
