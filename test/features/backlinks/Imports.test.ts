import { describe, expect } from "bun:test"
import * as SqlClient from "@effect/sql/SqlClient"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import * as Worker from "../../../src/features/backlinks/Importing.ts"
import { suite } from "../../harness.ts"
import * as Server from "../../server.ts"
import { linked } from "./linking.ts"

const it = suite(Worker.layer.pipe(Layer.provideMerge(Server.layer)), { timeout: 60_000 })

const ahrefs = [
  "Referring page URL\tDomain rating\tTarget URL\tAnchor\tNofollow",
  "https://news.example.org/a\t78\thttps://example.com/x?a=1\tRead this\ttrue",
  "https://www.blog.example.net/b\t12\thttps://example.com/\tHome\tfalse"
].join("\n")

const latest = "Linking page,Last crawled\nhttps://news.example.org/a,2026-09-28\nhttps://me.github.io/,2026-09-21\n"

describe("an import of backlinks", () => {
  it("is a job that ends with its counts, and lists each page once with all its sources", function* () {
    const { ended, get, post } = yield* linked()
    const queued = yield* post("/imports", ahrefs)
    expect(queued.status).toBe(202)
    expect(queued.headers.get("location")).toEndWith(`/backlinks/imports/${queued.body.data.id}`)
    expect(yield* ended(queued.body.data.id)).toMatchObject({
      domains: 0,
      dropped: { own_host: 0, reported_lost: 0, too_long: 0 },
      error: null,
      format: "auto",
      links: 2,
      lost: [],
      new: 2,
      rows: 2,
      source: "ahrefs",
      status: "completed"
    })
    const second = yield* post("/imports?format=gsc-links", latest)
    expect(yield* ended(second.body.data.id)).toMatchObject({ links: 2, new: 1, source: "gsc-links" })
    const { body } = yield* get()
    const byUrl = new Map(body.data.map((link: { source_url: string }) => [link.source_url, link]))
    expect(byUrl.size).toBe(3)
    const time = expect.stringMatching(/^\d{4}-/)
    expect(byUrl.get("https://news.example.org/a")).toEqual({
      anchor_text: "Read this",
      authority: { as_of: time, scale: "0-100", source: "ahrefs", value: 78 },
      checked_at: null,
      first_seen_at: time,
      http_status: null,
      id: expect.any(String),
      last_live_at: null,
      reason: "not_checked",
      rel: ["nofollow"],
      source_domain: "news.example.org",
      source_url: "https://news.example.org/a",
      sources: [
        { first_reported_at: time, last_reported_at: time, source: "ahrefs" },
        { first_reported_at: time, last_reported_at: time, source: "gsc-links" }
      ],
      state: "unknown",
      target_url: "https://example.com/x?a=1"
    })
    expect(byUrl.get("https://me.github.io/")).toMatchObject({ authority: null, target_url: null })
    expect((yield* get("/imports")).body.data).toHaveLength(2)
  })

  it("changes no time of a page that it does not contain", function* () {
    const { get, imported } = yield* linked()
    yield* imported(latest)
    const before = (yield* get()).body.data
    yield* imported("Linking page\nhttps://news.example.org/a\n")
    const of = (links: ReadonlyArray<{ source_url: string }>, url: string) =>
      links.find((link) => link.source_url === url)
    const after = (yield* get()).body.data
    expect(of(after, "https://me.github.io/")).toEqual(of(before, "https://me.github.io/"))
    expect(of(after, "https://news.example.org/a")).not.toEqual(of(before, "https://news.example.org/a"))
    expect((yield* get("/changes?kind=lost")).body.data).toEqual([])
  })

  it("publishes an event for each of thousands of lost domains, and names the first thousand", function* () {
    const sql = yield* SqlClient.SqlClient
    const { imported, project } = yield* linked()
    const list = (of: string) =>
      ["domain,authority", ...Array.from({ length: 2500 }, (_, n) => `${of}${10_000 + n}.example,70`)].join("\n")
    /** Moves all imports into the past by a number of days. */
    const age = (days: number) =>
      Effect.all([
        sql`UPDATE backlink_lists SET taken_at = taken_at - ${days} * interval '1 day' WHERE project_id = ${project}`,
        sql`UPDATE backlink_domains SET last_listed_at = last_listed_at - ${days} * interval '1 day' WHERE project_id = ${project}`
      ])
    yield* imported(list("gone"))
    yield* age(10)
    yield* imported(list("here"))
    yield* age(10)
    const { lost } = yield* imported(list("here"))
    expect([lost.length, lost[0], lost.at(-1)]).toEqual([1000, "gone10000.example", "gone10999.example"])
    expect(
      yield* sql`
        SELECT (SELECT count(*)::int FROM backlink_domains WHERE project_id = ${project} AND lost_at IS NOT NULL) AS lost,
          (SELECT count(*)::int FROM events e JOIN projects p ON p.account_id = e.account_id
           WHERE p.id = ${project} AND e.type = 'backlink.lost') AS told`
    ).toEqual([{ lost: 2500, told: 2500 }])
  })

  it("reads each lost domain a few times, for any number", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { run } = yield* Worker.Importing
      const { imported, project } = yield* linked()
      const many = 12_000
      const list = (of: string, count: number) =>
        ["domain,authority", ...Array.from({ length: count }, (_, n) => `${of}${n}.example,10`)].join("\n")
      yield* imported(list("gone", many))
      yield* sql`UPDATE backlink_domains SET last_listed_at = last_listed_at - interval '20 days' WHERE project_id = ${project}`
      yield* sql`
        INSERT INTO backlink_lists (project_id, source, taken_at, domains, is_partial)
        SELECT project_id, source, min(last_listed_at) + interval '5 days', ${many}, false FROM backlink_domains WHERE project_id = ${project}
        GROUP BY project_id, source`
      yield* sql`ANALYZE backlink_domains`
      // PostgreSQL adds the session's reads of the last second to those of the transaction.
      yield* sql`SELECT pg_stat_force_next_flush()`
      const read = sql<{ rows: number }>`
        SELECT (seq_tup_read + idx_tup_fetch)::int AS rows FROM pg_stat_xact_user_tables WHERE relname = 'backlink_domains'`
      let rows = Number.POSITIVE_INFINITY
      const count = Effect.map(Effect.orDie(read), ([found]) => {
        rows = found?.rows ?? Number.POSITIVE_INFINITY
      })
      const bytes = Stream.make(new TextEncoder().encode(list("here", many / 2)))
      const { lost } = yield* run({ bytes, format: "auto", project, takenAt: yield* DateTime.now }, () => count)
      expect(lost.length).toBe(1000)
      expect(rows).toBeLessThan(12 * many)
    }).pipe(Effect.provide(Worker.Importing.Default)))

  const wrong: ReadonlyArray<readonly [what: string, file: string, line: number | null, message: string]> = [
    [
      "of internal links alone",
      "Linking page\nhttps://www.example.com/a\nhttps://blog.example.com/\n",
      null,
      "own host"
    ],
    [
      "target pages",
      'Target page,Incoming links,Linking sites\nhttps://a.example/,"2,100",80\n',
      1,
      "without linking pages"
    ],
    ["with a wrong line", "domain,authority\na.example,5\nb.example,x\n", 3, "not an authority"],
    ["without rows", "Linking page\n", null, "no rows"]
  ]
  for (const [what, file, line, message] of wrong)
    it(`${what} fails with the reason, and nothing of it is stored`, function* () {
      const { get, imported } = yield* linked()
      expect(yield* imported(file)).toMatchObject({
        error: { code: "invalid_file", line, message: expect.stringContaining(message) },
        rows: null,
        status: "failed"
      })
      expect((yield* get("/domains")).body.data).toEqual([])
    })

  it("is refused with an unknown format", function* () {
    const { post } = yield* linked()
    const unknown = yield* post("/imports?format=xlsx", latest)
    expect([unknown.status, unknown.body.error.details[0].path]).toEqual([422, "format"])
  })
})

describe("lists of backlinks", () => {
  it("are filtered, read page by page, and exported as files", function* () {
    const { get, imported } = yield* linked()
    yield* imported(ahrefs)
    yield* imported(latest)
    const urls = (query: string) =>
      Effect.map(get(query), ({ body }) => body.data.map((link: { source_url: string }) => link.source_url).sort())
    expect(yield* urls("?rel=nofollow")).toEqual(["https://news.example.org/a"])
    expect(yield* urls("?rel=none")).toEqual(["https://me.github.io/", "https://www.blog.example.net/b"])
    expect(yield* urls("?source=gsc-links")).toEqual(["https://me.github.io/", "https://news.example.org/a"])
    expect(yield* urls("?domain=example.net")).toEqual(["https://www.blog.example.net/b"])
    expect(yield* urls("?domain=www.news.example.org")).toEqual(["https://news.example.org/a"])
    expect(yield* urls("?target_path=/x")).toEqual(["https://news.example.org/a"])
    expect(yield* urls("?target_path=/")).toEqual(["https://www.blog.example.net/b"])
    expect(yield* urls("?state=live")).toEqual([])
    for (const field of ["state", "rel", "source"]) {
      const refused = yield* get(`?${field}=x`)
      expect([refused.status, refused.body.error.details[0].path]).toEqual([422, field])
    }
    const part = yield* get("?limit=2")
    const rest = yield* get(`?limit=2&cursor=${part.body.meta.next_cursor}`)
    expect(new Set([...part.body.data, ...rest.body.data].map(({ id }) => id)).size).toBe(3)
    const file = yield* get("", { accept: "text/csv" })
    expect(String(file.body).trim().split(/\r?\n/)).toHaveLength(4)
  })

  it("count known and reported links of domains, with their authority", function* () {
    const { get, imported } = yield* linked()
    yield* imported(ahrefs)
    yield* imported('Site,Linking pages,Target pages\nnews.example.org,"1,240",1\nsmall.example,3,1\n')
    const { body } = yield* get("/domains")
    expect(body.data).toMatchObject([
      {
        authority: { value: 12 },
        domain: "blog.example.net",
        links: 1,
        live_links: 0,
        lost_at: null,
        reported_links: null
      },
      { authority: { source: "ahrefs", value: 78 }, domain: "news.example.org", links: 1, reported_links: 1240 },
      { authority: null, domain: "small.example", links: 0, live_links: 0, reported_links: 3 }
    ])
    const first = yield* get("/domains?limit=1")
    const next = yield* get(`/domains?limit=2&cursor=${first.body.meta.next_cursor}`)
    expect(next.body.data.map(({ domain }: { domain: string }) => domain)).toEqual([
      "news.example.org",
      "small.example"
    ])
    const lines = yield* get("/domains", { accept: "application/x-ndjson" })
    expect(String(lines.body).trim().split("\n")).toHaveLength(3)
  })

  it("show new links and their time", function* () {
    const { get, imported } = yield* linked()
    yield* imported(latest)
    const { body } = yield* get("/changes?kind=new")
    expect(
      body.data.map(({ kind, source_domain }: { kind: string; source_domain: string }) => [kind, source_domain]).sort()
    ).toEqual([
      ["new", "me.github.io"],
      ["new", "news.example.org"]
    ])
    const since = encodeURIComponent(body.data[0].at)
    yield* imported(ahrefs)
    const newer = yield* get(`/changes?since=${since}`)
    expect(newer.body.data[0]).toMatchObject({
      kind: "new",
      previous_rel: null,
      source_url: "https://www.blog.example.net/b"
    })
    expect((yield* get("/changes?since=yesterday")).status).toBe(422)
  })
})
