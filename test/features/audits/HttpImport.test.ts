import { describe, expect } from "bun:test"
import * as Effect from "effect/Effect"
import { suite } from "../../harness.ts"
import * as Server from "../../server.ts"
import { layer, runtimeError } from "./auditing.ts"
import { assessed, check, node, report, table } from "./reports.ts"

const it = suite(layer)

const path = "/api/v1/audits/imports"
const json = report({ accessibility: { "image-alt": check(0, { details: table({ node: node("main > img") }) }) } })

const addressless = { finalDisplayedUrl: undefined, finalUrl: undefined, requestedUrl: undefined }

const post = (body: unknown, key: string, headers: Record<string, string> = {}) =>
  Server.send("POST", path, { body, headers, key })

const audits = (key: string) =>
  Effect.map(Server.send("GET", "/api/v1/audits", { key }), ({ body }) => body.data.map(({ id }: { id: string }) => id))

describe("POST /audits/imports", () => {
  it("records a report of Lighthouse, with its fixes", function* () {
    const { key } = yield* Server.customer()
    const { body, headers, status } = yield* post(json, key)
    expect(status).toBe(201)
    expect(headers.get("location")).toEndWith(`/api/v1/audits/${body.data.id}`)
    const read = yield* Server.send("GET", `/api/v1/audits/${body.data.id}`, { key })
    expect(read.body).toEqual(body)
    const { core_web_vitals, ...rest } = assessed(json).report
    expect(body.data).toMatchObject({ ...rest, status: "completed" })
    const fixes = yield* Server.send("GET", `/api/v1/audits/${body.data.id}/fixes`, { key })
    expect(fixes.body.data.length).toBeGreaterThan(0)
  })

  it("takes the names and pictures of a real report", function* () {
    const { key } = yield* Server.customer()
    const names = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`core/audits | ${index}`, [index]]))
    const picture = { data: `data:image/webp;base64,${"A".repeat(300_000)}` }
    const real = { ...json, fullPageScreenshot: { screenshot: picture }, i18n: { icuMessagePaths: names } }
    expect((yield* post(real, key)).status).toBe(201)
  })

  it("records an answer of PageSpeed Insights with its field data", function* () {
    const { key } = yield* Server.customer()
    const loadingExperience = { metrics: { LARGEST_CONTENTFUL_PAINT_MS: { percentile: 2100 } } }
    const { body, status } = yield* post(
      { kind: "pagespeedonline#result", lighthouseResult: json, loadingExperience },
      key
    )
    expect(status).toBe(201)
    expect(body.data.core_web_vitals.sources.lcp_ms).toBe("page_field")
  })

  it("records one audit for one Idempotency-Key", function* () {
    const { key } = yield* Server.customer()
    const headers = { "idempotency-key": "report-1" }
    const replies = yield* Effect.all([post(json, key, headers), post(json, key, headers), post(json, key, headers)], {
      concurrency: "unbounded"
    })
    expect(replies.map(({ status }) => status).toSorted()).toEqual([200, 200, 201])
    expect(yield* audits(key)).toEqual([replies[0].body.data.id])
    const other = yield* post({ ...json, requestedUrl: "https://other.example/" }, key, headers)
    expect([other.status, other.body.error.code]).toEqual([409, "idempotency_conflict"])
  })

  const refused: ReadonlyArray<readonly [what: string, body: unknown, field: string]> = [
    ["an empty object", {}, "lighthouseVersion"],
    ["no object", [1], "body"],
    ["a report without an address", { ...json, ...addressless }, "requestedUrl"],
    ["a version before 6", { ...json, lighthouseVersion: "5.6.0" }, "lighthouseVersion"],
    ["a page that Lighthouse could not load", report({}, runtimeError), "runtimeError"],
    ["an error answer of PageSpeed Insights", { kind: "pagespeedonline#result", error: { code: 400 } }, "error"]
  ]
  for (const [what, body, field] of refused)
    it(`answers 422 to ${what}, and records nothing`, function* () {
      const { key } = yield* Server.customer()
      const reply = yield* post(body, key)
      expect([reply.status, reply.body.error.code]).toEqual([422, "validation_error"])
      expect(reply.body.error.details.map(({ path }: { path: string }) => path)).toEqual([field])
      expect(yield* audits(key)).toEqual([])
    })

  it("answers 413 to more than 10 MiB, and needs the scope", function* () {
    const { account, key } = yield* Server.customer()
    const large = yield* post({ ...json, padding: "x".repeat(10 * 1024 * 1024) }, key)
    expect([large.status, large.body.error.code]).toEqual([413, "payload_too_large"])
    const reader = yield* Server.keyWith(account, ["audits:read"])
    expect((yield* post(json, reader)).status).toBe(403)
    expect(yield* audits(key)).toEqual([])
  })
})
