import { describe, expect } from "bun:test"
import * as Effect from "effect/Effect"
import { suite } from "../../harness.ts"
import * as Server from "../../server.ts"
import { imported, layer, runtimeError } from "./auditing.ts"
import { assessed, report } from "./reports.ts"

const it = suite(layer)

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
  it("lists the caller's audits, the newest first, failed ones too, without diagnostics", function* () {
    const { account, key } = yield* Server.customer()
    yield* imported((yield* Server.customer()).account, report())
    const older = yield* imported(account, report())
    const failed = yield* imported(account, report({}, runtimeError))
    const { body, status } = yield* list("", key)
    expect(status).toBe(200)
    expect(body.meta).toEqual({ has_next: false, per_page: 20, total_in_batch: 2 })
    const { core_web_vitals, findings_summary, overall_score, scores, url } = assessed(report()).report
    const page = { device: "mobile", source: "import", url }
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

  it("is narrowed to a page, however its address is spelt, a device and a status", function* () {
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

  it("is walked in pages, and a cursor holds for its filters only", function* () {
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
    ["?url=shop.example", "url"],
    ["?device=tablet", "device"],
    ["?status=running", "status"]
  ] as const) {
    it(`names what is wrong with ${query}`, function* () {
      const { key } = yield* Server.customer()
      const { body, status } = yield* list(query, key)
      expect([status, body.error.details[0].path]).toEqual([422, path])
    })
  }
})
