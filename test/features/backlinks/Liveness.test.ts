import { describe, expect } from "bun:test"
import * as SqlClient from "@effect/sql/SqlClient"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ImportsWorker from "../../../src/features/backlinks/Importing.ts"
import * as ChecksWorker from "../../../src/features/backlinks/Rounds.ts"
import { suite } from "../../harness.ts"
import { promptly } from "../../promptly.ts"
import * as Server from "../../server.ts"
import { until } from "../../waiting.ts"
import { type Answer, hosts, html, link, page, site } from "./hosts.ts"
import { linked } from "./linking.ts"

const timing = { backoff: 20, confirmAfter: 20, idleTimeout: 1500, pageDeadline: 2000, robotsDeadline: 2000 }

const settings = { ...Server.settings, FINDABLE_BACKLINK_PAUSE: "30 millis" }
const configured = Layer.setConfigProvider(ConfigProvider.fromMap(new Map(Object.entries(settings))))

const it = suite(
  Layer.mergeAll(ImportsWorker.layer, ChecksWorker.layerWith(timing)).pipe(
    Layer.provide(configured),
    Layer.provideMerge(Server.layer),
    promptly
  ),
  { timeout: 60_000 }
)

// biome-ignore lint/suspicious/noExplicitAny: responses are asserted, not typed
type Link = any

/** A site with some hosts that link to it, and checks of their pages. */
const watched = (answers: Record<number, Answer>, authority = 78) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const net = yield* hosts
    for (const [number, answer] of Object.entries(answers)) net.answer(Number(number), answer)
    const owner = yield* linked(site)
    const { get, imported, post, project } = owner
    const numbers = Object.keys(answers).map(Number)
    const rows = (of: ReadonlyArray<number>) => of.map((number) => `${net.url(number, "/page")},${authority}`)
    const report = (of = numbers) => imported(["url,authority", ...rows(of)].join("\n"))
    const links = Effect.map(get("?limit=100"), ({ body }): ReadonlyArray<Link> => body.data)
    const free = until(
      sql<{ busy: boolean; failures: number; wait: number }>`
        SELECT lease IS NOT NULL OR next_at <= clock_timestamp() AS busy, failures,
          extract(epoch FROM next_at - clock_timestamp())::float8 / 3600 AS wait FROM backlink_sites WHERE id = ${project}`,
      ([row]) => row?.busy === false,
      "50 millis"
    )
    /** Checks all pages again, a number of days after the previous check. */
    const look = (days = 0) =>
      Effect.gen(function* () {
        yield* sql`UPDATE backlinks SET due_at = clock_timestamp(), last_live_at = last_live_at - ${days} * interval '1 day',
          gone_since = gone_since - ${days} * interval '1 day' WHERE project_id = ${project}`
        yield* post("/check")
        yield* free
        return yield* links
      })
    const of = (number: number) =>
      Effect.map(links, (all) => all.find(({ source_domain }) => source_domain === `127.0.0.${number}`))
    const losses = Effect.map(
      sql<{
        body: string
      }>`SELECT body FROM events WHERE account_id = ${owner.account} AND type = 'backlink.lost' ORDER BY id`,
      (rows) => rows.map(({ body }) => JSON.parse(body).data)
    )
    return { ...owner, free, links, look, losses, net, of, report, sql }
  })

/** Responses that change from check to check, except for robots.txt. */
const inTurn = (...answers: ReadonlyArray<() => Response>): { answer: Answer; next: () => void } => {
  let turn = 0
  return { answer: () => answers[turn]?.() ?? new Response("", { status: 500 }), next: () => void turn++ }
}

const gone = () => new Response("gone", { status: 404 })
const live = () => page(link())

describe("a check of a linking page", () => {
  const challenge = () =>
    html('<script src="/cdn-cgi/challenge-platform/h/b"></script>', {
      status: 403,
      headers: { "cf-mitigated": "challenge" }
    })
  const cases: ReadonlyArray<readonly [what: string, answer: Answer, found: object]> = [
    [
      "with a link to the site",
      live,
      { http_status: 200, rel: [], state: "live", target_url: `${site}/x`, anchor_text: "Shop" }
    ],
    [
      "with a link to a subdomain",
      () => page('<a href="//blog.shop.example/y">b</a>'),
      { state: "live", target_url: "http://blog.shop.example/y" }
    ],
    [
      "with NoFollow in capitals, twice",
      () => page(link("NoFollow nofollow NOOPENER")),
      { rel: ["nofollow"], state: "live" }
    ],
    [
      "with three rel values",
      () => page(link("sponsored\n ugc\tnofollow")),
      { rel: ["nofollow", "ugc", "sponsored"], state: "live" }
    ],
    ["with an image map", () => page(`<map><area href="${site}/"></map>`), { state: "live" }],
    [
      "redirecting to a page with the link",
      (path) => (path === "/page" ? Response.redirect("/new", 301) : live()),
      { state: "live" }
    ],
    [
      "redirecting to the site itself",
      () => new Response("", { headers: { location: `${site}/home` }, status: 302 }),
      { state: "live" }
    ],
    ["with status 404", gone, { http_status: 404, reason: null, state: "page_gone" }],
    ["with status 410", () => new Response("", { status: 410 }), { http_status: 410, state: "page_gone" }],
    [
      "without the link",
      () => page('<a href="http://other.example/shop.example">x</a>'),
      { http_status: 200, state: "link_removed" }
    ],
    ["with its link in a comment", () => page(`<!-- ${link()} -->`), { state: "link_removed" }],
    [
      "redirecting to a page without the link",
      (path) => (path === "/page" ? Response.redirect("/new", 302) : page("")),
      { state: "redirected" }
    ],
    [
      "refreshing to another page",
      (path) => (path === "/page" ? html('<meta http-equiv="refresh" content="0; url=/new">') : page("")),
      { state: "redirected" }
    ],
    ["with a bot challenge", challenge, { http_status: 403, reason: "bot_challenge", state: "blocked" }],
    [
      "with a bot challenge and status 200",
      () => html('<script src="/_Incapsula_Resource?x=1"></script>'),
      { reason: "bot_challenge", state: "blocked" }
    ],
    ["behind a password", () => new Response("", { status: 401 }), { reason: "refused", state: "blocked" }],
    ["with status 451", () => new Response("", { status: 451 }), { reason: "refused", state: "blocked" }],
    ["with status 429", () => new Response("", { status: 429 }), { reason: "rate_limited", state: "blocked" }],
    ["with status 503", () => new Response("", { status: 503 }), { reason: "server_error", state: "unknown" }],
    [
      "with status 500",
      () => new Response("", { status: 500 }),
      { http_status: 500, reason: "server_error", state: "unknown" }
    ],
    [
      "blocked by robots.txt",
      (path) =>
        path === "/robots.txt"
          ? new Response("User-agent: *\nDisallow: /", { headers: { "content-type": "text/plain" } })
          : live(),
      { http_status: null, reason: "robots", state: "unknown" }
    ],
    [
      "rendered by scripts",
      () => html('<div id="app"></div><script src="/app.js"></script>'),
      { reason: "needs_javascript", state: "unknown" }
    ],
    ["too large", () => page("<p>x</p>".repeat(400_000)), { reason: "too_large", state: "unknown" }],
    [
      "not HTML",
      () => new Response("%PDF", { headers: { "content-type": "application/pdf" } }),
      { reason: "not_html", state: "unknown" }
    ],
    ["redirecting to itself", () => Response.redirect("/page", 302), { reason: "redirects", state: "unknown" }],
    [
      "without a response",
      () => new Response(new ReadableStream({ start: () => {} })),
      { reason: "no_answer", state: "unknown" }
    ]
  ]
  it("reports its result for every kind of page", function* () {
    const { free, links, report } = yield* watched(Object.fromEntries(cases.map(([, answer], at) => [at + 10, answer])))
    yield* report()
    yield* free
    const found = new Map((yield* links).map((one) => [one.source_domain, one]))
    for (const [at, [what, , wanted]] of cases.entries())
      expect([what, found.get(`127.0.0.${at + 10}`)]).toMatchObject([what, wanted])
  })

  it("covers many hosts, in several rounds", function* () {
    const many = Object.fromEntries(
      Array.from({ length: 90 }, (_, at): [number, Answer] => [at + 10, at % 3 === 0 ? gone : live])
    )
    const { free, links, net, report } = yield* watched(many)
    yield* report()
    yield* until(
      Effect.zipRight(free, links),
      (all) => all.every(({ checked_at }) => checked_at !== null),
      "100 millis"
    )
    expect((yield* links).filter(({ state }) => state === "live")).toHaveLength(60)
    expect(new Set(net.asked.map(({ host }) => host)).size).toBe(90)
  })

  it("is due again in a month, in a week for high authority, and immediately on request", function* () {
    const days = (authority: number) =>
      Effect.gen(function* () {
        const { free, links, net, post, report, sql } = yield* watched({ 10: live }, authority)
        yield* report()
        yield* free
        const [one] = yield* links
        const [row] = yield* sql<{ days: number }>`
          SELECT round(extract(epoch FROM due_at - checked_at) / 86400)::int AS days FROM backlinks WHERE id = ${one.id}`
        const before = net.asked.length
        const asked = yield* post(`/${one.id}/check`)
        expect([asked.status, asked.body.data]).toEqual([202, { due: 1 }])
        yield* until(links, ([now]) => now.checked_at !== one.checked_at, "50 millis")
        expect(net.asked.length).toBeGreaterThan(before)
        expect((yield* post("/0192f0c4-7a57-7c3e-9d1b-5f2f8f6f0a11/check")).status).toBe(404)
        return row?.days
      })
    expect(yield* days(59)).toBe(30)
    expect(yield* days(60)).toBe(7)
  })
})

const listening = (data: (socket: { readonly end: (text: string) => unknown }) => void) =>
  Effect.acquireRelease(
    Effect.sync(() => Bun.listen({ hostname: "0.0.0.0", port: 0, socket: { data } })),
    (server) => Effect.sync(() => server.stop(true))
  )

describe("a check without a response", () => {
  it("does not give the reason, so that ports of a server cannot be scanned", function* () {
    const silent = yield* listening(() => {})
    const shell = yield* listening((socket) => socket.end("SSH-2.0-OpenSSH_9.9\r\n"))
    const closed = yield* listening((socket) => socket.end(""))
    const { free, imported, links, net, project, sql } = yield* watched({
      10: () => Response.redirect(`http://127.0.0.20:${shell.port}/page`),
      11: live
    })
    const pages = [silent, shell, closed].map(({ port }, at) => `http://127.0.0.${30 + at}:${port}/page`)
    const others = ["http://127.0.0.33:22/page", "http://127.0.0.34:2/page", "http://nowhere.invalid/page"]
    yield* imported(["url", net.url(10, "/page"), ...pages, ...others].join("\n"))
    yield* free
    // More than half of its hosts fail, so nothing of that round counts, and few are requested at a time.
    yield* sql`UPDATE backlink_sites SET failures = 3 WHERE id = ${project}`
    yield* until(
      Effect.zipRight(
        sql`UPDATE backlink_sites SET next_at = least(next_at, clock_timestamp()) WHERE id = ${project} AND lease IS NULL`,
        links
      ),
      (all) => all.length === 7 && all.every(({ checked_at }) => checked_at !== null),
      "200 millis"
    )
    const found = new Set((yield* links).map(({ http_status, reason, state }) => `${state} ${reason} ${http_status}`))
    expect([...found]).toEqual(["unknown no_answer null"])
  })
})

describe("an account's checks of a day", () => {
  it("end at the plan's limit: further pages wait for the next day, and requested checks are refused until then", function* () {
    const { account, free, links, look, post, report, sql } = yield* watched({ 10: live, 11: live, 12: live })
    yield* sql`UPDATE accounts SET plan = 'free' WHERE id = ${account}`
    yield* sql`INSERT INTO backlink_looks VALUES (${account}, (clock_timestamp() AT TIME ZONE 'UTC')::date, 199)`
    yield* report()
    const [site] = yield* free
    const seen = yield* links
    expect(seen.filter(({ checked_at }) => checked_at !== null)).toHaveLength(1)
    expect(site?.wait).toBeWithin(0, 24.1)
    for (const of of ["/check", `/${seen[0].id}/check`]) {
      const { body, headers, status } = yield* post(of)
      expect([status, body.error.code]).toEqual([429, "quota_exceeded"])
      expect(Number(headers.get("retry-after"))).toBeWithin(1, 86_401)
    }
    expect((yield* post("/0192f0c4-7a57-7c3e-9d1b-5f2f8f6f0a11/check")).status).toBe(404)
    yield* sql`UPDATE backlink_looks SET day = day - 1 WHERE account_id = ${account}`
    expect((yield* look()).every(({ state }) => state === "live")).toBe(true)
  })
})

describe("a backlink", () => {
  it("is lost after two checks a week apart that miss it, which is one event with its details, and may recover", function* () {
    const { answer, next } = inTurn(
      live,
      gone,
      () => page(""),
      () => page(""),
      live
    )
    const { free, get, look, losses, of, report } = yield* watched({ 10: answer })
    yield* report()
    yield* free
    expect(yield* of(10)).toMatchObject({ state: "live" })
    next()
    yield* look()
    expect((yield* of(10)).state).toBe("page_gone")
    expect(yield* losses).toEqual([])
    next()
    yield* look(6)
    expect(yield* losses).toEqual([])
    next()
    yield* look(2)
    expect(yield* losses).toMatchObject([
      {
        authority: 78,
        authority_source: "csv",
        domain: "127.0.0.10",
        links: [
          {
            confirmed_at: expect.any(String),
            source_url: expect.stringContaining("127.0.0.10"),
            state: "link_removed"
          }
        ]
      }
    ])
    expect((yield* get("/domains")).body.data).toMatchObject([{ live_links: 0, lost_at: expect.any(String) }])
    yield* look(9)
    expect(yield* losses).toHaveLength(1)
    next()
    yield* look()
    expect((yield* get("/domains")).body.data).toMatchObject([{ live_links: 1, lost_at: null }])
    const kinds = (yield* get("/changes")).body.data.map(({ kind }: Link) => kind)
    expect(kinds).toEqual(["recovered", "lost", "new"])
  })

  it("is not reported as lost if it was never seen, is blocked, cannot be checked, or has low authority", function* () {
    const blocked = inTurn(live, () => new Response("", { status: 403 }))
    const faulty = inTurn(live, () => new Response("", { status: 500 }))
    const high = yield* watched({ 10: gone, 11: blocked.answer, 12: faulty.answer })
    const small = inTurn(live, gone)
    const low = yield* watched({ 10: small.answer }, 30)
    for (const { free, report } of [high, low]) yield* Effect.zipRight(report(), free)
    for (const { next } of [blocked, faulty, small]) next()
    for (const days of [0, 8, 8]) {
      yield* high.look(days)
      yield* low.look(days)
    }
    expect(yield* high.losses).toEqual([])
    expect((yield* high.get("/changes?kind=lost")).body.data).toEqual([])
    expect(yield* low.losses).toEqual([])
    expect((yield* low.get("/changes?kind=lost")).body.data).toHaveLength(1)
  })

  it("is not reported as a lost domain while another page of the domain links", function* () {
    let isGone = false
    const { free, imported, look, losses, net } = yield* watched({
      10: (path) => (isGone && path !== "/other" ? gone() : live())
    })
    yield* imported(`url,authority\n${net.url(10, "/page")},90\n${net.url(10, "/other")},90\n`)
    yield* free
    isGone = true
    yield* look()
    yield* look(8)
    expect(yield* losses).toEqual([])
  })

  it("stays live when it moves within its page, and changes of its attributes are listed", function* () {
    const { answer, next } = inTurn(
      live,
      () => page(`<footer><p>By ${link("", "/x")}</p></footer>`),
      () => page(link("UGC  nofollow"))
    )
    const { free, get, look, of, report } = yield* watched({ 10: answer })
    yield* report()
    yield* free
    next()
    yield* look()
    expect(yield* of(10)).toMatchObject({ state: "live", target_url: `${site}/x` })
    expect((yield* get("/changes?kind=rel_changed")).body.data).toEqual([])
    next()
    yield* look()
    expect((yield* get("/changes?kind=rel_changed")).body.data).toMatchObject([
      { previous_rel: [], rel: ["nofollow", "ugc"] }
    ])
    expect((yield* get("?rel=ugc&state=live")).body.data).toHaveLength(1)
  })
})

describe("a round of checks", () => {
  const five = { 10: live, 11: live, 12: live, 13: live, 14: live }
  it("during an outage of our own network is discarded and repeated after an hour, or on request", function* () {
    const { free, links, look, net, report } = yield* watched(five)
    yield* report()
    yield* free
    const before = yield* links
    yield* net.down
    yield* look()
    const [state] = yield* free
    expect(state?.failures).toBe(1)
    expect(state?.wait).toBeGreaterThan(0.9)
    expect(yield* links).toEqual(before)
    yield* net.up
    const after = yield* look()
    expect(after.every(({ state }) => state === "live")).toBe(true)
    expect((yield* free)[0]?.failures).toBe(0)
  })

  it("counts with fewer than five hosts, and a dead host is only unknown", function* () {
    const { free, look, losses, net, report } = yield* watched({ 10: live, 11: live })
    yield* report()
    yield* free
    yield* net.down
    yield* look()
    const after = yield* look(8)
    expect(after.map(({ reason, state }) => [state, reason])).toEqual([
      ["unknown", "no_answer"],
      ["unknown", "no_answer"]
    ])
    expect(yield* losses).toEqual([])
  })

  it("with dead hosts does not delay others: after three of them few hosts are requested at a time", function* () {
    const { free, imported, links, net, post, sql, project } = yield* watched({ 10: live, 11: live })
    const dead = Array.from({ length: 8 }, (_, at) => `http://127.0.0.${at + 100}:2/page`)
    yield* imported(["url", net.url(10, "/page"), net.url(11, "/page"), ...dead].join("\n"))
    for (const failures of [1, 2, 3]) {
      expect((yield* free)[0]?.failures).toBe(failures)
      yield* post("/check")
      yield* until(
        sql`SELECT 1 FROM backlink_sites WHERE id = ${project} AND failures <> ${failures}`,
        (rows) => rows.length > 0 || failures === 3
      )
    }
    yield* until(
      Effect.zipRight(
        sql`UPDATE backlink_sites SET next_at = least(next_at, clock_timestamp()) WHERE id = ${project} AND lease IS NULL`,
        links
      ),
      (all) => all.every(({ checked_at }) => checked_at !== null),
      "200 millis"
    )
    expect((yield* links).filter(({ state }) => state === "live")).toHaveLength(2)
  })
})
