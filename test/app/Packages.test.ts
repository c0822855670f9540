import { describe, expect } from "bun:test"
import * as Effect from "effect/Effect"
import { instructions } from "../../src/app/mcp/Protocol.ts"
import { formats, rendered } from "../../src/app/operator/Reports.ts"
import type { CrawlResult } from "../../src/crawl/Crawl.ts"
import { doneByReport, fixDirectives } from "../../src/features/sitehealth/fixes/Fixes.ts"
import { customerOf, html, site } from "../features/sitehealth/crawled.ts"
import { suite } from "../harness.ts"
import { calling, found, taking } from "../packages.ts"
import * as Server from "../server.ts"
import { ask, call } from "./mcp/wire.ts"

const it = suite(Server.layer)
const public_ = suite(Server.layerWith({ FINDABLE_PUBLIC_URL: "https://search.example/own/" }))

/** A crawl of a site with issues of many kinds. */
const crawled = Effect.gen(function* () {
  const { url } = yield* site({
    "/": html("", '<a href="/gone">gone</a><a href="/a"></a><img src="/x.png"><h1>Two</h1>', '<meta name="robots">'),
    "/a": html("A", '<a href="/">home</a>', '<link rel="canonical" href="/gone">')
  })
  const customer = yield* customerOf(url)
  return { ...customer, ended: yield* customer.run() }
})

describe("texts that leave the installation name no package and no package manager's command:", () => {
  it("prompts and tools for coding agents", function* () {
    const { ended, key, project, send } = yield* crawled
    const { body } = yield* send("GET", `/runs/${ended.id}/fixes`)
    expect(body.data.length).toBeGreaterThan(5)
    expect(found(calling, JSON.stringify(body.data))).toEqual([])
    const tools = yield* ask(key, { id: "list", jsonrpc: "2.0", method: "tools/list" })
    expect(tools.body.result.tools.length).toBe(12)
    expect(found(calling, JSON.stringify([tools.body, instructions]))).toEqual([])
    for (const [name, args] of [
      ["read_fixes", { run_id: ended.id, limit: 20 }],
      ["list_findings", { run_id: ended.id }],
      ["get_run", { run_id: ended.id }],
      ["list_sites", {}],
      ["read_rankings", { site_id: project.id }],
      ["get_run", { run_id: project.id }],
      ["nothing", {}]
    ] as const)
      expect([name, found(calling, (yield* call(key, name, args)).text)]).toEqual([name, []])
  })

  it("reports of a crawl in every format, and prompts that are made from one", function* () {
    const { ended } = yield* crawled
    const result: CrawlResult = ended.result
    for (const format of formats) {
      const text = yield* rendered(format, { diff: null, failed: null, result })
      expect([format, text.length > 500, found(calling, text)]).toEqual([format, true, []])
    }
    const fixes = fixDirectives(result, doneByReport("$FINDABLE_URL", "report.json"))
    expect(found(calling, JSON.stringify(fixes))).toEqual([])
  })

  it("the OpenAPI document, with its examples of answers and events", () =>
    Effect.map(Server.send("GET", "/api/v1/openapi.json"), ({ body }) => {
      expect(Object.keys(body.webhooks ?? body["x-webhooks"] ?? body.paths).length).toBeGreaterThan(5)
      expect(found(calling, JSON.stringify(body))).toEqual([])
    }))
})

describe("pages of the server name no package manager's command that fetches Findable:", () => {
  it("the console", function* () {
    const { body } = yield* Server.send("GET", "/console")
    const scripts = Array.from(String(body).matchAll(/src="([^"]+\.js)"/g), ([, path = ""]) => path)
    expect(scripts.length).toBeGreaterThan(0)
    for (const path of scripts) {
      const script = String((yield* Server.send("GET", path)).body)
      expect(script).toContain("npx --no-install findable console")
      expect([path, found(taking, script)]).toEqual([path, []])
    }
  })

  it("the guides", function* () {
    const first = yield* Server.send("GET", "/docs/guides/guides")
    const names = Array.from(String(first.body).matchAll(/href="(?:\/docs\/guides\/)?([\w-]+)"/g), ([, name]) => name)
    expect(names).toEqual(expect.arrayContaining(["package", "sdk", "operating"]))
    for (const name of new Set(names)) {
      const { body } = yield* Server.send("GET", `/docs/guides/${name}`)
      expect([name, found(taking, String(body))]).toEqual([name, []])
    }
  })
})

public_("prompts name the server's public URL with its path, if one is set", function* () {
  const { ended, project, send } = yield* crawled
  const { body } = yield* send("GET", `/runs/${ended.id}/fixes`)
  for (const { agent_prompt } of body.data) {
    expect(agent_prompt).toContain(`POST https://search.example/own/api/v1/runs/${ended.id}/verify with `)
    expect(agent_prompt).toContain(`POST https://search.example/own/api/v1/projects/${project.id}/site-health/runs`)
    expect(agent_prompt).not.toMatch(/\$FINDABLE_URL|(?:GET|POST) \//)
  }
})
