import { describe, expect } from "bun:test"
import * as Effect from "effect/Effect"
import type { CrawlOptions } from "../../src/crawl/Crawl.ts"
import { catalogue } from "../../src/crawl/rules/Catalogue.ts"
import { perPage, perUrl, type RuleText } from "../../src/crawl/rules/Rule.ts"
import type { OutboundRequest } from "../../src/foundation/outbound/Outbound.ts"
import { it } from "../harness.ts"
import { report } from "./site/Crawled.ts"
import { html } from "./site/Html.ts"
import { memoryOutbound } from "./site/MemoryOutbound.ts"

const text: RuleText = {
  id: "shop_brand_missing",
  category: "content",
  severity: "critical",
  means: "The title does not name the shop.",
  fix: "End each title with the shop's name.",
  source: "House style of the shop"
}

describe("a program that embeds the crawl", () => {
  it("adds its own checks to the report and the score", function* () {
    const site = memoryOutbound(({ pathname }) =>
      pathname === "/" || pathname === "/a"
        ? { body: html({ title: `${pathname} one`, links: ["/", "/a"] }) }
        : { status: 404 }
    )
    const brand = perPage(text, ({ url, visit }) => (url.endsWith("/a") ? `"${visit.facts.title}"` : null))
    const plain = yield* Effect.provide(report("http://site.test/"), site)
    const own = yield* Effect.provide(report("http://site.test/", { rules: [...catalogue, brand] }), site)
    expect(own.findings).toHaveLength(plain.findings.length + 1)
    expect(own.findings.at(-1)).toMatchObject({
      count: 1,
      pages: ["http://site.test/a"],
      rule: "shop_brand_missing",
      status: "fail"
    })
    expect(own.score.aggregate_score ?? 100).toBeLessThan(plain.score.aggregate_score ?? 0)
    const alone = yield* Effect.provide(report("http://site.test/", { rules: [brand] }), site)
    expect(alone.findings.map(({ rule }) => rule)).toEqual(["shop_brand_missing"])
  })

  it("reports why its own check cannot pass", function* () {
    const site = memoryOutbound(({ pathname }) =>
      pathname === "/" ? { body: html({ title: "one" }) } : { status: 404 }
    )
    const reason = () => "the shop was closed"
    const rules = [
      perPage(text, () => null, { precondition: reason }),
      perUrl(
        text,
        () => true,
        () => null,
        { nothing: "no URL", precondition: reason }
      )
    ]
    const { findings } = yield* Effect.provide(report("http://site.test/", { rules }), site)
    expect(findings.map(({ evidence, status }) => [status, evidence.reason])).toEqual(
      rules.map(() => ["not_assessed", "the shop was closed"])
    )
  })

  it("identifies itself by its own name, and follows the rules of robots.txt for that name", function* () {
    const sent: Array<OutboundRequest> = []
    const site = memoryOutbound(({ pathname }, request) => {
      sent.push(request)
      if (pathname === "/robots.txt") return { body: "User-agent: ShopBot\nDisallow: /closed" }
      return pathname === "/" ? { body: html({ title: "one", links: ["/closed"] }) } : { status: 404 }
    })
    const name = { productToken: "ShopBot", userAgent: "ShopBot/2.0 (+https://shop.example/bot)" }
    const { summary } = yield* Effect.provide(report("http://site.test/", name), site)
    expect(summary.crawl?.user_agent).toBe(name.userAgent)
    expect(summary.robots.group).toBe("ShopBot")
    expect(new Set(sent.map(({ headers }) => headers?.["user-agent"]))).toEqual(new Set([name.userAgent]))
    expect(sent.map(({ url }) => url.pathname)).not.toContain("/closed")
  })

  it("sends requests at its rate at most: none starts when the deadline leaves no time for the next", function* () {
    const sent: Array<string> = []
    const site = memoryOutbound(({ pathname }) => {
      sent.push(pathname)
      return { body: html({ title: "one" }) }
    })
    const { summary } = yield* Effect.provide(report("http://site.test/", { rate: 0.01 }), site)
    expect([sent, summary.termination]).toEqual([["/robots.txt"], "max-duration"])
  })

  it("gets an error for invalid options that names them, before any request", function* () {
    const site = memoryOutbound(() => {
      throw new Error("a request was sent")
    })
    const wrong: ReadonlyArray<readonly [Partial<CrawlOptions>, string]> = [
      [{ headers: { Host: "elsewhere.test" } }, "headers cannot set Host"],
      [{ headers: { "X-A": "s3cret\n" } }, "headers has a value for X-A that cannot be sent"],
      [{ headers: { "X-A": "1", "x-a": "2" } }, "headers names x-a twice"],
      [{ exclude: ["/a", "b"] }, "exclude.1 must be a glob"],
      [{ include: [""] }, "include.0 must be a glob"],
      [{ rate: Number.NaN }, "rate must be a number above 0"],
      [{ userAgent: "a\nb" }, "userAgent must be 1 to 512 visible ASCII characters"]
    ]
    for (const [options, said] of wrong) {
      const failed = yield* Effect.flip(Effect.provide(report("http://site.test/", options), site))
      expect(failed).toMatchObject({ _tag: "CrawlFailed", code: "crawl_failed" })
      expect(failed.message).toStartWith(`The crawl cannot start: ${said}`)
      expect(failed.message).not.toContain("s3cret")
    }
  })

  it("sends the headers of a staging site to that site only, and never without private-network protection", function* () {
    const sent: Array<OutboundRequest> = []
    const site = memoryOutbound((url, request) => {
      sent.push(request)
      if (url.pathname === "/robots.txt" && url.hostname === "site.test")
        return { headers: { location: "https://elsewhere.test/robots.txt" }, status: 301 }
      if (url.pathname === "/old") return { headers: { location: "http://site.test/new" }, status: 301 }
      return url.pathname === "/" || url.pathname === "/new"
        ? { body: html({ title: "one", links: ["/old", "https://www.site.test/new"] }) }
        : { status: 404 }
    })
    const headers = { Authorization: "Basic c2VjcmV0", "X-Preview": "42" }
    yield* Effect.provide(report("https://site.test/", { headers }), site)
    const given = ({ authorization, headers }: OutboundRequest) => [authorization, headers?.["X-Preview"]]
    const to = (origin: string) => sent.filter(({ url }) => url.origin === origin)
    for (const origin of ["https://site.test", "https://www.site.test"]) {
      expect(to(origin).length).toBeGreaterThan(0)
      for (const request of to(origin)) expect(given(request)).toEqual(["Basic c2VjcmV0", "42"])
    }
    for (const origin of ["https://elsewhere.test", "http://site.test"]) {
      expect(to(origin).length).toBeGreaterThan(0)
      for (const request of to(origin)) expect(given(request)).toEqual([undefined, undefined])
    }
  })
})
