import { describe, expect } from "bun:test"
import * as SqlClient from "@effect/sql/SqlClient"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Worker from "../../../src/features/inspections/Worker.ts"
import * as Tokens from "../../../src/features/rankings/searchconsole/Tokens.ts"
import * as UrlInspection from "../../../src/features/rankings/searchconsole/UrlInspection.ts"
import { installationLayer } from "../../../src/foundation/secrets/Cipher.ts"
import { suite } from "../../harness.ts"
import { promptly } from "../../promptly.ts"
import * as Server from "../../server.ts"
import { until } from "../../waiting.ts"
import { authorizedUser, type FakeGoogle, problem, serve } from "../rankings/searchConsole.ts"

/** The Search Console of this suite; each test has its own hosts. */
class Google extends Context.Tag("test/Google")<Google, FakeGoogle>() {}

const configured = Layer.unwrapEffect(
  Effect.map(Google, ({ url }) =>
    Layer.setConfigProvider(
      ConfigProvider.fromMap(
        new Map(
          Object.entries({
            ...Server.settings,
            FINDABLE_GOOGLE_TOKEN_URL: `${url}token`,
            FINDABLE_SEARCH_CONSOLE_URL: url
          })
        )
      )
    )
  )
)

const it = suite(
  Layer.mergeAll(installationLayer, UrlInspection.layer, Tokens.layer).pipe(
    Layer.provide(configured),
    Layer.provideMerge(Server.layer),
    Layer.provideMerge(Layer.scoped(Google, serve)),
    promptly
  )
)

/** Worker processes, until the scope ends. */
const nodes = (count: number) =>
  Effect.gen(function* () {
    const context = yield* Effect.context<Layer.Layer.Context<typeof Worker.layerNoDeps>>()
    const worker = Layer.fresh(Worker.layerNoDeps).pipe(Layer.provide(Layer.succeedContext(context)))
    yield* Effect.replicateEffect(Layer.build(worker), count)
  })

const credentials = JSON.parse(authorizedUser(""))

/** A site connected by its own domain property, or by another one's. */
const connected = (shared?: string) =>
  Effect.gen(function* () {
    const google = yield* Google
    const { account, key } = yield* Server.customer()
    const host = shared ?? `shop-${account.slice(0, 8)}.example`
    const { id: site } = yield* Server.projectOf(account, `https://${host}/`)
    const property = `sc-domain:${host}`
    delete credentials.token_uri
    yield* Server.send("PUT", `/api/v1/projects/${site}/rankings/source`, {
      body: { credentials, every: "off", property },
      key
    })
    const path = `/api/v1/projects/${site}/inspections`
    const url = (name: string) => `https://${host}/${name}`
    const inspect = (body: object, headers: Record<string, string> = {}) =>
      Server.send("POST", path, { body, headers, key })
    const list = (query = "") => Server.send("GET", `${path}${query}`, { key })
    const asked = () => google.inspected.flatMap(({ inspectionUrl: url }) => (url.includes(host) ? [url] : []))
    const ended = until(
      list("?limit=100"),
      ({ body }) => body.data.every(({ status }: { status: string }) => status !== "queued"),
      "100 millis"
    )
    return { account, asked, ended, google, host, inspect, key, list, path, property, site, url }
  })

/** A crawl of the site with results. */
const run = (site: string, pages: ReadonlyArray<object>) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const [row] = yield* sql<{ id: string }>`
      INSERT INTO site_health_runs (account_id, project_id, url, max_pages, check_dead_links, status, phase, finished_at, result)
      SELECT account_id, id, url, 5, false, 'completed', 'finished', clock_timestamp(), ${JSON.stringify({ findings: [], pages })}::json
      FROM projects WHERE id = ${site} RETURNING id`
    return row?.id ?? ""
  })

const page = (url: string, health_state: string, indexability_state: string, fetch_state = "fetched") => ({
  fetch_state,
  health_state,
  indexability_state,
  url
})

describe("a URL inspection", () => {
  it("shows Google's result beside that of the latest crawl, and whether they agree", function* () {
    const { ended, google, inspect, list, property, site, url } = yield* connected()
    const id = yield* run(site, [
      page(url("a"), "eligible", "indexable"),
      page(url("b"), "hidden", "noindex"),
      page(url("c"), "eligible", "indexable"),
      page(url("gone"), "failed", "unknown"),
      page(url("unseen"), "unchecked", "unknown", "not_fetched")
    ])
    google.status.set(url("a"), {
      coverageState: "Submitted and indexed",
      googleCanonical: url("a"),
      indexingState: "INDEXING_ALLOWED",
      lastCrawlTime: "2026-11-20T10:00:00Z",
      newField: { is: "ignored" },
      userCanonical: url("a"),
      verdict: "PASS"
    })
    google.status.set(url("b"), { indexingState: "BLOCKED_BY_META_TAG", verdict: "NEUTRAL" })
    google.status.set(url("c"), { coverageState: "Crawled - currently not indexed", verdict: "FAIL" })
    google.status.set(url("gone"), { verdict: "VERDICT_UNSPECIFIED" })
    const asked = yield* inspect({ from: "run" })
    expect([asked.status, asked.body.data]).toEqual([202, { joined: 0, position_estimate: 0, queued: 3 }])
    yield* inspect({ urls: [url("gone"), url("unseen")] })
    yield* nodes(1)
    const { body } = yield* ended
    const byUrl = new Map(body.data.map((item: { url: string }) => [item.url, item]))
    expect(byUrl.get(url("a"))).toEqual({
      agrees: true,
      changed_at: null,
      coverage_state: "Submitted and indexed",
      error: null,
      google_canonical: url("a"),
      id: expect.any(String),
      indexability_state: "indexable",
      indexing_state: "INDEXING_ALLOWED",
      inspected_at: expect.any(String),
      last_crawl_at: "2026-11-20T10:00:00.000000+00:00",
      run_id: id,
      status: "done",
      url: url("a"),
      user_canonical: url("a"),
      verdict: "PASS"
    })
    expect(byUrl.get(url("b"))).toMatchObject({ agrees: true, indexability_state: "noindex", verdict: "NEUTRAL" })
    expect(byUrl.get(url("c"))).toMatchObject({ agrees: false, verdict: "FAIL" })
    expect(byUrl.get(url("gone"))).toMatchObject({ agrees: null, run_id: id })
    expect(byUrl.get(url("unseen"))).toMatchObject({ agrees: null, indexability_state: null, run_id: null })
    expect(new Set(google.inspected.filter(({ siteUrl }) => siteUrl === property).map(({ token }) => token)).size).toBe(
      1
    )
    expect((yield* list("?verdict=FAIL")).body.data.map(({ url }: { url: string }) => url)).toEqual([url("c")])
    // Another result is a change.
    google.status.set(url("c"), { coverageState: "Submitted and indexed", verdict: "PASS" })
    const since = new Date().toISOString()
    expect((yield* inspect({ urls: [url("a"), url("c")] })).body.data.queued).toBe(2)
    yield* ended
    const changed = yield* list(`?changed_since=${since}`)
    expect(changed.body.data).toMatchObject([{ agrees: true, url: url("c"), verdict: "PASS" }])
  })

  it("is queued once for repeated requests, and read page by page and as a file", function* () {
    const { inspect, key, list, path, url } = yield* connected()
    const urls = ["a", "b", "c", "a"].map(url)
    const first = yield* inspect({ urls }, { "idempotency-key": "inspect-all" })
    expect(first.body.data).toEqual({ joined: 0, position_estimate: 0, queued: 3 })
    expect((yield* inspect({ urls: [...urls, url("d")] })).body.data).toEqual({
      joined: 3,
      position_estimate: 3,
      queued: 1
    })
    const again = yield* inspect({ urls }, { "idempotency-key": "inspect-all" })
    expect([again.status, again.body.data.queued]).toEqual([200, 3])
    const part = yield* list("?limit=3")
    const rest = yield* list(`?limit=3&cursor=${part.body.meta.next_cursor}`)
    expect(new Set([...part.body.data, ...rest.body.data].map(({ url }) => url))).toEqual(new Set([...urls, url("d")]))
    const file = yield* Server.send("GET", path, { headers: { accept: "text/csv" }, key })
    expect(String(file.body).trim().split(/\r?\n/).length).toBe(5)
  })

  const wrong: ReadonlyArray<readonly [what: string, body: object, field: string]> = [
    ["nothing", {}, "urls"],
    ["no URL", { urls: [] }, "urls"],
    ["2,001 URLs", { urls: Array.from({ length: 2001 }, (_, n) => `https://example.com/${n}`) }, "urls"],
    ["a URL of another site", { urls: ["https://example.com/"] }, "urls.0"],
    ["a URL with another scheme", { urls: ["ftp://example.com/"] }, "urls.0"],
    ["URLs and a crawl", { from: "run", urls: ["https://example.com/"] }, "from"],
    ["another source", { from: "sitemap" }, "from"],
    ["an unknown field", { from: "run", force: true }, "force"]
  ]
  for (const [what, body, field] of wrong)
    it(`is refused with ${what}`, function* () {
      const { inspect, list } = yield* connected()
      const { body: refusal, status } = yield* inspect(body)
      expect([status, refusal.error.details?.[0]?.path]).toEqual([422, field])
      expect((yield* list()).body.data).toEqual([])
    })

  it("needs a connection and, for the pages of a crawl, a crawl of the site with results", function* () {
    const one = yield* connected()
    const other = yield* connected()
    const foreign = yield* run(other.site, [])
    expect((yield* one.inspect({ from: "run" })).body.error.code).toBe("conflict")
    expect((yield* one.inspect({ from: "run", run_id: foreign })).status).toBe(404)
    const stranger = yield* Server.send("POST", one.path, { body: { urls: [one.url("a")] }, key: other.key })
    expect(stranger.status).toBe(404)
    expect((yield* Server.send("GET", one.path, { key: other.key })).status).toBe(404)
    yield* Server.send("DELETE", `/api/v1/projects/${one.site}/rankings/source`, { key: one.key })
    const alone = yield* one.inspect({ urls: [one.url("a")] })
    expect([alone.status, alone.body.error.code]).toEqual([409, "conflict"])
  })

  it("ends with the reason if Google refuses, and is retried if Google does not respond", function* () {
    const sql = yield* SqlClient.SqlClient
    const { asked, ended, google, inspect, site, url } = yield* connected()
    google.firstOf.set(url("refused"), [() => problem(400, "badRequest", "Not this URL")])
    google.firstOf.set(url("down"), [
      () => problem(500, "backendError", "Internal error"),
      () => new Response("{"),
      () => new Response("x".repeat(2_000_000))
    ])
    yield* inspect({ urls: [url("refused"), url("down")] })
    yield* nodes(1)
    const waits = (tries: number) =>
      until(
        sql<{ minutes: number }>`SELECT round(extract(epoch FROM due_at - clock_timestamp()) / 60)::int AS minutes
          FROM inspections WHERE project_id = ${site} AND tries = ${tries} AND lease IS NULL`,
        (rows) => rows.length === 1
      )
    for (const [tries, minutes] of [
      [1, 1],
      [2, 5],
      [3, 30]
    ] as const) {
      expect(yield* waits(tries)).toEqual([{ minutes }])
      yield* sql`UPDATE inspections SET due_at = clock_timestamp() WHERE project_id = ${site} AND status = 'queued'`
    }
    const { body } = yield* ended
    expect(body.data.find((item: { url: string }) => item.url === url("refused"))).toMatchObject({
      error: { code: "refused", message: expect.stringContaining("Not this URL") },
      status: "failed"
    })
    expect(body.data.find((item: { url: string }) => item.url === url("down"))).toMatchObject({ status: "done" })
    expect(asked().filter((one) => one === url("down")).length).toBe(4)
  })

  it("stays within the quotas of a property, for all accounts together", function* () {
    const sql = yield* SqlClient.SqlClient
    const one = yield* connected()
    const other = yield* connected(one.host)
    const spend = (of_day: number, of_minute: number) => sql`
      UPDATE inspection_quotas SET of_day = ${of_day}, of_minute = ${of_minute}, minute = date_trunc('minute', clock_timestamp())
      WHERE property = ${one.property}`
    const again = sql`UPDATE inspections SET due_at = clock_timestamp() WHERE status = 'queued'`
    const waits = Effect.map(
      sql<{
        hours: number
      }>`SELECT extract(epoch FROM i.due_at - clock_timestamp())::float8 / 3600 AS hours FROM inspections i
        JOIN ranking_sources s ON s.site_id = i.project_id WHERE property = ${one.property} AND i.status = 'queued' AND i.lease IS NULL
          AND i.due_at > clock_timestamp()`,
      (rows) => rows.map(({ hours }) => hours)
    )
    yield* nodes(2)
    yield* one.inspect({ urls: [one.url("first")] })
    yield* other.inspect({ urls: [other.url("first of the other")] })
    yield* Effect.zipRight(one.ended, other.ended)
    yield* spend(1999, 1)
    yield* Effect.all([one.inspect({ urls: ["a", "b"].map(one.url) }), other.inspect({ urls: [other.url("c")] })], {
      concurrency: "unbounded"
    })
    // One more request of the day is allowed; the other two wait for Google's next day.
    const days = yield* until(waits, (found) => found.length === 2)
    for (const hours of days) expect(hours).toBeWithin(0, 25.1)
    yield* until(Effect.sync(one.asked), (asked) => asked.length >= 3)
    expect(one.asked().length).toBe(3)
    expect(new Set(days.map(Math.round)).size).toBe(1)
    // The quota of a minute uses the database's clock: the test avoids the very end of a minute.
    yield* until(
      sql<{ second: number }>`SELECT extract(second FROM clock_timestamp())::int AS second`,
      ([now]) => (now?.second ?? 60) < 55
    )
    yield* spend(2, 600)
    yield* again
    const minutes = yield* until(waits, (found) => found.length === 2)
    for (const hours of minutes) expect(hours * 60).toBeLessThanOrEqual(1.01)
    expect(one.asked().length).toBe(3)
  })

  it("contains no part of credentials and tokens that Google repeats", function* () {
    const { ended, google, inspect, url } = yield* connected()
    const token = () => google.inspected.at(-1)?.token ?? ""
    google.firstOf.set(url("a"), [
      () =>
        Response.json({
          inspectionResult: { indexStatusResult: { coverageState: `By ${token()}`, verdict: token() } }
        })
    ])
    google.firstOf.set(url("b"), [
      () => problem(400, "badRequest", `Bearer ${token()}, given for ${credentials.refresh_token}`)
    ])
    yield* inspect({ urls: [url("a")] })
    yield* nodes(1)
    yield* ended
    yield* inspect({ urls: [url("b")] })
    expect((yield* ended).body.data).toMatchObject([
      {
        error: {
          message: "Search Console: Bearer [secret], given for [secret]. Check the name of the property and the URL"
        }
      },
      { coverage_state: "By [secret]", verdict: "[secret]" }
    ])
  })

  it("is taken over from a dead server, and ends if the site is disconnected", function* () {
    const sql = yield* SqlClient.SqlClient
    const { ended, inspect, key, site, url } = yield* connected()
    yield* inspect({ urls: [url("a")] })
    yield* sql`UPDATE inspections SET lease = gen_random_uuid(), leased_until = clock_timestamp() - interval '1 second', attempts = 1
      WHERE project_id = ${site}`
    yield* nodes(1)
    expect((yield* ended).body.data).toMatchObject([{ status: "done" }])
    yield* Server.send("DELETE", `/api/v1/projects/${site}/rankings/source`, { key })
    yield* sql`UPDATE inspections SET status = 'queued' WHERE project_id = ${site}`
    expect((yield* ended).body.data).toMatchObject([{ error: { code: "not_connected" }, status: "failed" }])
  })
})

/** The number of requests counted for a property today. */
const counted = (property: string) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.map(
      sql<{ of_day: number }>`SELECT of_day FROM inspection_quotas WHERE property = ${property}`,
      ([row]) => row?.of_day ?? 0
    )
  )

/** Inspections of a site by status. */
const statuses = ({ list }: Effect.Effect.Success<ReturnType<typeof connected>>) =>
  Effect.map(list("?limit=100"), ({ body }) => body.data.map(({ status }: { status: string }) => status).toSorted())

const refusal = {
  401: () => problem(401, "authError", "Invalid Credentials"),
  403: () => problem(403, "forbidden", "You do not own this site"),
  429: () =>
    problem(429, "rateLimitExceeded", "Quota exceeded for quota metric 'Requests' and limit 'per day per project'")
} as const
const always = (status: keyof typeof refusal) => Array.from({ length: 50 }, () => refusal[status])
const names = ["a", "b", "c", "d", "e", "f"]

describe("Search Console credentials", () => {
  for (const status of [401, 403, 429] as const)
    it(`with status ${status} from Google use none of the property's quota, and only their own URLs wait`, function* () {
      const one = yield* connected()
      const other = yield* connected(one.host)
      const urls = names.map((name) => other.url(`other/${name}`))
      const asked = () => one.asked().filter((url) => urls.includes(url))
      for (const url of urls) other.google.firstOf.set(url, always(status))
      yield* other.inspect({ urls })
      yield* nodes(2)
      const isTried =
        status === 429
          ? Effect.map(Effect.sync(asked), ({ length }) => length > 0)
          : Effect.map(statuses(other), (all) => all.includes("failed"))
      yield* until(isTried, (is) => is)
      const ends = yield* one.inspect({ urls: names.map(one.url) })
      expect(ends.body.data).toEqual({ joined: 0, position_estimate: 0, queued: 6 })
      yield* one.ended
      expect(yield* statuses(one)).toEqual(names.map(() => "done"))
      expect(yield* counted(one.property)).toBe(6)
      // A refused token is renewed once.
      expect(asked().length).toBe(status === 401 ? 2 : 1)
      expect(yield* statuses(other)).toEqual(
        status === 429 ? names.map(() => "queued") : ["failed", ...names.slice(1).map(() => "queued")]
      )
    })

  for (const status of [401, 429] as const)
    it(`are paused alone when they get ${status} after a success, and release their reserved quota`, function* () {
      const sql = yield* SqlClient.SqlClient
      const one = yield* connected()
      const other = yield* connected(one.host)
      yield* nodes(2)
      yield* one.inspect({ urls: [one.url("first")] })
      yield* other.inspect({ urls: [other.url("other/first")] })
      yield* Effect.zipRight(one.ended, other.ended)
      expect(yield* counted(one.property)).toBe(2)
      const urls = names.map((name) => other.url(`other/${name}`))
      for (const url of urls) other.google.firstOf.set(url, always(status))
      yield* other.inspect({ urls })
      yield* until(
        sql`SELECT FROM ranking_sources WHERE site_id = ${other.site} AND inspection_paused_until > clock_timestamp()`,
        (rows) => rows.length === 1
      )
      yield* one.inspect({ urls: names.map(one.url) })
      yield* one.ended
      yield* until(counted(one.property), (count) => count === 8)
      expect(yield* statuses(one)).toEqual(["first", ...names].map(() => "done"))
    })

  it("are tried by one request at a time until one succeeds", function* () {
    const one = yield* connected()
    const answer = Promise.withResolvers<Response>()
    const status = () => Response.json({ inspectionResult: { indexStatusResult: { verdict: "PASS" } } })
    for (const name of names) one.google.firstOf.set(one.url(name), [() => answer.promise.then(status)])
    yield* one.inspect({ urls: names.map(one.url) })
    yield* nodes(2)
    yield* until(Effect.sync(one.asked), (asked) => asked.length > 0)
    // Time in which further requests would have been sent.
    yield* Effect.sleep("500 millis")
    expect(one.asked().length).toBe(1)
    expect(yield* counted(one.property)).toBe(0)
    answer.resolve(status())
    yield* one.ended
    expect(yield* counted(one.property)).toBe(6)
  })

  it("are tried immediately when they replace refused ones", function* () {
    const one = yield* connected()
    for (const name of names) one.google.firstOf.set(one.url(name), [refusal[403]])
    yield* one.inspect({ urls: names.map(one.url) })
    yield* nodes(1)
    yield* until(statuses(one), (all) => all.includes("failed"))
    one.google.firstOf.clear()
    const path = `/api/v1/projects/${one.site}/rankings/source`
    yield* Server.send("PUT", path, { body: { credentials, every: "off", property: one.property }, key: one.key })
    yield* one.ended
    expect(yield* statuses(one)).toEqual([...names.slice(1).map(() => "done"), "failed"])
  })

  it("let URLs of others continue when they release the last of a day's quota", function* () {
    const sql = yield* SqlClient.SqlClient
    const one = yield* connected()
    const other = yield* connected(one.host)
    yield* nodes(2)
    yield* one.inspect({ urls: [one.url("first")] })
    yield* other.inspect({ urls: [other.url("other/first")] })
    yield* Effect.zipRight(one.ended, other.ended)
    yield* sql`UPDATE inspection_quotas SET of_day = 1999 WHERE property = ${one.property}`
    const answer = Promise.withResolvers<Response>()
    other.google.firstOf.set(other.url("other/last"), [() => answer.promise])
    yield* other.inspect({ urls: [other.url("other/last")] })
    yield* until(counted(one.property), (count) => count === 2000)
    yield* one.inspect({ urls: [one.url("a")] })
    yield* until(
      sql`SELECT FROM inspections WHERE project_id = ${one.site} AND status = 'queued' AND due_at > clock_timestamp() AND lease IS NULL`,
      (rows) => rows.length === 1
    )
    answer.resolve(refusal[429]())
    yield* one.ended
    expect(yield* statuses(one)).toEqual(["done", "done"])
    expect(yield* counted(one.property)).toBe(2000)
  })

  it("keep their reserved quota when their server is killed before the response", function* () {
    const one = yield* connected()
    yield* one.inspect({ urls: [one.url("first")] })
    yield* Effect.scoped(Effect.zipRight(nodes(1), one.ended))
    one.google.firstOf.set(one.url("a"), [() => new Promise<Response>(() => {})])
    yield* one.inspect({ urls: [one.url("a")] })
    yield* Effect.scoped(
      Effect.zipRight(
        nodes(1),
        until(Effect.sync(one.asked), (asked) => asked.length === 2)
      )
    )
    expect(yield* counted(one.property)).toBe(2)
    yield* nodes(1)
    yield* one.ended
    expect(yield* counted(one.property)).toBe(3)
  })
})
