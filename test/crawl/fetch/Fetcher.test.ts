import { describe, expect, test } from "bun:test"
import * as Effect from "effect/Effect"
import { isChallenge } from "../../../src/crawl/fetch/Confirm.ts"
import { productTokenOf, userAgent } from "../../../src/crawl/fetch/Headers.ts"
import type { HeaderLines } from "../../../src/crawl/page/Headers.ts"
import { it } from "../../harness.ts"
import { report } from "../site/Crawled.ts"
import { html } from "../site/Html.ts"
import { memoryOutbound } from "../site/MemoryOutbound.ts"

const text = "Sixty words of an article that people read. ".repeat(20)

interface Answer {
  readonly name: string
  readonly status: number
  readonly headers?: HeaderLines
  readonly body?: string
}

const challenges: ReadonlyArray<Answer> = [
  { name: "Cloudflare's header", status: 403, headers: [["CF-Mitigated", "challenge"]] },
  { name: "Cloudflare's page", status: 503, body: "<script>window._cf_chl_opt={}</script>" },
  { name: "DataDome", status: 403, body: "<script>var dd={'host':'geo.captcha-delivery.com'}</script>" },
  { name: "PerimeterX", status: 403, body: "<div id=px-captcha></div>" },
  { name: "AWS", status: 202, headers: [["x-amzn-waf-action", "challenge"]] },
  { name: "Kasada", status: 429, headers: [["x-kpsdk-ct", "abc"]] },
  { name: "Akamai with success", status: 200, body: "<div id=sec-if-cpt-container></div>" },
  {
    name: "Anubis",
    status: 200,
    body: "<link href=/.within.website/x/xess/xess.css><h1>Making sure you're not a bot!</h1>"
  },
  { name: "Imperva's empty page", status: 200, body: "<script src='/_Incapsula_Resource?SWJIYLWA=7'></script>" },
  {
    name: "Imperva's notice",
    status: 200,
    body: "<iframe src=/x>Request unsuccessful. Incapsula incident ID: 1</iframe>"
  },
  {
    name: "F5's notice",
    status: 200,
    body: "<title>Request Rejected</title>The requested URL was rejected. Support ID: 1"
  },
  {
    name: "F5's script",
    status: 200,
    body: '<script src="/TSPD/08a?type=9"></script><noscript>Please enable it</noscript>'
  }
]

const pages: ReadonlyArray<Answer> = [
  { name: "an article that names the marks", status: 200, body: `<p>window._cf_chl_opt and ${text}</p>` },
  { name: "a page with Imperva's script", status: 200, body: `${text}<script src=/_Incapsula_Resource?a></script>` },
  { name: "a page with F5's script", status: 200, body: `<script src=/TSPD/1></script><p>${text}</p>` },
  { name: "an article about a rejection", status: 200, body: `<p>The requested URL was rejected. ${text}</p>` },
  {
    name: "a page behind Cloudflare",
    status: 200,
    body: `${text}<script src=/cdn-cgi/challenge-platform/a.js></script>`
  },
  { name: "a plain refusal", status: 403, body: "<h1>Forbidden</h1>" },
  { name: "too many requests", status: 429, headers: [["Retry-After", "1"]] },
  { name: "an answer without content", status: 204 }
]

describe("a bot challenge", () => {
  for (const [answers, expected] of [
    [challenges, true],
    [pages, false]
  ] as const)
    for (const { body = "", headers = [], name, status } of answers)
      test(`${name} is ${expected ? "one" : "none"}`, () =>
        expect(isChallenge(status, headers, new TextEncoder().encode(body))).toBe(expected))
})

const about = new URL("https://agency.example/bot")

describe("the user agent", () => {
  test("names the page that explains the crawler, if one is configured", () => {
    expect(userAgent(about)).toBe("Mozilla/5.0 (compatible; FindableBot/1.0; +https://agency.example/bot)")
    expect(userAgent(null)).toBe("Mozilla/5.0 (compatible; FindableBot/1.0)")
  })

  test("is a single comment of visible ASCII for any URL of that page", () => {
    expect(userAgent(new URL("https://b\u00fccher.example/a(b)\u00e9?x=\\)\r\n#(")).replace(/^.*\+/, "")).toBe(
      "https://xn--bcher-kva.example/a%28b%29%C3%A9?x=%5C%29#%28)"
    )
  })

  test('has a product token: its first name, or the name after "compatible" in a browser-like string', () => {
    for (const [agent, token] of [
      ["ShopBot/2.0 (+https://shop.example/bot)", "ShopBot"],
      ["shop-check_er", "shop-check_er"],
      ["Mozilla/5.0 (compatible; ShopBot/2.0; +https://shop.example)", "ShopBot"],
      ["Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36", "Mozilla"],
      ["42/1.0", "FindableBot"],
      [undefined, "FindableBot"]
    ] as const)
      expect(productTokenOf(agent === undefined ? {} : { userAgent: agent })).toBe(token)
    expect(productTokenOf({ productToken: "Own", userAgent: "ShopBot/2.0" })).toBe("Own")
  })

  it("selects the group of robots.txt if a program sets its own", function* () {
    const sent: Array<string> = []
    const site = memoryOutbound(({ pathname }) => {
      sent.push(pathname)
      if (pathname === "/robots.txt")
        return { body: "User-agent: FindableBot\nDisallow: /open\nUser-agent: shopbot\nDisallow: /closed" }
      return { body: html({ title: pathname, links: ["/open", "/closed"] }) }
    })
    const { summary } = yield* Effect.provide(report("http://site.test/", { userAgent: "ShopBot/2.0" }), site)
    expect([summary.crawl.user_agent, summary.robots.group]).toEqual(["ShopBot/2.0", "shopbot"])
    expect([sent.includes("/open"), sent.includes("/closed")]).toEqual([true, false])
  })

  it("is sent with every request and shown in the summary, and its product token selects the group of robots.txt", function* () {
    const sent: Array<readonly [path: string, agent: string | undefined]> = []
    const site = memoryOutbound(({ pathname }, { headers }) => {
      sent.push([pathname, headers?.["user-agent"]])
      if (pathname === "/robots.txt")
        return { body: "User-agent: FindableBot\nDisallow: /closed\nUser-agent: agency\nDisallow: /open" }
      return pathname === "/" || pathname === "/open"
        ? { body: html({ title: pathname, links: ["/open", "/closed"] }) }
        : { status: 404 }
    })
    const { summary } = yield* Effect.provide(report("http://site.test/", { crawlerUrl: about }), site)
    expect(summary.crawl?.user_agent).toBe(userAgent(about))
    expect(new Set(sent.map(([, agent]) => agent))).toEqual(new Set([userAgent(about)]))
    const paths = sent.map(([path]) => path)
    expect(paths).toContain("/open")
    expect(paths).not.toContain("/closed")
  })
})
