import { expect } from "bun:test"
import * as Effect from "effect/Effect"
import { it } from "../harness.ts"
import { report } from "./site/Crawled.ts"
import { html } from "./site/Html.ts"
import { memoryOutbound, type Reply } from "./site/MemoryOutbound.ts"

const states = (answers: Readonly<Record<string, Reply>>) =>
  Effect.map(
    Effect.provide(
      report("http://site.test/"),
      memoryOutbound((url) => answers[url.pathname] ?? { status: 404, headers: {} })
    ),
    ({ pages }) => Object.fromEntries(pages.map(({ health_reason, url }) => [new URL(url).pathname, health_reason]))
  )

it("links in declared shadow roots are followed, those in other templates are not", function* () {
  const body = `<my-nav><template shadowrootmode="open"><a href="/open">a</a></template></my-nav>
      <my-foot><template shadowrootmode="closed"><p><a href="/closed">b</a></p></template></my-foot>
      <template><a href="/never">c</a></template>`
  const found = yield* states({
    "/": { body: html({ title: "Home", body }) },
    "/open": { body: html({ title: "Open" }) },
    "/closed": { body: html({ title: "Closed" }) }
  })
  expect(found).toEqual({ "/": "ok", "/open": "ok", "/closed": "ok" })
})

it("pages that rel=next names are followed, from the head and from a header", function* () {
  const found = yield* states({
    "/": { body: html({ title: "Page 1", head: '<link rel="next" href="/2">' }) },
    "/2": {
      headers: { "content-type": "text/html; charset=utf-8", link: '</3>; rel="next"' },
      body: html({ title: "Page 2" })
    },
    "/3": { body: html({ title: "Page 3" }) }
  })
  expect(found).toEqual({ "/": "ok", "/2": "ok", "/3": "ok" })
})

it("304 to a request without a condition is no redirect, and keeps nothing from being claimed", function* () {
  const answers: Readonly<Record<string, Reply>> = {
    "/": { body: html({ title: "Home", links: ["/same", "/many"] }) },
    "/same": { status: 304, headers: {} },
    "/many": { status: 300, headers: { location: "/same" } }
  }
  const result = yield* Effect.provide(
    report("http://site.test/"),
    memoryOutbound((url) => answers[url.pathname] ?? { status: 404, headers: {} })
  )
  expect(result.pages.map(({ health_reason }) => health_reason)).toEqual(["ok", "not_html", "not_html"])
  expect(result.findings.filter(({ category, status }) => category === "redirects" && status === "fail")).toEqual([])
  expect(result.findings.find(({ rule }) => rule === "broken_link")?.status).toBe("pass")
})
