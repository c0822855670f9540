import { describe, expect } from "bun:test"
import { suite } from "../../harness.ts"
import * as Server from "../../server.ts"
import { imported, layer, runtimeError } from "./auditing.ts"
import { assessed, check, node, report, table } from "./reports.ts"

const it = suite(layer)

const json = report({ accessibility: { "image-alt": check(0, { details: table({ node: node("main > img") }) }) } })
const absent = "0192f0c4-7a57-7c3e-9d1b-5f2f8f6f0a11"
const missing = { code: "not_found", message: "There is no such audit" }

const get = (path: string, key: string) => Server.send("GET", `/api/v1/audits/${path}`, { key })
const post = (body: unknown, key: string) => Server.send("POST", "/api/v1/audits", { body, key })

describe("GET /audits/{id}", () => {
  it("answers a completed audit as it was assessed, and nothing else", function* () {
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
        spread: null
      }
    })
  })

  it("has null, never 0, for what was not measured", function* () {
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

  it("does not find another account's, a failed one, nor one that never was", function* () {
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
  it("answers the fix directives in their order", function* () {
    const { account, key } = yield* Server.customer()
    const { id } = yield* imported(account, json)
    const reply = yield* get(`${id}/fixes`, key)
    expect([reply.status, reply.body]).toEqual([200, { data: assessed(json).fixes }])
    expect(reply.body.data[0]).toMatchObject({ category: "accessibility", id: "fix_image-alt" })
  })

  it("answers none for a page without faults", function* () {
    const { account, key } = yield* Server.customer()
    const { id } = yield* imported(account, report())
    const reply = yield* get(`${id}/fixes`, key)
    expect(reply.body.data).toEqual(assessed(report()).fixes)
  })
})

describe("POST /audits", () => {
  it("answers 501 to a valid request, and creates nothing", function* () {
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
    it(`names what is wrong with ${JSON.stringify(body)?.slice(0, 60)}`, function* () {
      const { key } = yield* Server.customer()
      const { body: answer, status } = yield* post(body, key)
      expect([status, answer.error.code]).toEqual([422, "validation_error"])
      const named: ReadonlyArray<{ message: string; path: string }> = answer.error.details
      expect(named.map(({ path }) => path).sort()).toEqual([...paths].sort())
      for (const { message } of named) expect(message).not.toContain("secret")
    })
})
