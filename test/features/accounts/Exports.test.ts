import { describe, expect } from "bun:test"
import { parse } from "csv-parse/sync"
import * as Effect from "effect/Effect"
import fc from "fast-check"
import { suite } from "../../harness.ts"
import * as Server from "../../server.ts"
import { csv, importInto, layer, owner } from "../rankings/storing.ts"
import { customerOf, html, site } from "../sitehealth/crawled.ts"

const it = suite(layer)

const csvType = "text/csv"
const ndjsonType = "application/x-ndjson"

const as = (key: string, path: string, accept: string) =>
  Server.send("GET", `/api/v1${path}`, { headers: { accept }, key })

const numbers = /^-?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/

/** A cell as the JSON value it was written from; `text` names the columns with text only. */
const valueOf = (cell: string, isQuoted: boolean, isText: boolean): unknown => {
  if (cell === "" && !isQuoted) return null
  if (isText) return /^'[=+\-@\p{Cc}]/u.test(cell) ? cell.slice(1) : cell
  return numbers.test(cell) || /^(?:true|false)$/.test(cell) ? JSON.parse(cell) : cell
}

const isNested = (value: unknown) => typeof value === "object" && value !== null

/** The cell of a list or an object. */
const textOf = (value: unknown): string => {
  if (value === null) return ""
  if (typeof value === "string") return /^[=+\-@\p{Cc}]/u.test(value) ? `'${value}` : value
  if (Array.isArray(value)) return value.map(textOf).join("; ")
  if (typeof value !== "object") return String(value)
  const fields = Object.entries(Object(value)).filter(([, field]) => field !== null)
  return fields.map(([name, field]) => `${name}: ${textOf(field)}`).join(", ")
}

/** Records as a table, and its columns of lists and objects. */
const flat = (list: ReadonlyArray<unknown>) => ({
  columns: list.flatMap((record) =>
    Object.entries(Object(record)).flatMap(([name, value]) => (isNested(value) ? name : []))
  ),
  rows: list.map((record) =>
    Object.fromEntries(
      Object.entries(Object(record)).map(([name, value]) => [
        name,
        isNested(value) ? valueOf(textOf(value), true, true) : value
      ])
    )
  )
})

const readCsv = (text: string, texts: ReadonlyArray<string> = []): ReadonlyArray<unknown> =>
  parse(text, {
    cast: (value, { column, header, quoting }) =>
      header ? value : valueOf(value, quoting, texts.includes(String(column))),
    columns: true
  })

const readNdjson = (body: unknown): ReadonlyArray<unknown> => {
  // The test helper has already parsed a single line as JSON.
  if (typeof body !== "string") return [body]
  const lines = body.split("\n")
  expect(lines.pop()).toBe("")
  return lines.map((line) => JSON.parse(line))
}

/** All records of a list, page by page. */
const walk = (key: string, path: string) =>
  Effect.gen(function* () {
    const seen: Array<unknown> = []
    let next: string | undefined = `/api/v1${path}`
    while (next !== undefined) {
      const { body, headers }: Server.Reply = yield* Server.send("GET", next, { key })
      expect(headers.get("vary")).toContain("Accept")
      seen.push(...body.data)
      next = body.links.next
    }
    return seen
  })

/** A list is the same in pages, in CSV and in NDJSON, with any `limit`. */
const readsAlike = (key: string, path: string, texts: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const join = path.includes("?") ? "&" : "?"
    const list = yield* walk(key, `${path}${join}limit=100`)
    const table = yield* as(key, `${path}${join}limit=1`, csvType)
    expect([table.status, table.headers.get("content-type")]).toEqual([200, "text/csv; charset=utf-8"])
    expect(table.headers.get("vary")?.split(", ")).toContain("Accept")
    expect(table.headers.get("cache-control")).toBe("no-store")
    const { columns, rows } = flat(list)
    expect(readCsv(table.body, [...texts, ...columns])).toEqual(rows)
    const lines = yield* as(key, `${path}${join}limit=1`, ndjsonType)
    expect([lines.status, lines.headers.get("content-type")]).toEqual([200, ndjsonType])
    expect(readNdjson(lines.body)).toEqual(list)
    return list
  })

// No text begins with an apostrophe before such a character: it would look like the one that CSV adds.
const text = fc.stringMatching(/^[=+@a-c, "-][a-z=+@, '"-]{1,12}$/).map((word) => word.trim())
const words = fc.uniqueArray(
  text.filter((word) => !/^(?:'|$)/.test(word)),
  { maxLength: 40, minLength: 30 }
)

const quoted = (word: string) => `"${word.replaceAll('"', '""')}"`

describe("a complete list", () => {
  it("has the same keywords and performance rows in CSV, in NDJSON and in pages, for any search", function* () {
    for (const queries of fc.sample(words, { numRuns: 3, seed: 7 })) {
      const { key, site } = yield* owner
      const rows = queries.flatMap((query, n) => [
        `2026-10-01,${quoted(query)},/${n},1,${10 + n},${1 + (n % 20)}`,
        `2026-10-08,${quoted(query)},/${n},2,${20 + n},${1 + ((n * 7) % 20)}`
      ])
      yield* importInto(site, "gsc-csv", [{ text: csv(...rows) }])
      const list = yield* readsAlike(key, "/keywords", ["query", "page_path"])
      expect(list).toHaveLength(queries.length)
      yield* readsAlike(key, "/keywords?status=climbing", ["query", "page_path"])
      for (const by of ["date", "query", "page"]) {
        yield* readsAlike(key, `/projects/${site}/performance?by=${by}`, ["key"])
      }
    }
  })

  it("is read in several parts from one snapshot of the data", function* () {
    const { key, site } = yield* owner
    const lines = Array.from({ length: 2500 }, (_, n) => `2026-10-08,q${n},/${n % 9},1,${10 + (n % 50)},3`)
    yield* importInto(site, "gsc-csv", [{ text: csv(...lines) }])
    const { body } = yield* as(key, "/keywords", csvType)
    const queries = readCsv(body, ["query"]).map((row) => Object(row).query)
    expect(new Set(queries).size).toBe(2500)
    expect(queries).toHaveLength(2500)
    expect(body.split("\r\n")[0]).toBe(
      "id,site_id,query,page_path,current_position,previous_position,position_delta,impressions,clicks,ctr,ranking_status,period,recorded_at"
    )
  })

  it("without records has a row of names in CSV, and nothing in NDJSON", function* () {
    const { key, site } = yield* owner
    expect((yield* as(key, `/projects/${site}/performance`, csvType)).body).toBe(
      "key,impressions,clicks,ctr,position\r\n"
    )
    expect((yield* as(key, "/keywords", ndjsonType)).body).toBe("")
  })

  it("accepts no cursor, and is refused for the same reasons as a page", function* () {
    const { key, site } = yield* owner
    const stranger = yield* owner
    for (const type of [csvType, ndjsonType]) {
      const withCursor = yield* as(key, "/keywords?cursor=abc", type)
      expect([withCursor.status, withCursor.body.error.code]).toEqual([422, "validation_error"])
      expect(withCursor.body.error.details[0].path).toBe("cursor")
      const foreign = yield* as(stranger.key, `/projects/${site}/performance`, type)
      expect([foreign.status, foreign.body.error.code]).toEqual([404, "not_found"])
      expect(foreign.headers.get("vary")).toContain("Accept")
      expect((yield* as("fnd_live_none", "/keywords", type)).status).toBe(401)
    }
  })

  it("has the same pages and issues of a crawl as the pages of the list", function* () {
    const { url } = yield* site({
      "/": html("=1+1", '<a href="/a">a</a> <a href="/gone">gone</a>'),
      "/a": html("-A, &quot;quoted&quot;", '<a href="/">back</a>')
    })
    const { key, run } = yield* customerOf(url)
    const { id } = yield* run()
    const pages = yield* readsAlike(key, `/runs/${id}/pages`, ["url", "title", "h1", "canonical_url", "redirect_to"])
    expect(pages.map((page) => Object(page).title)).toContain("=1+1")
    expect((yield* as(key, `/runs/${id}/pages`, csvType)).body).toContain(",'=1+1,")
    expect(
      yield* readsAlike(key, `/runs/${id}/pages?sort=url&order=desc`, [
        "url",
        "title",
        "h1",
        "canonical_url",
        "redirect_to"
      ])
    ).toHaveLength(3)
    expect(yield* readsAlike(key, `/runs/${id}/dead-links`, ["url", "anchor_text"])).toHaveLength(1)
    yield* readsAlike(key, `/runs/${id}/findings`, ["rule"])
    yield* readsAlike(key, `/runs/${id}/findings?status=fail`, ["rule"])
  })
})
