import { describe, expect } from "bun:test"
import * as Effect from "effect/Effect"
import { catalogue } from "../../src/crawl/rules/Catalogue.ts"
import { it } from "../harness.ts"
import { report } from "./site/Crawled.ts"
import { html } from "./site/Html.ts"
import { memoryOutbound } from "./site/MemoryOutbound.ts"

const head = "<!doctype html><html lang=en><meta charset=utf-8><title>App</title>"

/** Documents, the status of unknown paths, and whether scripts render the site. */
const sites: ReadonlyArray<readonly [name: string, home: string, missing: 200 | 404, isShell: boolean]> = [
  ["an empty root and a script, on every path", `${head}<div id=root></div><script src=/app.js></script>`, 200, true],
  [
    "a module and a loading message",
    `${head}<div>Loading, please wait</div><script type=module>go()</script>`,
    200,
    true
  ],
  ["an empty root, with 404 on unknown paths", `${head}<div id=app></div><script src=/a.js></script>`, 404, true],
  [
    "a notice that requires scripts",
    `${head}<noscript>You need to enable JavaScript to run this app.</noscript><div id=root></div><script>x</script>`,
    404,
    true
  ],
  ["a short page with a counter", `${head}<h1>Bob</h1><p>Opening soon.</p><script src=/count.js></script>`, 404, false],
  ["a short page without scripts, on every path", `${head}<p>Hello.</p>`, 200, false],
  ["a page with a data block", `${head}<p>Hello.</p><script type=application/ld+json>{}</script>`, 200, false],
  ["an ordinary page, on every path", html({ title: "Home", body: "<script src=/app.js></script>" }), 200, false]
]

describe("a site is recognized as rendered by scripts only", () => {
  for (const [name, home, missing, isShell] of sites) {
    it(`${name}: ${isShell ? "yes" : "no"}`, function* () {
      const site = memoryOutbound((url) => {
        if (url.pathname === "/robots.txt" || url.pathname === "/sitemap.xml") return { status: 404, headers: {} }
        return url.pathname === "/" || missing === 200 ? { body: home } : { status: 404, headers: {} }
      })
      const { findings, summary } = yield* Effect.provide(report("http://site.test/"), site)
      const statusOf = (id: string) => findings.find(({ rule }) => rule === id)?.status
      expect(findings[0]).toMatchObject({ rule: "needs_javascript", severity: "critical", count: isShell ? 1 : 0 })
      for (const { id, needsRendering } of catalogue)
        if (isShell && needsRendering === true) expect([id, statusOf(id)]).toEqual([id, "not_assessed"])
      expect(statusOf("h1_missing")).toBe(isShell ? "not_assessed" : home.includes("<h1>") ? "pass" : "fail")
      expect(summary.dead_links.state).toBe(isShell ? "partial" : "complete")
    })
  }
})
