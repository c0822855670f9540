import { expect } from "bun:test"
import * as Effect from "effect/Effect"
import { actionOf } from "../../src/crawl/site/Site.ts"
import { it } from "../harness.ts"
import { report } from "./site/Crawled.ts"
import { html } from "./site/Html.ts"
import { memoryOutbound, type ScriptedSite } from "./site/MemoryOutbound.ts"

const origin = "https://site.test"
const notFound = { status: 404, headers: {} }

/** The report on a site, and every requested URL. */
const asked = (site: ScriptedSite, maxPages = 50) =>
  Effect.gen(function* () {
    const urls: Array<string> = []
    const outbound = memoryOutbound(site, ({ pathname, search }) => urls.push(pathname + search))
    return { urls, result: yield* Effect.provide(report(`${origin}/`, { maxPages }), outbound) }
  })

const sitemapOf = (paths: ReadonlyArray<string>): string =>
  `<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${paths.map((path) => `<url><loc>${origin}${path}</loc></url>`).join("")}</urlset>`

it("a shop whose products have cart links is crawled without a request to these links, and they lower no score", function* () {
  const products = Array.from({ length: 20 }, (_, index) => `/product/tea-${index}/`)
  const paths = ["/", ...products]
  const cart = products.flatMap((_, id) => [`/?add-to-cart=${id}`, `/shop/?add_to_wishlist=${id}`])
  const distrusted = [...cart, "/user/logout"].map((to) => `<a href="${to}" rel="nofollow">do ${to}</a>`)
  const nav = `<nav>${[...paths.map((to) => `<a href="${to}">to ${to}</a>`), ...distrusted].join("")}</nav>`
  const { result, urls } = yield* asked(({ pathname }) => {
    if (pathname === "/robots.txt") return { headers: {}, body: `Sitemap: ${origin}/sitemap.xml` }
    if (pathname === "/sitemap.xml") return { headers: { "content-type": "text/xml" }, body: sitemapOf(paths) }
    if (!paths.includes(pathname)) return notFound
    const head = `<link rel="canonical" href="${origin}${pathname}">`
    return { body: html({ title: `Tea of ${pathname}`, head, body: nav }) }
  }, 30)
  expect(urls.filter((url) => actionOf(new URL(url, origin)) !== null)).toEqual([])
  expect(result.score.aggregate_score).toBeGreaterThanOrEqual(98)
  expect(result.score).toMatchObject({ coverage: 1, provisional: false })
  expect(result.summary).toMatchObject({
    complete: true,
    dead_links: { state: "complete", unverified: 0 },
    inventory: { eligible: 21, reasons: [{ reason: "action_link", count: 41 }] }
  })
  const acting = result.summary.limits.traps.filter(({ reason }) => reason === "action_link")
  expect(acting.map(({ count, pattern, unread }) => [pattern, count, unread])).toEqual([
    ["?add-to-cart", 20, 20],
    ["?add_to_wishlist", 20, 20],
    ["/user/logout", 1, 1]
  ])
  expect(result.pages.find(({ url }) => url === `${origin}/?add-to-cart=3`)).toMatchObject({
    fetch_state: "not_fetched",
    health_state: "unchecked",
    indexability_state: "unknown",
    linked_from_count: 21,
    evidence: { attempts: [], note: 'never requested: the URL performs an action ("?add-to-cart")' }
  })
  expect(result.findings.find(({ rule }) => rule === "link_nofollow_internal")?.status).toBe("pass")
})

it("redirects to a URL that triggers an action are not followed, with or without cookies", function* () {
  const { result, urls } = yield* asked(({ pathname }) => {
    if (pathname === "/") return { body: html({ title: "Home", links: ["/buy", "/leave"] }) }
    if (pathname === "/buy") return { status: 302, headers: { location: "/cart/add?id=3" } }
    const headers = { location: "/logout", "set-cookie": "seen=1" }
    return pathname === "/leave" ? { status: 302, headers } : notFound
  })
  expect(urls.filter((url) => actionOf(new URL(url, origin)) !== null)).toEqual([])
  const reasons = result.pages.map(({ health_reason, url }) => [new URL(url).pathname, health_reason])
  expect(Object.fromEntries(reasons)).toEqual({
    "/": "ok",
    "/buy": "redirect_temporary",
    "/leave": "redirect_temporary",
    "/cart/add": "action_link",
    "/logout": "action_link"
  })
  expect(result.summary.complete).toBe(true)
})

it("a crawl ends at a start page that redirects to a URL that triggers an action", function* () {
  const { result, urls } = yield* asked(({ pathname, search }) =>
    pathname === "/" && search === "" ? { status: 302, headers: { location: "/?add-to-cart=1" } } : notFound
  )
  expect(urls).not.toContain("/?add-to-cart=1")
  expect(result.pages.map(({ health_reason }) => health_reason)).toEqual(["redirect_temporary", "action_link"])
})

it("pages with nofollow links only are crawled after all others, and all of them when the limit allows", function* () {
  const menu = Array.from({ length: 6 }, (_, index) => `/menu-${index}`)
  const own = ["/a", "/b", "/c", "/menu-5"]
  const site: ScriptedSite = ({ pathname }) => {
    const nofollow = menu.map((to) => `<a href="${to}" rel="nofollow">to ${to}</a>`).join("")
    if (pathname === "/") return { body: html({ title: "Home", body: nofollow, links: own }) }
    return [...menu, ...own].includes(pathname) ? { body: html({ title: pathname, links: ["/"] }) } : notFound
  }
  const pagesOf = ({ urls }: { readonly urls: ReadonlyArray<string> }) =>
    urls.filter((url) => url === "/" || [...menu, ...own].includes(url))
  expect(pagesOf(yield* asked(site, 5))).toEqual(["/", ...own])
  expect(pagesOf(yield* asked(site, 50))).toEqual(["/", ...own, ...menu.slice(0, 5)])
})

it("a start page whose canonical lacks its parameters is found under the canonical URL", function* () {
  const head = `<link rel="canonical" href="${origin}/home/">`
  const result = yield* Effect.provide(
    report(`${origin}/home/?lang=en`),
    memoryOutbound(({ pathname, search }) =>
      pathname === "/home/" ? { body: html({ title: "Home", head, links: [`/home/${search}`] }) } : notFound
    )
  )
  expect(result.pages.map(({ health_reason, indexability_state }) => [health_reason, indexability_state])).toEqual([
    ["canonical_variant", "canonicalised"],
    ["ok", "indexable"]
  ])
  expect(result.findings.find(({ rule }) => rule === "start_hidden")?.status).toBe("pass")
  expect(result.score.breakdown).toMatchObject({ factor: null })
})
