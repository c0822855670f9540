import { describe, expect } from "bun:test"
import * as Effect from "effect/Effect"
import type { CrawlOptions, CrawlResult } from "../../src/crawl/Crawl.ts"
import { it } from "../harness.ts"
import { report } from "./site/Crawled.ts"
import { html } from "./site/Html.ts"
import { memoryOutbound, type Reply } from "./site/MemoryOutbound.ts"

const origin = "https://site.test"

interface Site {
  readonly robots: ReadonlyArray<string> | Reply
  readonly pages?: Readonly<Record<string, Reply>>
  readonly options?: Partial<CrawlOptions>
}

/** A site with a start page that links to `pages`, and a robots.txt of these lines. */
const crawled = ({ options, pages = {}, robots }: Site) => {
  const asked: Array<string> = []
  const site: Readonly<Record<string, Reply>> = {
    "/": { body: html({ title: "Home", links: Object.keys(pages) }) },
    "/robots.txt": "length" in robots ? { body: robots.join("\n") } : robots,
    ...pages
  }
  const outbound = memoryOutbound(
    ({ pathname, search }) => site[pathname + search] ?? { status: 404 },
    ({ pathname, search }) => asked.push(pathname + search)
  )
  return Effect.provide(report(`${origin}/`, options), outbound).pipe(Effect.map((result) => ({ asked, result })))
}

const page = (head = ""): Reply => ({ body: html({ title: "Page", head, links: ["/"] }) })
const entry = ({ pages }: CrawlResult, path: string) => pages.find(({ url }) => url === `${origin}${path}`)
const finding = ({ findings }: CrawlResult, rule: string) => findings.find((each) => each.rule === rule)
const agent = ({ summary }: CrawlResult, name: string) => summary.robots.agents?.find((each) => each.agent === name)
const everyone = [
  "Googlebot",
  "Bingbot",
  "GPTBot",
  "OAI-SearchBot",
  "ClaudeBot",
  "PerplexityBot",
  "Google-Extended",
  "Applebot-Extended",
  "CCBot"
]

describe("a URL that robots.txt allows for this crawler but not for Googlebot", () => {
  it("is crawled, and reported as hidden by robots.txt with the line", function* () {
    const { asked, result } = yield* crawled({
      robots: ["User-agent: Googlebot", "Disallow: /", "User-agent: *", "Disallow:"],
      pages: { "/a": page("<meta name=robots content=noindex>") }
    })
    expect(asked).toContain("/a")
    expect(entry(result, "/a")).toMatchObject({
      title: "Page",
      fetch_state: "fetched",
      indexability_state: "blocked_by_robots",
      health_state: "hidden",
      health_reason: "blocked_by_robots",
      evidence: { also: ["noindex_meta"], robots_line: { line: 2, text: "Disallow: /", group: "Googlebot" } }
    })
    expect(finding(result, "start_blocked")).toMatchObject({
      status: "fail",
      severity: "critical",
      evidence: { items: [{ url: `${origin}/`, value: "Disallow: /", place: "robots" }] }
    })
    expect(finding(result, "start_blocked")?.evidence.items[0]?.detail).toBe("line 2: Disallow: / (group of Googlebot)")
    expect(finding(result, "start_hidden")?.status).toBe("pass")
    expect(finding(result, "blocked_but_linked")?.pages).toContain(`${origin}/a`)
    expect(result.score.aggregate_score).toBeLessThanOrEqual(10)
  })

  it("is reported as an error or a redirect first if that is its response", function* () {
    const { result } = yield* crawled({
      robots: ["User-agent: googlebot", "Disallow: /no/"],
      pages: { "/no/gone": { status: 404 }, "/no/moved": { status: 301, headers: { location: "/" } } }
    })
    expect(entry(result, "/no/gone")).toMatchObject({
      indexability_state: "not_indexable",
      health_reason: "http_4xx",
      evidence: { also: ["blocked_by_robots"], robots_line: { line: 2 } }
    })
    expect(entry(result, "/no/moved")).toMatchObject({
      health_reason: "redirect_permanent",
      evidence: { also: ["blocked_by_robots"] }
    })
  })

  it("is reported as hidden even beyond the page limit, and the crawl is not complete", function* () {
    const { asked, result } = yield* crawled({
      robots: ["User-agent: Googlebot", "Disallow: /no"],
      pages: { "/a": page(), "/no": page() },
      options: { maxPages: 2 }
    })
    expect(asked).not.toContain("/no")
    expect(entry(result, "/no")).toMatchObject({ fetch_state: "not_fetched", health_reason: "blocked_by_robots" })
    expect(result.summary.termination).toBe("max-pages")
  })

  it("is also hidden behind a redirect that sets a cookie", function* () {
    const outbound = memoryOutbound(({ pathname }, { cookies }) => {
      if (pathname === "/robots.txt") return { body: "User-agent: Googlebot\nDisallow: /wall" }
      if (pathname === "/") return { body: html({ links: ["/wall"] }) }
      if (pathname === "/consent") return { status: 302, headers: { location: "/wall", "set-cookie": "ok=1; Path=/" } }
      return cookies === "ok=1" ? page() : { status: 302, headers: { location: "/consent" } }
    })
    const result = yield* Effect.provide(report(`${origin}/`), outbound)
    expect(entry(result, "/wall")).toMatchObject({
      fetch_state: "fetched",
      health_reason: "blocked_by_robots",
      evidence: { robots_line: { line: 2 } }
    })
  })

  it("is an issue if it is a sitemap", function* () {
    const { result } = yield* crawled({
      robots: ["User-agent: Googlebot", "Disallow: /map", `Sitemap: ${origin}/map.txt`],
      pages: { "/map.txt": { headers: { "content-type": "text/plain" }, body: `${origin}/` } }
    })
    expect(finding(result, "sitemap_invalid")?.evidence.items[0]?.detail).toBe(
      `${origin}/map.txt: blocked by robots.txt`
    )
  })
})

describe("a URL that robots.txt blocks for this crawler but not for Googlebot", () => {
  const closed = [
    ["by a group for it", ["User-agent: FindableBot", "Disallow: /x"], "FindableBot"],
    ["by a list of allowed agents", ["User-agent: *", "Disallow: /x", "User-agent: Googlebot", "Disallow:"], "*"]
  ] as const

  for (const [how, robots, group] of closed) {
    it(`is not requested, and its indexability is unknown: ${how}`, function* () {
      const { asked, result } = yield* crawled({ robots, pages: { "/x": page(), "/a": page() } })
      expect(asked).not.toContain("/x")
      expect(entry(result, "/x")).toMatchObject({
        http_status: null,
        fetch_state: "blocked_by_robots",
        indexability_state: "unknown",
        health_state: "unchecked",
        health_reason: "blocked_for_us",
        evidence: { also: [], robots_line: { line: 2, text: "Disallow: /x", group } }
      })
      const blamed = result.findings.filter(
        ({ pages, rule }) => pages.includes(`${origin}/x`) && rule !== "bingbot_blocked"
      )
      expect(blamed.map(({ rule }) => rule)).toEqual([])
      expect(finding(result, "title_duplicate")?.status).not.toBe("pass")
      expect(result.score.range.low).toBeLessThan(result.score.aggregate_score ?? 0)
    })
  }

  it("fails the crawl if it is the start page, and the error quotes the line", function* () {
    const robots = ["User-agent: FindableBot", "Disallow: /", "User-agent: *", "Disallow: /y"]
    const failed = yield* Effect.flip(crawled({ robots }))
    expect(failed).toMatchObject({ _tag: "CrawlFailed", code: "start_refused" })
    expect(failed.message).toBe(
      `${origin}/ blocks this crawler: robots.txt blocks FindableBot and allows Googlebot: line 2, "Disallow: /", in the group of FindableBot`
    )
  })

  it("fails the crawl if it is the start page of a site that allows search engines only", function* () {
    const robots = ["User-agent: Googlebot", "User-agent: bingbot", "Allow: /", "", "User-agent: *", "Disallow: /"]
    const failed = yield* Effect.flip(crawled({ robots }))
    expect(failed.code).toBe("start_refused")
    expect(failed.message).toContain('line 6, "Disallow: /", in the group of *')
  })

  it("fails the crawl if the start page redirects to it", function* () {
    const failed = yield* Effect.flip(
      crawled({
        robots: ["User-agent: FindableBot", "Disallow: /en"],
        pages: { "/": { status: 301, headers: { location: "/en" } }, "/en": page() }
      })
    )
    expect(failed.message).toStartWith(`${origin}/en blocks this crawler`)
  })

  it("leaves the sitemap check unassessed if it is a sitemap", function* () {
    const robots = ["User-agent: FindableBot", "Disallow: /map", `Sitemap: ${origin}/map.txt`]
    const { result } = yield* crawled({ robots })
    expect(result.summary.sitemap.files[0]?.state).toBe("blocked_by_robots")
    expect(finding(result, "sitemap_invalid")).toMatchObject({ status: "not_assessed" })
  })
})

describe("agents that Google joins in one group of robots.txt", () => {
  const joined = 'Google reads lines 1 to 5 as one group of *, BadBot: line 2 "Crawl-delay: 10" does not end the group'
  const robots = ["User-agent: *", "Crawl-delay: 10", "", "User-agent: BadBot", "Disallow: /"]

  it("are named wherever their rule blocks a page, with their lines and the line between them that does not end the group", function* () {
    const { result } = yield* crawled({ robots })
    expect(finding(result, "start_blocked")?.evidence.items[0]?.detail).toBe(
      `line 5: Disallow: / (group of *). ${joined}`
    )
    expect(entry(result, "/")?.evidence?.robots_line).toEqual({ line: 5, text: "Disallow: /", group: "*", joined })
    expect(agent(result, "GPTBot")?.line?.joined).toBe(joined)
    expect(finding(result, "robots_txt_lines")?.status).toBe("pass")
  })

  it("are also named for other search engines and AI robots", function* () {
    const { result } = yield* crawled({
      robots: [
        "User-agent: bingbot",
        "Crawl-delay: 5",
        "User-agent: GPTBot",
        `Sitemap: ${origin}/sitemap.xml`,
        "User-agent: CCBot",
        "Disallow: /"
      ],
      pages: { "/a": page() }
    })
    const why = `Google reads lines 1 to 6 as one group of bingbot, GPTBot, CCBot: line 2 "Crawl-delay: 5", line 4 "Sitemap: ${origin}/sitemap.xml" do not end the group`
    expect(finding(result, "bingbot_blocked")?.evidence.items[0]?.detail).toBe(
      `line 6: Disallow: / (group of bingbot). ${why}`
    )
    expect(finding(result, "ai_bots_blocked")?.evidence.items[0]?.detail).toBe(
      `GPTBot, CCBot blocked from the start page by line 6: Disallow: /. ${why}`
    )
  })

  it("are also named in the error when the group blocks this crawler", function* () {
    const failed = yield* Effect.flip(
      crawled({
        robots: [
          ...robots.map((line) => line.replace("*", "FindableBot").replace("10", "0.1")),
          "User-agent: Googlebot",
          "Disallow:"
        ]
      })
    )
    expect(failed.message).toEndWith(
      'in the group of FindableBot. Google reads lines 1 to 5 as one group of FindableBot, BadBot: line 2 "Crawl-delay: 0.1" does not end the group'
    )
  })

  it("show no password of a URL between their lines", function* () {
    const { result } = yield* crawled({
      robots: ["User-agent: *", "Sitemap: https://me:secret@site.test/s.xml", "User-agent: BadBot", "Disallow: /"]
    })
    expect(JSON.stringify(result)).not.toContain("secret")
  })
})

describe("a URL that robots.txt blocks for Googlebot and this crawler", () => {
  it("is not requested, and is reported with the line for Googlebot", function* () {
    const { asked, result } = yield* crawled({
      robots: ["User-agent: FindableBot", "Disallow: /x", "User-agent: Googlebot", "Disallow: /*x$"],
      pages: { "/x": page() }
    })
    expect(asked).not.toContain("/x")
    expect(entry(result, "/x")).toMatchObject({
      fetch_state: "blocked_by_robots",
      indexability_state: "blocked_by_robots",
      health_reason: "blocked_by_robots",
      evidence: { robots_line: { line: 4, group: "Googlebot" } }
    })
  })

  it("does not fail the crawl if it is the start page", function* () {
    const { result } = yield* crawled({ robots: ["User-agent: *", "Disallow: /"] })
    expect(result.pages).toHaveLength(1)
    expect(finding(result, "start_blocked")?.evidence.items[0]?.detail).toBe("line 2: Disallow: / (group of *)")
    expect(result.score.aggregate_score).toBeLessThanOrEqual(10)
  })
})

it("a robots meta tag addressed to this crawler has no effect on indexability", function* () {
  const { result } = yield* crawled({
    robots: { status: 404 },
    pages: {
      "/a": page("<meta name=findablebot content=noindex>"),
      "/b": { ...page(), headers: { "content-type": "text/html", "x-robots-tag": "findablebot: noindex" } },
      "/c": page("<meta name=googlebot content=noindex>")
    }
  })
  expect(["/a", "/b", "/c"].map((path) => entry(result, path)?.health_reason)).toEqual(["ok", "ok", "noindex_meta"])
})

describe("the table of agents", () => {
  it("shows for each agent how many pages it may crawl, and the line that decides for the start page", function* () {
    const { result } = yield* crawled({
      robots: [
        "User-agent: *",
        "Disallow: /private",
        "User-agent: GPTBot",
        "Disallow: /",
        "User-agent: ClaudeBot",
        "Allow: /",
        "Disallow: /a"
      ],
      pages: {
        "/a": page(),
        "/b": page("<meta name=robots content=noindex>"),
        "/private": page(),
        "/gone": { status: 404 },
        "/moved": { status: 301, headers: { location: "/a" } },
        "/x.pdf": { headers: { "content-type": "application/pdf" } }
      }
    })
    expect(result.summary.robots.agents?.map((each) => each.agent)).toEqual(everyone)
    const most = { allowed_pages: 3, blocked_pages: 1, start_allowed: true, line: null }
    expect(agent(result, "Googlebot")).toEqual({ agent: "Googlebot", ...most })
    expect(agent(result, "CCBot")).toEqual({ agent: "CCBot", ...most })
    expect(agent(result, "GPTBot")).toEqual({
      agent: "GPTBot",
      allowed_pages: 0,
      blocked_pages: 4,
      start_allowed: false,
      line: { line: 4, text: "Disallow: /", group: "GPTBot" }
    })
    expect(agent(result, "ClaudeBot")).toEqual({
      agent: "ClaudeBot",
      allowed_pages: 3,
      blocked_pages: 1,
      start_allowed: true,
      line: { line: 6, text: "Allow: /", group: "ClaudeBot" }
    })
  })

  for (const [robots, allowed] of [
    [{ status: 404 }, true],
    [{ status: 503 }, false]
  ] as const) {
    it(`allows or blocks all agents alike when robots.txt returns ${robots.status}`, function* () {
      const { result } = yield* crawled({ robots })
      expect(result.summary.robots.agents).toEqual(
        everyone.map((name) => ({
          agent: name,
          allowed_pages: allowed ? 1 : 0,
          blocked_pages: allowed ? 0 : 1,
          start_allowed: allowed,
          line: null
        }))
      )
      expect(finding(result, "ai_bots_blocked")?.status).toBe(allowed ? "pass" : "not_assessed")
      expect(finding(result, "bingbot_blocked")?.status).toBe(allowed ? "pass" : "not_assessed")
    })
  }

  it("leaves out pages that need too many comparisons, for all agents", function* () {
    const rules = Array.from({ length: 12_000 }, (_, at) => `Disallow: /*${at}$`)
    const pages = Object.fromEntries(
      Array.from({ length: 6 }, (_, at) => [`/${"long-".repeat(380)}${"abcdef"[at]}`, page()] as const)
    )
    const { result } = yield* crawled({ robots: ["User-agent: *", ...rules], pages })
    const counted = result.summary.robots.agents?.map((each) => each.allowed_pages + each.blocked_pages) ?? []
    expect(result.pages).toHaveLength(7)
    expect(counted[0]).toBeGreaterThan(0)
    expect(counted[0]).toBeLessThan(7)
    expect(new Set(counted).size).toBe(1)
  })
})

describe("pages that robots.txt allows for Googlebot but not for other agents", () => {
  it("are a warning when they are blocked for Bingbot, also by the group of msnbot", function* () {
    for (const name of ["bingbot", "msnbot"]) {
      const { result } = yield* crawled({
        robots: ["User-agent: *", "Disallow: /all", `User-agent: ${name}`, "Disallow: /a"],
        pages: { "/a": page(), "/all": page(), "/b": page() }
      })
      expect(finding(result, "bingbot_blocked")).toMatchObject({
        status: "fail",
        severity: "warning",
        pages: [`${origin}/a`],
        evidence: {
          assessed: 3,
          items: [{ value: "Disallow: /a", place: "robots", detail: `line 4: Disallow: /a (group of ${name})` }]
        }
      })
    }
  })

  it("are an info without score impact when they are blocked for AI robots, which are grouped by line", function* () {
    const pages = { "/a": page(), "/b": page() }
    const { result: open } = yield* crawled({ robots: ["User-agent: *", "Disallow:"], pages })
    const { result } = yield* crawled({
      robots: ["User-agent: GPTBot", "User-agent: CCBot", "Disallow: /", "User-agent: PerplexityBot", "Disallow: /b"],
      pages
    })
    expect(finding(open, "ai_bots_blocked")?.status).toBe("pass")
    expect(finding(result, "ai_bots_blocked")).toMatchObject({ status: "fail", severity: "info", count: 1 })
    expect(finding(result, "ai_bots_blocked")?.evidence.items).toEqual([
      {
        url: `${origin}/`,
        detail:
          "GPTBot, CCBot blocked from the start page by line 3: Disallow: /; PerplexityBot blocked from a page by line 5: Disallow: /b",
        value: "Disallow: /",
        place: "robots"
      }
    ])
    expect(result.score.aggregate_score).toBe(open.score.aggregate_score)
  })

  it("are no issue when robots.txt blocks the same pages for Googlebot", function* () {
    const { result } = yield* crawled({ robots: ["User-agent: *", "Disallow: /a"], pages: { "/a": page() } })
    expect(finding(result, "ai_bots_blocked")?.status).toBe("pass")
    expect(finding(result, "bingbot_blocked")?.status).toBe("pass")
  })
})

it("a crawled URL with a tracking parameter counts as one page in the table of agents", function* () {
  const { asked, result } = yield* crawled({
    robots: ["User-agent: *", "Disallow: /place", "User-agent: Googlebot", "User-agent: FindableBot", "Disallow:"],
    pages: { "/place": page(), "/place?fbclid=x1": page() }
  })
  expect(asked).toContain("/place?fbclid=x1")
  expect(agent(result, "Googlebot")).toMatchObject({ allowed_pages: 3, blocked_pages: 0 })
  expect(agent(result, "Bingbot")).toMatchObject({ allowed_pages: 1, blocked_pages: 2 })
})
