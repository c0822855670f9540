import { describe, expect, test } from "bun:test"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { AuditedPage, CreateAudit } from "../../../src/features/audits/Domain.ts"
import { Page } from "../../../src/foundation/http/Contract.ts"
import { suite } from "../../harness.ts"
import * as Server from "../../server.ts"
import { imported, layer, runtimeError } from "./auditing.ts"
import { assessed, check, node, report, table } from "./reports.ts"

const it = suite(layer)

const json = report({ accessibility: { "image-alt": check(0, { details: table({ node: node("main > img") }) }) } })

const absent = "0192f0c4-7a57-7c3e-9d1b-5f2f8f6f0a11"

const missing = {
  code: "not_found",
  message: "No audit found with this id. Check the id, and the account that it belongs to"
}

const get = (path: string, key: string) => Server.send("GET", `/api/v1/audits/${path}`, { key })

const post = (body: unknown, key: string) => Server.send("POST", "/api/v1/audits", { body, key })

describe("GET /audits/{id}", () => {
  it("returns a completed audit exactly as it was assessed", function* () {
    const { account, key } = yield* Server.customer()
    const { created_at, id } = yield* imported(account, json)
    const reply = yield* get(id, key)
    expect(reply.status).toBe(200)
    const { core_web_vitals, ...rest } = assessed(json).report
    const sources = { cls: "lab", fcp_ms: "lab", inp_ms: null, lcp_ms: "lab", ttfb_ms: null }
    expect(reply.body).toEqual({
      data: {
        id,
        status: "completed",
        ...rest,
        core_web_vitals: { ...core_web_vitals, sources },
        created_at,
        measured_at: "2026-11-01T10:00:00.000000+00:00",
        spread: null
      }
    })
  })

  it("has null, never 0, for missing measurements", function* () {
    const { account, key } = yield* Server.customer()
    const { id } = yield* imported(account, report({}, { audits: {} }))
    const { core_web_vitals } = (yield* get(id, key)).body.data
    expect(core_web_vitals).toEqual({
      diagnostics: { lcp_element_selector: null, render_blocking_resources: [] },
      metrics: { cls: null, fcp_ms: null, inp_ms: null, lcp_ms: null, ttfb_ms: null },
      sources: { cls: null, fcp_ms: null, inp_ms: null, lcp_ms: null, ttfb_ms: null },
      status: "unknown"
    })
  })

  it("returns 404 for another account's audit, a failed one and an unknown one", function* () {
    const { account, key } = yield* Server.customer()
    const stranger = yield* Server.customer()
    const { id } = yield* imported(account, json)
    const failed = yield* imported(account, report({}, runtimeError))
    expect(failed).toMatchObject({ failure: { code: "dns_failure" }, overall_score: null, status: "failed" })
    for (const [path, by] of [
      [id, stranger.key],
      [failed.id, key],
      [absent, key],
      ["abc", key]
    ] as const) {
      for (const reply of [yield* get(path, by), yield* get(`${path}/fixes`, by)]) {
        expect([reply.status, reply.body.error]).toMatchObject([404, missing])
      }
    }
  })
})

describe("GET /audits/{id}/fixes", () => {
  it("returns the fix directives in order", function* () {
    const { account, key } = yield* Server.customer()
    const { id } = yield* imported(account, json)
    const reply = yield* get(`${id}/fixes`, key)
    expect([reply.status, reply.body]).toEqual([200, { data: assessed(json).fixes }])
    expect(reply.body.data[0]).toMatchObject({ category: "accessibility", id: "fix_image-alt" })
  })

  it("returns the same fix directives as the report of a sound page", function* () {
    const { account, key } = yield* Server.customer()
    const { id } = yield* imported(account, report())
    const reply = yield* get(`${id}/fixes`, key)
    expect(reply.body.data).toEqual(assessed(report()).fixes)
  })
})

describe("POST /audits", () => {
  it("returns 501 to a valid request, and creates nothing", function* () {
    const { key } = yield* Server.customer()
    for (const body of [
      { url: "https://example.com" },
      { device: "desktop", generate_fix_packs: true, url: "https://example.com/a?b", verify_ssl: false },
      { device: "mobile", generate_fix_packs: "?", url: "http://example.com", verify_ssl: null }
    ]) {
      const reply = yield* post(body, key)
      expect([reply.status, reply.body.error.code]).toEqual([501, "not_implemented"])
    }
  })

  const invalid = [
    [{}, ["url"]],
    [undefined, ["url"]],
    [[], ["body"]],
    [{ url: 5 }, ["url"]],
    [{ url: "example.com" }, ["url"]],
    [{ url: "ftp://example.com/" }, ["url"]],
    [{ url: "https://user:secret@example.com/" }, ["url"]],
    [{ url: `https://example.com/${"a".repeat(2048)}` }, ["url"]],
    [{ device: "tablet", url: "https://example.com" }, ["device"]],
    [{ device: null, url: "https://example.com" }, ["device"]],
    [{ device: "tablet", url: "" }, ["url", "device"]]
  ] as const
  for (const [body, paths] of invalid)
    it(`names the errors in ${JSON.stringify(body)?.slice(0, 60)}`, function* () {
      const { key } = yield* Server.customer()
      const { body: answer, status } = yield* post(body, key)
      expect([status, answer.error.code]).toEqual([422, "validation_error"])
      const named: ReadonlyArray<{ message: string; path: string }> = answer.error.details
      expect(named.map(({ path }) => path).sort()).toEqual([...paths].sort())
      for (const { message } of named) expect(message).not.toContain("secret")
    })
})

const at = (address: string, device: "mobile" | "desktop" = "mobile") => ({
  configSettings: { formFactor: device },
  finalDisplayedUrl: address,
  finalUrl: address,
  requestedUrl: address
})

const list = (query: string, key: string) => Server.send("GET", `/api/v1/audits${query}`, { key })

const idsOf = (query: string, key: string) =>
  Effect.map(list(query, key), ({ body }) => body.data.map(({ id }: { id: string }) => id))

describe("GET /audits", () => {
  it("lists the caller's audits, latest first, also failed ones, without diagnostics", function* () {
    const { account, key } = yield* Server.customer()
    yield* imported((yield* Server.customer()).account, report())
    const older = yield* imported(account, report())
    const failed = yield* imported(account, report({}, runtimeError))
    const { body, status } = yield* list("", key)
    expect(status).toBe(200)
    expect(body.meta).toEqual({ has_next: false, per_page: 20, total_in_batch: 2 })
    const { core_web_vitals, findings_summary, overall_score, scores, url } = assessed(report()).report
    const page = { device: "mobile", measured_at: "2026-11-01T10:00:00.000000+00:00", source: "import", url }
    expect(body.data).toEqual([
      {
        ...page,
        core_web_vitals: null,
        created_at: failed.created_at,
        error: { code: "dns_failure", lighthouse_code: "DNS_FAILURE", message: expect.any(String) },
        findings_summary: null,
        id: failed.id,
        overall_score: null,
        scores: null,
        status: "failed"
      },
      {
        ...page,
        core_web_vitals: {
          metrics: core_web_vitals.metrics,
          sources: { cls: "lab", fcp_ms: "lab", inp_ms: null, lcp_ms: "lab", ttfb_ms: null },
          status: core_web_vitals.status
        },
        created_at: older.created_at,
        error: null,
        findings_summary,
        id: older.id,
        overall_score,
        scores,
        status: "completed"
      }
    ])
  })

  it("is filtered by a page with any spelling of its URL, a device and a status", function* () {
    const { account, key } = yield* Server.customer()
    const home = yield* imported(account, report({}, at("https://shop.example/")))
    const desktop = yield* imported(account, report({}, at("https://shop.example/", "desktop")))
    const other = yield* imported(account, report({}, { ...at("https://shop.example/a?b=c"), ...runtimeError }))
    expect(yield* idsOf("?url=HTTPS://SHOP.example", key)).toEqual([desktop.id, home.id])
    expect(yield* idsOf(`?url=${encodeURIComponent("https://shop.example/a?b=c")}`, key)).toEqual([other.id])
    expect(yield* idsOf("?device=desktop", key)).toEqual([desktop.id])
    expect(yield* idsOf("?status=failed", key)).toEqual([other.id])
    expect(yield* idsOf("?status=completed&device=mobile&url=https://shop.example/", key)).toEqual([home.id])
  })

  it("is read in pages, and a cursor belongs to its filters", function* () {
    const { account, key } = yield* Server.customer()
    const made = yield* Effect.replicateEffect(imported(account, report()), 3)
    const first = yield* list("?limit=2", key)
    expect(first.body.meta.has_next).toBe(true)
    const cursor = encodeURIComponent(first.body.meta.next_cursor)
    const rest = yield* list(`?limit=2&cursor=${cursor}`, key)
    expect([...first.body.data, ...rest.body.data].map(({ id }) => id)).toEqual(made.map(({ id }) => id).toReversed())
    const foreign = yield* list(`?status=failed&cursor=${cursor}`, key)
    expect([foreign.status, foreign.body.error.code]).toEqual([422, "invalid_cursor"])
  })

  for (const [query, path] of [
    ["?sort=score", "sort"],
    ["?project_id=shop.example", "project_id"],
    ["?url=shop.example", "url"],
    ["?device=tablet", "device"],
    ["?status=running", "status"]
  ] as const) {
    it(`names the error in ${query}`, function* () {
      const { key } = yield* Server.customer()
      const { body, status } = yield* list(query, key)
      expect([status, body.error.details[0].path]).toEqual([422, path])
    })
  }
})

const day = (number: number) => `2026-10-0${number}T08:00:00.000Z`

const stamp = (number: number) => `2026-10-0${number}T08:00:00.000000+00:00`

/** All records of a list, page by page; `between` runs after the first page. */
const walked = <R = never>(query: string, key: string, between: Effect.Effect<unknown, never, R> = Effect.void) =>
  Effect.gen(function* () {
    const ids: Array<string> = []
    let cursor = ""
    for (;;) {
      const { body } = yield* list(`${query}&limit=2${cursor}`, key)
      ids.push(...body.data.map(({ id }: { id: string }) => id))
      if (cursor === "") yield* between
      if (!body.meta.has_next) return ids
      cursor = `&cursor=${encodeURIComponent(body.meta.next_cursor)}`
    }
  })

describe("the time of a measurement", () => {
  it("comes from the report, even if it is imported late, and sorts the history of a page and its latest audit", function* () {
    const { account, key } = yield* Server.customer()
    const page = "https://shop.example/"
    const newest = yield* imported(account, report({}, { ...at(page), fetchTime: day(9) }))
    const oldest = yield* imported(account, report({}, { ...at(page), fetchTime: day(1) }))
    const middle = yield* imported(account, report({}, { ...at(page), fetchTime: "2026-10-05T10:00:00+02:00" }))
    expect([oldest, middle, newest].map(({ measured_at }) => measured_at)).toEqual([stamp(1), stamp(5), stamp(9)])
    expect(yield* idsOf(`?url=${page}&sort=measured_at`, key)).toEqual([newest.id, middle.id, oldest.id])
    expect(yield* idsOf(`?url=${page}`, key)).toEqual([middle.id, oldest.id, newest.id])
    expect(yield* idsOf(`?url=${page}&sort=created_at`, key)).toEqual([middle.id, oldest.id, newest.id])
    const [{ latest }] = (yield* pages(key)).body.data
    expect([latest.id, latest.measured_at]).toEqual([newest.id, stamp(9)])
    expect((yield* get(middle.id, key)).body.data.measured_at).toBe(stamp(5))
  })

  for (const fetchTime of [
    undefined,
    null,
    1.7e12,
    "",
    "yesterday",
    "2026-02-31T08:00:00Z",
    "2026-11-01 10:00",
    "2099-01-01T00:00:00Z"
  ])
    it(`is the time of the import if the report says ${JSON.stringify(fetchTime)}`, function* () {
      const { account } = yield* Server.customer()
      const { created_at, measured_at } = yield* imported(account, report({}, { fetchTime }))
      expect(measured_at).toBe(created_at)
    })

  it("is the time of the analysis if a PageSpeed Insights report has none", function* () {
    const { key } = yield* Server.customer()
    for (const fetchTime of [undefined, "soon"]) {
      const answer = {
        analysisUTCTimestamp: day(3),
        kind: "pagespeedonline#result",
        lighthouseResult: { ...json, fetchTime }
      }
      expect((yield* postImport(answer, key)).body.data.measured_at).toBe(stamp(3))
    }
  })

  it("sorts a walk that yields each audit once while others are imported", function* () {
    const { account, key } = yield* Server.customer()
    const known: Array<string> = []
    for (const number of [4, 4, 4, 2, 6])
      known.push((yield* imported(account, report({}, { fetchTime: day(number) }))).id)
    const meanwhile = Effect.forEach([7, 4, 1], (number) => imported(account, report({}, { fetchTime: day(number) })))
    const met = yield* walked("?sort=measured_at", key, Effect.orDie(meanwhile))
    expect(new Set(met).size).toBe(met.length)
    const [first, second, third, last, top] = known
    expect(met.filter((id) => known.includes(id))).toEqual([top, third, second, first, last].flatMap((id) => id ?? []))
  })

  it("has cursors of its own", function* () {
    const { account, key } = yield* Server.customer()
    yield* Effect.replicateEffect(imported(account, report()), 3)
    for (const [from, to] of [
      ["?limit=1&sort=measured_at", "?limit=1"],
      ["?limit=1", "?limit=1&sort=measured_at"]
    ]) {
      const cursor = encodeURIComponent((yield* list(from ?? "", key)).body.meta.next_cursor)
      const foreign = yield* list(`${to}&cursor=${cursor}`, key)
      expect([foreign.status, foreign.body.error.code]).toEqual([422, "invalid_cursor"])
    }
  })
})

describe("audits and audited pages of a site", () => {
  it("are those on its host and port, with or without www., by http and https", function* () {
    const { account, key } = yield* Server.customer()
    const project = yield* Server.projectOf(account, "https://www.shop.example")
    const own: Array<string> = []
    for (const address of [
      "https://shop.example/a",
      "http://www.shop.example/b?c=d",
      "https://user:key@shop.example/e"
    ])
      own.unshift((yield* imported(account, report({}, at(address)))).id)
    for (const address of [
      "https://blog.shop.example/",
      "https://shop.example:8443/",
      "https://notshop.example/",
      "https://other.example/https://shop.example/"
    ])
      yield* imported(account, report({}, at(address)))
    const query = `?project_id=${project.id}`
    expect(yield* idsOf(query, key)).toEqual(own)
    expect(yield* idsOf(`${query}&sort=measured_at`, key)).toEqual(own)
    expect(yield* walked(query, key)).toEqual(own)
    const { body } = yield* pages(key, query)
    expect(body.data.map(({ url }: { url: string }) => url)).toEqual([
      "http://www.shop.example/b?c=d",
      "https://shop.example/a",
      "https://user:key@shop.example/e"
    ])
  })

  it("return 404 for a missing site or another account's", function* () {
    const { account, key } = yield* Server.customer()
    yield* imported(account, report())
    const foreign = yield* Server.projectOf((yield* Server.customer()).account, "https://shop.example")
    for (const id of [absent, foreign.id])
      for (const reply of [
        yield* list(`?project_id=${id}`, key),
        yield* pages(key, `?project_id=${id}`),
        yield* Server.send("GET", `/api/v1/audit-schedules?project_id=${id}`, { key })
      ])
        expect([reply.status, reply.body.error.message]).toEqual([
          404,
          "No site found with this id. Check the id, and the account that it belongs to"
        ])
  })
})

const seenAt = (address: string, device?: "mobile" | "desktop") => ({
  configSettings: device === undefined ? {} : { formFactor: device },
  finalDisplayedUrl: address,
  finalUrl: address,
  requestedUrl: address
})

const pages = (key: string, query = "") => Server.send("GET", `/api/v1/audited-pages${query}`, { key })

const decode = Schema.decodeUnknown(Page(AuditedPage), { onExcessProperty: "error" })

describe("the audited pages of an account", () => {
  it("have each URL once per device, with the number of audits and the latest one", function* () {
    const { account, key } = yield* Server.customer()
    yield* imported((yield* Server.customer()).account, report({}, seenAt("https://other.example/", "mobile")))
    yield* imported(account, report({}, seenAt("https://shop.example/b", "mobile")))
    yield* imported(account, report({}, seenAt("https://shop.example/a", "mobile")))
    const desktop = yield* imported(account, report({}, seenAt("https://shop.example/a", "desktop")))
    const second = yield* imported(account, report({}, seenAt("https://shop.example/a", "mobile")))
    const failed = yield* imported(
      account,
      report({}, { ...seenAt("https://shop.example/b", "mobile"), ...runtimeError })
    )
    const { body } = yield* pages(key)
    const { data } = yield* decode(body)
    expect(data.map(({ audits, device, latest, url }) => [url, device, audits, latest.id, latest.status])).toEqual([
      ["https://shop.example/a", "desktop", 1, desktop.id, "completed"],
      ["https://shop.example/a", "mobile", 2, second.id, "completed"],
      ["https://shop.example/b", "mobile", 2, failed.id, "failed"]
    ])
    const { body: listed } = yield* Server.send("GET", "/api/v1/audits?limit=1", { key })
    expect(body.data[2].latest).toEqual(listed.data[0])
  })

  it("are read in pages, each once, also those without a device", function* () {
    const { account, key } = yield* Server.customer()
    const addresses = ["https://a.example/", "https://a.example/Z", "https://a.example/ä", "https://b.example/"]
    for (const address of addresses)
      for (const device of ["mobile", "desktop"] as const) yield* imported(account, report({}, seenAt(address, device)))
    const seen: Array<string> = []
    let query = "?limit=3"
    for (;;) {
      const { body } = yield* pages(key, query)
      seen.push(...body.data.map(({ device, url }: { device: string; url: string }) => `${url} ${device}`))
      if (!body.meta.has_next) break
      query = `?limit=3&cursor=${body.meta.next_cursor}`
    }
    const { body } = yield* pages(key, "?limit=100")
    expect(seen).toEqual(body.data.map(({ device, url }: { device: string; url: string }) => `${url} ${device}`))
    expect(new Set(seen).size).toBe(8)
  })

  it("are narrowed to a device, page by page", function* () {
    const { account, key } = yield* Server.customer()
    for (const device of ["mobile", "desktop"] as const)
      for (const path of ["a", "b"]) yield* imported(account, report({}, seenAt(`https://a.example/${path}`, device)))
    const { body } = yield* pages(key, "?device=desktop&limit=1")
    expect(body.data.map(({ device, url }: { device: string; url: string }) => [url, device])).toEqual([
      ["https://a.example/a", "desktop"]
    ])
    const next = yield* pages(key, `?device=desktop&limit=1&cursor=${body.meta.next_cursor}`)
    expect([next.body.data[0].url, next.body.meta.has_next]).toEqual(["https://a.example/b", false])
    expect((yield* pages(key, `?device=mobile&cursor=${body.meta.next_cursor}`)).body.error.code).toBe("invalid_cursor")
    const refused = yield* pages(key, "?device=watch")
    expect([refused.status, refused.body.error.message]).toEqual([422, "device must be mobile or desktop"])
  })

  it("need the scope of audits", function* () {
    const { account } = yield* Server.customer()
    expect((yield* pages(yield* Server.keyWith(account, ["projects:read"]))).status).toBe(403)
    expect((yield* pages(yield* Server.keyWith(account, ["audits:read"]))).body.data).toEqual([])
  })
})

const path = "/api/v1/audits/imports"

const addressless = { finalDisplayedUrl: undefined, finalUrl: undefined, requestedUrl: undefined }

const postImport = (body: unknown, key: string, headers: Record<string, string> = {}) =>
  Server.send("POST", path, { body, headers, key })

const audits = (key: string) =>
  Effect.map(Server.send("GET", "/api/v1/audits", { key }), ({ body }) => body.data.map(({ id }: { id: string }) => id))

const withCategory = (seo: unknown) => ({ ...json, categories: { ...Object(json.categories), seo } })

describe("POST /audits/imports", () => {
  it("records a Lighthouse report with its fixes", function* () {
    const { key } = yield* Server.customer()
    const { body, headers, status } = yield* postImport(json, key)
    expect(status).toBe(201)
    expect(headers.get("location")).toEndWith(`/api/v1/audits/${body.data.id}`)
    const read = yield* Server.send("GET", `/api/v1/audits/${body.data.id}`, { key })
    expect(read.body).toEqual(body)
    const { core_web_vitals, ...rest } = assessed(json).report
    expect(body.data).toMatchObject({ ...rest, status: "completed" })
    const fixes = yield* Server.send("GET", `/api/v1/audits/${body.data.id}/fixes`, { key })
    expect(fixes.body.data.length).toBeGreaterThan(0)
  })

  it("shows the names and pictures of a real report", function* () {
    const { key } = yield* Server.customer()
    const names = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`core/audits | ${index}`, [index]]))
    const picture = { data: `data:image/webp;base64,${"A".repeat(300_000)}` }
    const real = { ...json, fullPageScreenshot: { screenshot: picture }, i18n: { icuMessagePaths: names } }
    expect((yield* postImport(real, key)).status).toBe(201)
  })

  /** A treemap of one module in a number of folders, as Lighthouse 7 and later write it, with two levels per folder. */
  const folders = (count: number): object =>
    count === 0
      ? { name: "index.ts", resourceBytes: 120, unusedBytes: 20 }
      : { children: [folders(count - 1)], name: `folder-${count}`, resourceBytes: 120, unusedBytes: 20 }

  /** A chain of a number of requests, each started by the previous one, as Lighthouse 6 to 12 write it. */
  const chain = (count: number): object => ({
    [`${count}`]: {
      request: {
        endTime: 2,
        responseReceivedTime: 2,
        startTime: 1,
        transferSize: 9,
        url: `https://shop.example/${count}.js`
      },
      ...(count === 1 ? {} : { children: chain(count - 1) })
    }
  })

  /** Elements of a page, each a field of the full-page screenshot. */
  const elements = (count: number) =>
    Object.fromEntries(
      Array.from({ length: count }, (_, at) => [`1-${at}-A`, { bottom: 9, left: 0, right: 9, top: 0 }])
    )

  /** Tasks of the main thread, as many as on a page with long-running scripts. */
  const tasks = (count: number) => Array.from({ length: count }, (_, at) => ({ duration: 5.5, startTime: at }))

  const large: ReadonlyArray<readonly [what: string, more: object]> = [
    [
      "modules in 24 folders",
      { "script-treemap-data": check(1, { details: { nodes: [folders(24)], type: "treemap-data" } }) }
    ],
    [
      "a chain of 100 requests",
      { "critical-request-chains": check(null, { details: { chains: chain(100), type: "criticalrequestchain" } }) }
    ],
    [
      "12,000 elements",
      { "full-page-screenshot": check(null, { details: { nodes: elements(12_000), type: "full-page-screenshot" } }) }
    ],
    ["100,000 tasks", { "main-thread-tasks": check(null, { details: table(...tasks(100_000)) }) }],
    [
      "a picture of 6 MB",
      { "final-screenshot": check(null, { details: { data: "A".repeat(6_000_000), type: "screenshot" } }) }
    ]
  ]
  for (const [what, checks] of large)
    it(`accepts a report of a page with ${what}, also within a PageSpeed Insights response`, function* () {
      const { key } = yield* Server.customer()
      const long = { ...json, audits: { ...Object(json.audits), ...checks } }
      for (const body of [long, { kind: "pagespeedonline#result", lighthouseResult: long }])
        expect((yield* postImport(body, key)).status).toBe(201)
    })

  it("names the allowed depth when a report is nested deeper", function* () {
    const { key } = yield* Server.customer()
    const body = { ...json, audits: { ...Object(json.audits), "script-treemap-data": { nodes: [folders(200)] } } }
    const reply = yield* postImport(body, key)
    expect([reply.status, reply.body.error.message]).toEqual([
      422,
      "The request body contains more than 256 nested arrays and objects"
    ])
  })

  it("records the result of Lighthouse's module, which has the report beside its text", function* () {
    const { key } = yield* Server.customer()
    const { body, status } = yield* postImport({ artifacts: {}, lhr: json, report: JSON.stringify(json) }, key)
    expect(status).toBe(201)
    expect(body.data).toMatchObject({ ...assessed(json).report, status: "completed", core_web_vitals: {} })
  })

  it("records a PageSpeed Insights response with its field data", function* () {
    const { key } = yield* Server.customer()
    const loadingExperience = { metrics: { LARGEST_CONTENTFUL_PAINT_MS: { percentile: 2100 } } }
    const { body, status } = yield* postImport(
      { kind: "pagespeedonline#result", lighthouseResult: json, loadingExperience },
      key
    )
    expect(status).toBe(201)
    expect(body.data.core_web_vitals.sources.lcp_ms).toBe("page_field")
  })

  it("records one audit for one Idempotency-Key", function* () {
    const { key } = yield* Server.customer()
    const headers = { "idempotency-key": "report-1" }
    const replies = yield* Effect.all(
      [postImport(json, key, headers), postImport(json, key, headers), postImport(json, key, headers)],
      {
        concurrency: "unbounded"
      }
    )
    expect(replies.map(({ status }) => status).toSorted()).toEqual([200, 200, 201])
    expect(yield* audits(key)).toEqual([replies[0].body.data.id])
    const other = yield* postImport({ ...json, requestedUrl: "https://other.example/" }, key, headers)
    expect([other.status, other.body.error.code]).toEqual([409, "idempotency_conflict"])
  })

  const refused: ReadonlyArray<readonly [what: string, body: unknown, field: string]> = [
    ["an empty object", {}, "lighthouseVersion"],
    ["an array", [1], "body"],
    ["a report without a URL", { ...json, ...addressless }, "requestedUrl"],
    ["a version before 6", { ...json, lighthouseVersion: "5.6.0" }, "lighthouseVersion"],
    ["a snapshot", { ...json, gatherMode: "snapshot", requestedUrl: undefined }, "gatherMode"],
    ["a timespan", { ...json, gatherMode: "timespan", requestedUrl: undefined }, "gatherMode"],
    ["a page that Lighthouse could not load", report({}, runtimeError), "runtimeError"],
    ["a module's result without a report", { lhr: {}, report: "" }, "lighthouseVersion"],
    ["a null category", withCategory(null), "categories.seo"],
    ["a category without a score", withCategory({ auditRefs: [], score: null }), "categories.seo.score"],
    ["an error response of PageSpeed Insights", { kind: "pagespeedonline#result", error: { code: 400 } }, "error"]
  ]
  for (const [what, body, field] of refused)
    it(`returns 422 to ${what}, and records nothing`, function* () {
      const { key } = yield* Server.customer()
      const reply = yield* postImport(body, key)
      expect([reply.status, reply.body.error.code]).toEqual([422, "validation_error"])
      expect(reply.body.error.details.map(({ path }: { path: string }) => path)).toEqual([field])
      expect(yield* audits(key)).toEqual([])
    })

  it("returns 413 above 10 MiB, and needs the scope", function* () {
    const { account, key } = yield* Server.customer()
    const large = yield* postImport({ ...json, padding: "x".repeat(10 * 1024 * 1024) }, key)
    expect([large.status, large.body.error.code]).toEqual([413, "payload_too_large"])
    const reader = yield* Server.keyWith(account, ["audits:read"])
    expect((yield* postImport(json, reader)).status).toBe(403)
    expect(yield* audits(key)).toEqual([])
  })
})

const isValid = Schema.is(CreateAudit)

describe("the body of POST /audits", () => {
  test("needs an http or https URL", () => {
    for (const url of [
      "https://example.com",
      "http://example.com:8080/a?b#c",
      "HTTPS://EXAMPLE.COM/",
      "https://münchen.example/"
    ])
      expect(isValid({ url })).toBe(true)
    const wrong = [
      "",
      "example.com",
      "ftp://example.com",
      "javascript:alert(1)",
      "https://",
      "https:/x",
      " https://a.example"
    ]
    for (const url of [
      ...wrong,
      "https://u:p@example.com",
      "https://a b",
      `https://a/${"x".repeat(2048)}`,
      5,
      null,
      undefined
    ])
      expect(isValid({ url })).toBe(false)
    expect(isValid({})).toBe(false)
  })

  test("accepts only mobile or desktop as device", () => {
    const url = "https://example.com"
    expect(isValid({ url, device: "mobile" })).toBe(true)
    expect(isValid({ url, device: "desktop" })).toBe(true)
    for (const device of ["tablet", "", null, 1]) expect(isValid({ url, device })).toBe(false)
  })

  test("accepts any values of two fields without effect", () => {
    const body = { url: "https://example.com", generate_fix_packs: "yes", verify_ssl: 1 }
    expect(isValid(body)).toBe(true)
  })
})
