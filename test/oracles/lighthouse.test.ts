import { describe, expect, test } from "bun:test"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { type Assessment, assess } from "../../src/features/audits/Assessment.ts"
import { AuditReport, FixDirective } from "../../src/features/audits/Domain.ts"
import { importReport } from "../../src/features/audits/report/ReadPsi.ts"
import { command, events, layer } from "../features/audits/auditing.ts"
import { suite } from "../harness.ts"
import * as Server from "../server.ts"

const folder = join(import.meta.dir, "../../../shared/oracles/lighthouse")
const isPresent = existsSync(folder)
if (!isPresent) console.warn("NOTICE: the Lighthouse sample reports are not here, their tests are skipped")

const reports = isPresent ? readdirSync(folder).filter((file) => file.endsWith(".json")) : []

const assessed = (name: string): Assessment => {
  const bytes = new Uint8Array(readFileSync(join(folder, name)))
  const { field, report } = Either.getOrThrow(importReport({ format: "lighthouse", bytes, name }, null))
  return Either.getOrThrowWith(assess(report, field), (failure) => new Error(failure.message))
}

const it = isPresent ? suite(layer) : undefined

describe.skipIf(!isPresent)("Lighthouse sample reports over the API", () => {
  for (const name of reports)
    it?.(`${name} is imported by the operator and read back as it was assessed`, function* () {
      const { account, key } = yield* Server.customer()
      const { failure, printed } = yield* command("import", "--account", account, "--lighthouse", join(folder, name))
      expect(failure).toBeNull()
      const { fixes, report } = assessed(name)
      const audit = yield* Server.send("GET", `/api/v1/audits/${printed.id}`, { key })
      const core_web_vitals = { ...report.core_web_vitals, sources: printed.metric_sources }
      expect([audit.status, audit.body]).toEqual([
        200,
        {
          data: {
            id: printed.id,
            status: "completed",
            ...report,
            core_web_vitals,
            created_at: printed.created_at,
            measured_at: printed.measured_at,
            spread: null
          }
        }
      ])
      const listed = yield* Server.send("GET", `/api/v1/audits/${printed.id}/fixes`, { key })
      expect([listed.status, listed.body]).toEqual([200, { data: fixes }])
      const { findings_summary, overall_score, scores } = report
      const outcome = { findings_summary, overall_score, scores, status: "completed" }
      expect(yield* events(account)).toMatchObject([
        { data: { id: printed.id, outcome, subject: "audit", url: report.url }, type: "audit.completed" }
      ])
    })
})

describe.skipIf(!isPresent)("Lighthouse sample reports in the body of a request", () => {
  for (const name of reports)
    it?.(`${name} is recorded as it was assessed`, function* () {
      const { key } = yield* Server.customer()
      const sent: object = JSON.parse(readFileSync(join(folder, name), "utf8"))
      const { body, status } = yield* Server.send("POST", "/api/v1/audits/imports", { body: sent, key })
      const { findings_summary, scores, url } = assessed(name).report
      expect({ body, status }).toMatchObject({ body: { data: { findings_summary, scores, url } }, status: 201 })
    })
})

describe.skipIf(!isPresent)("Lighthouse sample reports", () => {
  test("13.4.1, Lighthouse's own sample: scores, vitals and counts", () => {
    const { fixes, report } = assessed("lhr-13.4.1-sample.json")
    expect(report.scores).toEqual({ performance: 32, seo: 75, accessibility: 75, best_practices: 31 })
    expect(report.overall_score).toBe(53)
    expect(report.core_web_vitals.metrics).toEqual({
      lcp_ms: 10884.681,
      inp_ms: null,
      fcp_ms: 6795.362,
      ttfb_ms: 10,
      cls: 0.099576
    })
    expect(report.core_web_vitals.status).toBe("poor")
    expect(report.core_web_vitals.diagnostics.lcp_element_selector).toBe("body > div > h2#toppy")
    expect(report.core_web_vitals.diagnostics.render_blocking_resources).toHaveLength(6)
    expect(report.findings_summary).toEqual({ critical: 8, warning: 20, passed: 36 })
    const critical = fixes.filter(({ severity }) => severity === "critical").map(({ id }) => id.slice(4))
    expect(critical.sort()).toEqual([
      "cache-insight",
      "html-has-lang",
      "image-alt",
      "image-delivery-insight",
      "is-on-https",
      "label",
      "link-name",
      "mainthread-work-breakdown"
    ])
  })

  test("13.5.0, a local page", () => {
    const { report } = assessed("lhr-13.5.0-local.json")
    expect(report.scores).toEqual({ performance: 100, seo: 82, accessibility: 43, best_practices: 92 })
    expect(report.overall_score).toBe(79)
    expect(report.core_web_vitals.status).toBe("good")
    expect(report.core_web_vitals.metrics.ttfb_ms).toBe(572)
    expect(report.core_web_vitals.diagnostics).toEqual({
      lcp_element_selector: "body > h1#hero",
      render_blocking_resources: [
        { url: "http://127.0.0.1:18765/b.js", transfer_bytes: 181, wasted_ms: 422 },
        { url: "http://127.0.0.1:18765/a.css", transfer_bytes: 185, wasted_ms: 272 }
      ]
    })
  })

  for (const name of reports)
    test(`${name} conforms to the contract, with one fix for each failed check`, () => {
      const { fixes, report } = assessed(name)
      expect(Schema.is(AuditReport)(report)).toBe(true)
      for (const fix of fixes) expect(Schema.is(FixDirective)(fix)).toBe(true)
      const { critical, warning } = report.findings_summary
      expect(fixes.filter(({ severity }) => severity !== "info")).toHaveLength(critical + warning)
      for (const { agent_prompt } of fixes) expect(agent_prompt.match(/^<\/?evidence>$/gm)).toHaveLength(2)
    })
})
