import { describe, expect } from "bun:test"
import * as Effect from "effect/Effect"
import type { MeasuredPage } from "../../../../src/crawl/report/MeasuredPage.ts"
import { suite } from "../../../harness.ts"
import * as Server from "../../../server.ts"
import { customerOf, html, site } from "../crawled.ts"

const it = suite(Server.layer)

const small = site({
  "/": html("Start", '<a href="/a">a</a> <a href="/b">b</a> <a href="/gone">gone</a> <a href="/lost">lost</a>'),
  "/a": html("Zebra", '<a href="/">back</a> <a href="/gone">gone</a>'),
  "/b": html("Apple", '<a href="/">back</a>', '<meta name="robots" content="noindex">')
})

/** A finished crawl, and a function that reads one of its lists as a whole, by default two entries at a time. */
const crawled = Effect.gen(function* () {
  const { url } = yield* small
  const { run, send } = yield* customerOf(url)
  const { id, result } = yield* run()
  const walk = (list: string, query: string, size = 2) =>
    Effect.gen(function* () {
      const seen: Array<Record<string, unknown>> = []
      let next: string | undefined = `/runs/${id}/${list}?limit=${size}&${query}`
      while (next !== undefined) {
        const { body }: Server.Reply = yield* send("GET", next)
        seen.push(...body.data)
        expect(body.meta.total).toBeGreaterThanOrEqual(seen.length)
        next = body.links.next?.slice(body.links.next.indexOf("/runs/"))
      }
      return seen
    })
  return { id, result, send, url, walk }
})

const pathsOf = (rows: ReadonlyArray<Record<string, unknown>>, url: string) =>
  rows.map((row) => `/${String(row.url).slice(url.length)}`)

describe("the pages of a crawl", () => {
  it("are filtered by status, reason, and part of the URL or title in any case", function* () {
    const { url, walk } = yield* crawled
    expect(pathsOf(yield* walk("pages", "state=failed"), url).toSorted()).toEqual(["/gone", "/lost"])
    expect(pathsOf(yield* walk("pages", "reason=noindex_meta"), url)).toEqual(["/b"])
    expect(pathsOf(yield* walk("pages", "q=zEBRA"), url)).toEqual(["/a"])
    expect(pathsOf(yield* walk("pages", "q=/LOST"), url)).toEqual(["/lost"])
    expect(yield* walk("pages", "q=%25")).toEqual([])
  })

  it("are sorted by a field in both directions, missing values last", function* () {
    const { result, url, walk } = yield* crawled
    expect(pathsOf(yield* walk("pages", "sort=title"), url).slice(0, 3)).toEqual(["/b", "/", "/a"])
    expect(pathsOf(yield* walk("pages", "sort=title&order=desc"), url).slice(0, 3)).toEqual(["/a", "/", "/b"])
    const sorts = ["url", "state", "indexability", "http_status", "depth", "words", "response_ms", "linked_from_count"]
    for (const sort of [...sorts, "rendering"])
      for (const order of ["asc", "desc"]) {
        const rows = yield* walk("pages", `sort=${sort}&order=${order}`, 5)
        expect(pathsOf(rows, url).toSorted()).toEqual(
          result.pages.map((page: MeasuredPage) => new URL(page.url).pathname).toSorted()
        )
      }
    const depths = (yield* walk("pages", "sort=depth&order=desc")).map(({ depth }) => depth)
    expect(depths).toEqual(depths.toSorted((a, b) => Number(b) - Number(a)))
  })

  it("refuse unsuitable parameters by name, and cursors of another order", function* () {
    const { id, send } = yield* crawled
    for (const name of ["state", "reason", "sort", "order"]) {
      const { body, status } = yield* send("GET", `/runs/${id}/pages?${name}=nonsense`)
      expect([status, body.error.details[0].path]).toEqual([422, name])
    }
    const { body } = yield* send("GET", `/runs/${id}/pages?limit=1`)
    const other = yield* send("GET", `/runs/${id}/pages?limit=1&sort=url&cursor=${body.meta.next_cursor}`)
    expect(other.body.error.code).toBe("invalid_cursor")
  })
})

describe("the broken links of a crawl", () => {
  it("name each broken URL with its kind and the pages that link to it, as the result does", function* () {
    const { result, walk } = yield* crawled
    const rows = yield* walk("dead-links", "")
    expect(rows).toEqual(
      result.summary.dead_links.items.map((link: Record<string, ReadonlyArray<string>>) => ({
        ...link,
        kind: "internal",
        linked_from_count: link.all_linked_from?.length
      }))
    )
  })

  it("are filtered and sorted", function* () {
    const { url, walk } = yield* crawled
    expect(pathsOf(yield* walk("dead-links", "sort=linked_from_count&order=desc"), url)).toEqual(["/gone", "/lost"])
    expect(pathsOf(yield* walk("dead-links", "sort=url&order=desc&kind=internal"), url)).toEqual(["/lost", "/gone"])
    expect(pathsOf(yield* walk("dead-links", "q=LOST&reason=http_4xx"), url)).toEqual(["/lost"])
    expect(yield* walk("dead-links", "reason=http_5xx")).toEqual([])
    expect(yield* walk("dead-links", "kind=external")).toEqual([])
  })

  it("are exported as a file with the columns of the list", function* () {
    const { id, send } = yield* crawled
    const { body } = yield* send("GET", `/runs/${id}/dead-links?sort=url`, undefined, { accept: "text/csv" })
    const [head, first] = String(body).split("\r\n")
    expect(head).toBe("kind,url,http_status,linked_from,all_linked_from,anchor_text,attempts,linked_from_count")
    expect(first).toContain("/gone,404,")
  })

  it("refuse unsuitable parameters by name, and are not found for other accounts", function* () {
    const { id, send } = yield* crawled
    for (const name of ["kind", "reason", "sort", "order"]) {
      const { body, status } = yield* send("GET", `/runs/${id}/dead-links?${name}=nonsense`)
      expect([status, body.error.details[0].path]).toEqual([422, name])
    }
    const stranger = yield* Server.customer()
    expect((yield* Server.send("GET", `/api/v1/runs/${id}/dead-links`, { key: stranger.key })).status).toBe(404)
  })
})
