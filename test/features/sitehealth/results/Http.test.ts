import { describe, expect } from "bun:test"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import { suite } from "../../../harness.ts"
import * as Server from "../../../server.ts"
import { customerOf, html, site } from "../crawled.ts"

const it = suite(Server.layer)

const small = site({
  "/": html("Start", '<a href="/a">a</a> <a href="/b">b</a> <a href="/gone">gone</a>'),
  "/a": html("A", '<a href="/">back</a>'),
  "/b": html("B", '<a href="/">back</a>')
})

describe("the result of a crawl", () => {
  it("is read in parts that together equal the whole", function* () {
    const { url } = yield* small
    const { run, send } = yield* customerOf(url)
    const { id, result } = yield* run()
    const walk = (path: string) =>
      Effect.gen(function* () {
        const seen: Array<unknown> = []
        let next = path
        for (;;) {
          const { body } = yield* send("GET", next)
          seen.push(...body.data)
          if (!body.meta.has_next) return seen
          next = body.links.next.slice(body.links.next.indexOf("/api/v1") + "/api/v1".length)
        }
      })
    expect(yield* walk(`/runs/${id}/pages?limit=3`)).toEqual(result.pages)
    expect(yield* walk(`/runs/${id}/findings?limit=40`)).toEqual(result.findings)
    const failing = result.findings.filter(({ status }: { status: string }) => status === "fail")
    expect(yield* walk(`/runs/${id}/findings?status=fail&limit=2`)).toEqual(failing)
    const [critical] = yield* walk(`/runs/${id}/findings?status=fail&severity=critical&rule=broken_link`)
    expect(critical).toMatchObject({ pages: [url], rule: "broken_link" })
  })

  it("is a report for people when it is requested with the key", function* () {
    const { url } = yield* small
    const { run, send } = yield* customerOf(url)
    const { id } = yield* run()
    const reply = yield* send("GET", `/runs/${id}/report`)
    expect(reply.headers.get("content-type")).toBe("text/html; charset=utf-8")
    // The page has styles and its own script, which the policy of other responses would block.
    expect(reply.headers.get("content-security-policy")).toContain("style-src 'unsafe-inline'; script-src 'sha256-")
    expect(reply.body).toContain("Broken link")
    expect((yield* Server.send("GET", `/api/v1/runs/${id}/report`)).status).toBe(401)
  })

  it("is not found for other accounts, or before the crawl has a result", function* () {
    const { url } = yield* small
    const { run, send } = yield* customerOf(url)
    const { id } = yield* run()
    const stranger = yield* Server.customer()
    for (const part of ["pages", "findings", "report"]) {
      const path = `/api/v1/runs/${id}/${part}`
      expect((yield* Server.send("GET", path, { key: stranger.key })).body.error.code).toBe("not_found")
    }
    const { body } = yield* send("POST", `/projects/${(yield* run()).project_id}/site-health/runs`, { max_pages: 7 })
    yield* send("POST", `/runs/${body.data.id}/cancel`)
    const refused = yield* send("GET", `/runs/${body.data.id}/pages`)
    expect([refused.status, refused.body.error.code]).toEqual([409, "conflict"])
    expect(refused.body.error.message).toContain("cancelled")
  })

  it("refuses unsuitable filters and cursors", function* () {
    const { url } = yield* small
    const { run, send } = yield* customerOf(url)
    const { id } = yield* run()
    const { body } = yield* send("GET", `/runs/${id}/findings?limit=1`)
    const code = (query: string) =>
      Effect.map(send("GET", `/runs/${id}/findings?${query}`), ({ body }) => body.error.code)
    expect(yield* code("status=broken")).toBe("validation_error")
    expect(yield* code(`status=fail&cursor=${body.meta.next_cursor}`)).toBe("invalid_cursor")
  })
})

describe("a caller who prefers to wait", () => {
  it("gets the crawl when it has ended", function* () {
    const { url } = yield* small
    const { project, send } = yield* customerOf(url)
    const started = yield* send("POST", `/projects/${project.id}/site-health/runs`, {}, { prefer: "wait=20" })
    expect([started.status, started.body.data.status]).toEqual([202, "completed"])
    expect(started.headers.get("preference-applied")).toBe("wait=20")
  })

  it("gets its current state after the wait, and immediately with a malformed preference", function* () {
    const { account, key } = yield* Server.customer()
    const project = yield* Server.projectOf(account)
    const { body } = yield* Server.send("POST", `/api/v1/projects/${project.id}/site-health/runs`, { key })
    const read = (prefer: string) => Server.send("GET", `/api/v1/runs/${body.data.id}`, { headers: { prefer }, key })
    const reply = yield* read("respond-async, wait=1")
    expect([reply.body.data.status, reply.headers.get("preference-applied")]).toEqual(["queued", "wait=1"])
    const ignored = yield* read("wait=soon")
    expect(ignored.headers.get("preference-applied")).toBeNull()
  })
})

const linked = site({
  "/": html("Start", '<a href="/a">a</a> <a href="/gone">gone</a>'),
  "/a": html("A", '<a href="/">back</a>')
})

describe("the comparison of two crawls", () => {
  it("is empty for an unchanged site, and otherwise names fixed and new issues", function* () {
    const { pages, url } = yield* linked
    const { account, run, send } = yield* customerOf(url)
    const first = yield* run()
    const alone = yield* send("GET", `/runs/${first.id}/diff`)
    expect([alone.status, alone.body.error?.code]).toEqual([409, "conflict"])

    const second = yield* run()
    const same = (yield* send("GET", `/runs/${second.id}/diff`)).body.data
    expect(same).toMatchObject({ against: first.id, pages: { added: [], changed: [], removed: [] }, run: second.id })
    expect([same.findings.new, same.findings.fixed, same.score.delta]).toEqual([[], [], 0])

    pages["/gone"] = html("Gone no more", '<a href="/">back</a>')
    pages["/a"] = html("A", '<a href="/">back</a> <a href="/lost">lost</a>')
    const third = yield* run()
    const changed = (yield* send("GET", `/runs/${third.id}/diff`)).body.data
    expect(changed.findings.fixed).toContainEqual(expect.objectContaining({ rule: "broken_link", url }))
    expect(changed.findings.new).toContainEqual(expect.objectContaining({ rule: "broken_link", url: `${url}a` }))
    expect(changed.dead_links.fixed).toMatchObject([{ linked_from: url, url: `${url}gone` }])

    const far = (yield* send("GET", `/runs/${third.id}/diff?against=${first.id}`)).body.data
    expect(far.against).toBe(first.id)

    const sql = yield* SqlClient.SqlClient
    const events = yield* sql<{ changes: unknown }>`
      SELECT body::json #> '{data,outcome,changes}' AS changes FROM events
      WHERE account_id = ${account} AND type = 'audit.completed' ORDER BY created_at`
    expect(events.map(({ changes }) => changes)).toEqual([
      null,
      { against: first.id, fixed: 0, new: 0, score_delta: 0 },
      {
        against: second.id,
        fixed: changed.findings.fixed.length,
        new: changed.findings.new.length,
        score_delta: changed.score.delta
      }
    ])
  })

  it("is limited to the caller's own crawls", function* () {
    const { url } = yield* linked
    const [mine, other] = [yield* customerOf(url), yield* customerOf(url)]
    const [own, foreign] = [yield* mine.run(), yield* other.run()]
    const code = (path: string) => Effect.map(mine.send("GET", path), ({ body }) => body.error.code)
    expect(yield* code(`/runs/${foreign.id}/diff?against=${own.id}`)).toBe("not_found")
    expect(yield* code(`/runs/${own.id}/diff?against=${foreign.id}`)).toBe("not_found")
    expect(yield* code(`/runs/${own.id}/diff?against=last`)).toBe("validation_error")
  })
})
