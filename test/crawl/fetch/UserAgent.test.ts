import { describe, expect, test } from "bun:test"
import * as Effect from "effect/Effect"
import { productTokenOf, userAgent } from "../../../src/crawl/fetch/Headers.ts"
import { it } from "../../harness.ts"
import { report } from "../site/Crawled.ts"
import { html } from "../site/Html.ts"
import { memoryOutbound } from "../site/MemoryOutbound.ts"

const about = new URL("https://agency.example/bot")

describe("the user agent", () => {
  test("names the page that explains the crawler, and none when there is none", () => {
    expect(userAgent(about)).toBe("Mozilla/5.0 (compatible; FindableBot/1.0; +https://agency.example/bot)")
    expect(userAgent(null)).toBe("Mozilla/5.0 (compatible; FindableBot/1.0)")
  })

  test("stays one comment of visible ASCII whatever the address", () => {
    expect(userAgent(new URL("https://b\u00fccher.example/a(b)\u00e9?x=\\)\r\n#(")).replace(/^.*\+/, "")).toBe(
      "https://xn--bcher-kva.example/a%28b%29%C3%A9?x=%5C%29#%28)"
    )
  })

  test("has a product token: its first name, or the one that a browser's form calls compatible", () => {
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

  it("of its own chooses the group of robots.txt", function* () {
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

  it("is sent with every request and told in the summary, and robots.txt speaks to it by its product token", function* () {
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
