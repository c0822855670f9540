import { describe, expect, test } from "bun:test"
import * as FastCheck from "effect/FastCheck"
import type { Finding } from "../../../../src/crawl/report/Finding.ts"
import { batchOf, byUrl, ordered } from "../../../../src/features/sitehealth/results/Results.ts"
import { suite } from "../../../harness.ts"
import * as Server from "../../../server.ts"
import { customerOf, html, site } from "../crawled.ts"

const it = suite(Server.layer)

const small = site({
  "/": html("Start", '<a href="/a">a</a> <a href="/b">b</a> <a href="/gone">gone</a>'),
  "/a": html("Same", '<a href="/">back</a>'),
  "/b": html("Same", '<a href="/">back</a>')
})

const weights: Readonly<Record<string, number>> = { critical: 0, info: 2, warning: 1 }

describe("the issues of a crawl", () => {
  it("have one row for each check and failing URL, and a total", function* () {
    const { url } = yield* small
    const { run, send } = yield* customerOf(url)
    const { id, result } = yield* run()
    const wanted = result.findings.flatMap(({ pages, rule }: Finding) => pages.map((page) => `${rule} ${page}`))
    const seen: Array<string> = []
    let next: string | undefined = `/runs/${id}/findings?rows=url&limit=2`
    while (next !== undefined) {
      const { body }: Server.Reply = yield* send("GET", next)
      expect(body.meta.total).toBe(wanted.length)
      for (const row of body.data) {
        expect(Object.keys(row)).toEqual(["rule", "category", "severity", "url", "detail"])
        seen.push(`${row.rule} ${row.url}`)
      }
      next = body.links.next?.slice(body.links.next.indexOf("/runs/"))
    }
    expect(seen).toEqual(wanted)
  })

  it("are found by a literal part of their URLs, in any case", function* () {
    const { url } = yield* small
    const { run, send } = yield* customerOf(url)
    const { id } = yield* run()
    const { body: rows } = yield* send("GET", `/runs/${id}/findings?rows=url&url=%2FGONE`)
    expect(rows.data.map(({ rule }: Finding) => rule)).toEqual(["page_client_error"])
    const { body: whole } = yield* send("GET", `/runs/${id}/findings?url=%2Fb&rule=title_duplicate`)
    expect([whole.meta.total, whole.data[0].pages]).toEqual([1, [`${url}a`, `${url}b`]])
    for (const part of ["_", "%25", "nowhere"])
      expect((yield* send("GET", `/runs/${id}/findings?rows=url&url=${part}`)).body).toMatchObject({
        data: [],
        meta: { has_next: false, total: 0 }
      })
  })

  it("are sorted by severity on request, worst first", function* () {
    const { url } = yield* small
    const { run, send } = yield* customerOf(url)
    const { id } = yield* run()
    const { body } = yield* send("GET", `/runs/${id}/findings?rows=url&sort=severity&limit=100`)
    const severities = body.data.map(({ severity }: Finding) => weights[severity])
    expect(severities).toEqual(severities.toSorted())
    expect(new Set(severities).size).toBeGreaterThan(1)
  })

  it("are sorted by score impact on request, those that cost most first", function* () {
    const { url } = yield* small
    const { run, send } = yield* customerOf(url)
    const { id, result } = yield* run()
    const points = new Map<string, number>(
      result.score.breakdown.lost.map(({ points, rule }: { readonly points: number; readonly rule: string }) => [
        rule,
        points
      ])
    )
    const { body } = yield* send("GET", `/runs/${id}/findings?status=fail&sort=impact&limit=100`)
    const impacts = body.data.map(({ rule }: Finding) => points.get(rule) ?? 0)
    expect(impacts).toEqual(impacts.toSorted((a: number, b: number) => b - a))
    expect(new Set(impacts).size).toBeGreaterThan(2)
    const { body: again } = yield* send("GET", `/runs/${id}/findings?rows=url&status=fail&sort=impact&limit=1`)
    expect(again.data[0].rule).toBe(body.data[0].rule)
  })

  it("are exported with the columns of the rows", function* () {
    const { url } = yield* small
    const { run, send } = yield* customerOf(url)
    const { id } = yield* run()
    const path = `/runs/${id}/findings?rows=url&rule=title_duplicate`
    const { body } = yield* send("GET", path, undefined, { accept: "text/csv" })
    expect(body.split("\r\n").map((line: string) => line.split(",").slice(0, 4).join())).toEqual([
      "rule,category,severity,url",
      `title_duplicate,content,warning,${url}a`,
      `title_duplicate,content,warning,${url}b`,
      ""
    ])
  })

  it("refuse unsuitable parameters, and cursors of another list", function* () {
    const { url } = yield* small
    const { run, send } = yield* customerOf(url)
    const { id } = yield* run()
    for (const name of ["rows", "sort"]) {
      const { body, status } = yield* send("GET", `/runs/${id}/findings?${name}=page`)
      expect([status, body.error.details[0].path]).toEqual([422, name])
    }
    const { body } = yield* send("GET", `/runs/${id}/findings?limit=1&rows=url`)
    const cursor = body.meta.next_cursor
    for (const query of ["", "&rows=url&url=a", "&rows=url&sort=severity"])
      expect((yield* send("GET", `/runs/${id}/findings?cursor=${cursor}${query}`)).body.error.code).toBe(
        "invalid_cursor"
      )
  })
})

describe("a fix directive", () => {
  it("is read by its id, as in the list", function* () {
    const { url } = yield* small
    const { run, send } = yield* customerOf(url)
    const { id } = yield* run()
    const { body } = yield* send("GET", `/runs/${id}/fixes`)
    for (const fix of body.data) expect((yield* send("GET", `/runs/${id}/fixes/${fix.id}`)).body.data).toEqual(fix)
  })

  it("is not found for a passed check, and not for other accounts", function* () {
    const { url } = yield* small
    const { run, send } = yield* customerOf(url)
    const { id } = yield* run()
    for (const fix of ["fix_https_missing_anywhere", "broken_link", "fix_"])
      expect((yield* send("GET", `/runs/${id}/fixes/${fix}`)).body.error.code).toBe("not_found")
    const stranger = yield* Server.customer()
    const { status } = yield* Server.send("GET", `/api/v1/runs/${id}/fixes/fix_broken_link`, { key: stranger.key })
    expect(status).toBe(404)
  })
})

const findings = FastCheck.array(
  FastCheck.record({
    rule: FastCheck.constantFrom("a", "b", "c", "d"),
    category: FastCheck.constant("content" as const),
    severity: FastCheck.constantFrom("critical" as const, "warning" as const, "info" as const),
    status: FastCheck.constantFrom("pass" as const, "fail" as const, "not_assessed" as const),
    pages: FastCheck.array(FastCheck.webUrl(), { maxLength: 5 })
  }).map(
    ({ pages, status, ...rest }): Finding => ({
      ...rest,
      status,
      pages: status === "fail" ? pages : [],
      count: status === "fail" ? pages.length : 0,
      evidence: { assessed: 0, items: [], reason: null },
      effort: null,
      charged_by: null
    })
  ),
  { maxLength: 12 }
)

describe("a list of issues, for every result", () => {
  test("keeps all issues in any order", () => {
    FastCheck.assert(
      FastCheck.property(findings, FastCheck.constantFrom("severity" as const, "impact" as const), (all, sort) => {
        const sorted = ordered(all, { sort }, new Map([["b", 2]]))
        expect(new Set(sorted)).toEqual(new Set(all))
        expect(sorted).toHaveLength(all.length)
        const failing = sorted.filter(({ status }) => status === "fail")
        expect(sorted.slice(0, failing.length)).toEqual(failing)
      })
    )
  })

  test("is split by a part of a URL into rows with it and rows without it", () => {
    FastCheck.assert(
      FastCheck.property(findings, FastCheck.string({ maxLength: 3 }), (all, url) => {
        const rows = byUrl(all, { url }, new Map())
        const others = byUrl(all, {}, new Map()).filter((row) => !row.url.toLowerCase().includes(url.toLowerCase()))
        expect(rows.length + others.length).toBe(byUrl(all, {}, new Map()).length)
      })
    )
  })

  test("consists of its pages", () => {
    FastCheck.assert(
      FastCheck.property(findings, FastCheck.integer({ min: 1, max: 5 }), (all, count) => {
        const rows = byUrl(all, { sort: "severity" }, new Map())
        const read = (after: ReadonlyArray<string> | undefined): ReadonlyArray<unknown> => {
          const batch = batchOf(rows, { after, count })
          const last = batch.at(-1)
          return last === undefined ? [] : [...batch.map(({ entry }) => entry), ...read([last.place])]
        }
        expect(read(undefined)).toEqual(rows)
      })
    )
  })
})
