import { describe, expect } from "bun:test"
import * as Effect from "effect/Effect"
import type { CrawlResult } from "../../src/crawl/Crawl.ts"
import type { HealthReason } from "../../src/crawl/report/MeasuredPage.ts"
import { it } from "../harness.ts"
import { virtualClock } from "./generator/VirtualClock.ts"
import { report } from "./site/Crawled.ts"
import { html } from "./site/Html.ts"
import { memoryOutbound, type Reply } from "./site/MemoryOutbound.ts"

/** The page `/x` returns these in turn, the last one forever; the start page links to it. */
const turns = (...replies: ReadonlyArray<Reply>) =>
  memoryOutbound((url, _, asked) => {
    if (url.pathname === "/robots.txt" || url.pathname === "/sitemap.xml") return { status: 404 }
    if (url.pathname === "/") return { body: html({ title: "Home", links: ["/x"] }) }
    return url.pathname === "/x" ? (replies[Math.min(asked, replies.length - 1)] ?? { status: 404 }) : { status: 404 }
  })

const page: Reply = { body: html({ title: "Page" }) }

const at = (status: number): Reply => ({ status, headers: {} })

const expected = [
  {
    name: "404 twice is broken",
    replies: [at(404)],
    reason: "http_4xx",
    attempts: [404, 404],
    found: 1,
    unverified: 0
  },
  {
    name: "410 twice is broken",
    replies: [at(410)],
    reason: "http_4xx",
    attempts: [410, 410],
    found: 1,
    unverified: 0
  },
  {
    name: "404 and then a page is a page",
    replies: [at(404), page],
    reason: "ok",
    attempts: [404, 200],
    found: 0,
    unverified: 0
  },
  {
    name: "500 twice is broken",
    replies: [at(500)],
    reason: "http_5xx",
    attempts: [500, 500],
    found: 1,
    unverified: 0
  },
  {
    name: "500 and then a page is a page",
    replies: [at(500), page],
    reason: "ok",
    attempts: [500, 200],
    found: 0,
    unverified: 0
  },
  {
    name: "503 and then a page is a page",
    replies: [at(503), page],
    reason: "ok",
    attempts: [503, 200],
    found: 0,
    unverified: 0
  },
  {
    name: "401 twice is broken",
    replies: [at(401)],
    reason: "http_4xx",
    attempts: [401, 401],
    found: 1,
    unverified: 0
  },
  {
    name: "404 and then a timeout is unverified",
    replies: [at(404), { fault: "timeout" }],
    reason: "timed_out",
    attempts: [404, null],
    found: 0,
    unverified: 1
  },
  {
    name: "500 and then two resets are unverified",
    replies: [at(500), { fault: "reset" }],
    reason: "connection_failed",
    attempts: [500, null, null],
    found: 0,
    unverified: 1
  },
  {
    name: "a reset and then a page is a page",
    replies: [{ fault: "reset" }, page],
    reason: "ok",
    attempts: [null, 200],
    found: 0,
    unverified: 0
  },
  {
    name: "429 three times is unverified",
    replies: [at(429)],
    reason: "rate_limited",
    attempts: [429, 429, 429],
    found: 0,
    unverified: 1
  },
  {
    name: "430 counts as 429",
    replies: [at(430)],
    reason: "rate_limited",
    attempts: [430, 430, 430],
    found: 0,
    unverified: 1
  },
  {
    name: "429 and then a page is a page",
    replies: [at(429), page],
    reason: "ok",
    attempts: [429, 200],
    found: 0,
    unverified: 0
  },
  {
    name: "404 and then 429 is unverified",
    replies: [at(404), at(429)],
    reason: "rate_limited",
    attempts: [404, 429, 429],
    found: 0,
    unverified: 1
  },
  {
    name: "a TLS error is unverified",
    replies: [{ fault: "tls" }],
    reason: "connection_failed",
    attempts: [null],
    found: 0,
    unverified: 1
  }
] satisfies ReadonlyArray<{
  readonly name: string
  readonly replies: ReadonlyArray<Reply>
  readonly reason: HealthReason
  readonly attempts: ReadonlyArray<number | null>
  readonly found: number
  readonly unverified: number
}>

describe("a broken link needs confirmation", () => {
  for (const { attempts, found, name, reason, replies, unverified } of expected) {
    it(name, function* () {
      const { pages, summary } = yield* Effect.provide(report("http://site.test/"), turns(...replies))
      const x = pages.find(({ url }) => url.endsWith("/x"))
      expect(x?.health_reason).toBe(reason)
      expect(x?.evidence?.attempts.map(({ http_status }) => http_status)).toEqual([...attempts])
      expect(summary.dead_links).toMatchObject({ state: "complete", found, unverified, checked: 2 - unverified })
      const linkers = summary.dead_links.items.flatMap(({ linked_from }) => linked_from)
      expect(linkers).toEqual(found === 1 ? ["http://site.test/"] : [])
    })
  }
})

const answers = (own: (path: string) => Reply | undefined) =>
  memoryOutbound((url) => {
    const reply = own(url.pathname)
    if (reply !== undefined) return reply
    return url.pathname === "/robots.txt" || url.pathname === "/sitemap.xml"
      ? { status: 404 }
      : { status: 404, body: "no" }
  })

const reasons = (links: ReadonlyArray<string>, own: (path: string) => Reply | undefined) =>
  Effect.map(
    Effect.provide(
      report("http://site.test/"),
      answers((path) => own(path) ?? (path === "/" ? { body: html({ title: "Home", links }) } : undefined))
    ),
    ({ pages }) => Object.fromEntries(pages.map(({ health_reason, url }) => [new URL(url).pathname, health_reason]))
  )

it("a site that renders every path by script does not consist of soft 404s", function* () {
  const shell = { body: "<!doctype html><title>App</title><div id=root></div><script src=/app.js></script>" }
  const found = yield* Effect.provide(
    report("http://site.test/"),
    memoryOutbound((url) =>
      url.pathname === "/robots.txt"
        ? { status: 404 }
        : url.pathname === "/"
          ? { body: `${shell.body}<a href=/a></a><a href=/b></a>` }
          : shell
    )
  )
  expect(found.pages.map(({ health_reason }) => health_reason)).toEqual(["ok", "ok", "ok"])
  expect(found.findings.find(({ rule }) => rule === "missing_page_answers_200")?.status).toBe("fail")
})

it("a page that looks like the site's error page and says so is a soft 404, and an article about 404 is none", function* () {
  const missing = { body: html({ title: "Sorry, not found" }) }
  const found = yield* Effect.provide(
    report("http://site.test/"),
    memoryOutbound((url) => {
      if (url.pathname === "/robots.txt") return { status: 404 }
      if (url.pathname === "/") return { body: html({ title: "Home", links: ["/lost", "/article"] }) }
      return url.pathname === "/article" ? { body: html({ title: "The history of the 404 error page" }) } : missing
    })
  )
  expect(found.pages.map(({ health_reason }) => health_reason)).toEqual(["ok", "soft_404", "ok"])
  expect(found.pages[1]?.evidence?.note).toContain("cannot exist")
})

/** Pages of a site with real 404s, with the text of the site's error page last. */
const subjects: ReadonlyArray<readonly [name: string, body: string, reason: HealthReason]> = [
  [
    "a car",
    "<title>Peugeot 404</title><h1>Peugeot 404</h1><p>The 404 was made from 1960 to 1975.</p><a href=/>Home</a>",
    "ok"
  ],
  [
    "a help page",
    "<title>404 Not Found</title><h1>404 Not Found</h1><p>Your browser reached the server, but there is nothing at this address. Check the spelling, or begin at the front page and use the search.</p><a href=/>Home</a>",
    "ok"
  ],
  [
    "an API reference",
    "<title>404 Not Found</title><h1>404 Not Found</h1><p>The object does not exist.</p><a href=/errors/409>409 Conflict</a><a href=/>Home</a>",
    "ok"
  ],
  [
    "an error page without other content",
    "<title>404 Not Found</title><h1>Not found</h1><p>Sorry, the page does not exist.</p><a href=/>Home</a>",
    "soft_404"
  ],
  [
    "the site's error page with status 200",
    "<title>Oh no</title><h1>Oh no</h1><p>We looked and looked but there is nothing at all to be seen here, sorry.</p><a href=/>Home</a>",
    "soft_404"
  ]
]

describe("on a site with real 404s, words alone make no soft 404", () => {
  for (const [name, body, reason] of subjects) {
    it(`${name} is ${reason}`, function* () {
      const error = subjects.at(-1)?.[1] ?? ""
      const site = memoryOutbound((url) => {
        if (url.pathname === "/") return { body: html({ title: "Home", links: ["/x"] }) }
        return url.pathname === "/x"
          ? { body: `<!doctype html>${body}` }
          : { status: 404, body: `<!doctype html>${error}` }
      })
      const { pages } = yield* Effect.provide(report("http://site.test/"), site)
      expect(pages.find(({ url }) => url.endsWith("/x"))?.health_reason).toBe(reason)
    })
  }
})

it("a suspected soft 404 that is a page at the second request is a page", function* () {
  const outbound = memoryOutbound((url, _, asked) => {
    if (url.pathname === "/") return { body: html({ title: "Home", links: ["/x"] }) }
    if (url.pathname !== "/x") return { status: 404 }
    return asked === 0 ? { body: "<title>Not found</title><h1>Not found</h1>" } : page
  })
  const { pages } = yield* Effect.provide(report("http://site.test/"), outbound)
  expect(pages[1]?.health_reason).toBe("ok")
})

it("a canonical that redirects back to the page counts as the page itself", function* () {
  const found = yield* reasons(["/x"], (path) => {
    if (path === "/x") return { body: html({ title: "X", head: "<link rel=canonical href=/y>" }) }
    return path === "/y" ? { status: 301, headers: { location: "/x" } } : undefined
  })
  expect(found).toMatchObject({ "/x": "ok", "/y": "redirect_permanent" })
})

it("redirects that never end are a redirect loop after ten hops, and cause no more requests", function* () {
  const asked: Array<string> = []
  const outbound = memoryOutbound(
    (url) => {
      if (url.pathname === "/") return { body: html({ title: "Home", links: ["/r/1"] }) }
      const hop = /^\/r\/(\d+)$/.exec(url.pathname)?.[1]
      return hop === undefined ? { status: 404 } : { status: 302, headers: { location: `/r/${Number(hop) + 1}` } }
    },
    (url) => asked.push(url.pathname)
  )
  const { pages, summary } = yield* Effect.provide(report("http://site.test/"), outbound)
  expect(pages.find(({ url }) => url.endsWith("/r/1"))?.health_reason).toBe("redirect_loop")
  expect(summary.termination).toBe("complete")
  expect(asked.filter((path) => path.startsWith("/r/")).length).toBe(11)
})

it("a redirect that a cookie resolves leads to the page, and a cookie that changes nothing leaves a redirect loop", function* () {
  const outbound = memoryOutbound((url, { cookies }) => {
    if (url.pathname === "/") return { body: html({ title: "Home", links: ["/wall", "/trap"] }) }
    const back = { status: 302, headers: { location: url.pathname, "set-cookie": "seen=1" } }
    if (url.pathname === "/wall") return cookies === "seen=1" ? page : back
    return url.pathname === "/trap" ? back : { status: 404 }
  })
  const { pages } = yield* Effect.provide(report("http://site.test/"), outbound)
  expect(pages.map(({ health_reason }) => health_reason)).toEqual(["ok", "ok", "redirect_loop"])
})

it("a broken link through a redirect names the page that contains the link", function* () {
  const { summary } = yield* Effect.provide(
    report("http://site.test/"),
    answers((path) => {
      if (path === "/") return { body: html({ title: "Home", links: ["/old"] }) }
      return path === "/old" ? { status: 301, headers: { location: "/gone" } } : undefined
    })
  )
  expect(summary.dead_links.items).toMatchObject([
    { url: "http://site.test/gone", http_status: 404, linked_from: ["http://site.test/"], anchor_text: "to /old" }
  ])
})

const gone: Reply = { status: 404 }

const never: Reply = { delay: 60_000 }

const disguised: Reply = { body: "<!doctype html><title>Not found</title><h1>Not found</h1>" }

const unhurried: Reply = { headers: { "content-type": "text/plain" }, body: "User-agent: *\nCrawl-delay: 10" }

interface Plan {
  /** The responses of `/x`, which the start page links to, in turn; the last one forever. */
  readonly x: ReadonlyArray<Reply>
  /** The response of a second page, if there is one. */
  readonly y?: Reply
  readonly robots?: Reply
}

/** A crawl of 25 seconds with real pauses, which take no time under the virtual clock. */
const crawled = ({ robots = gone, x, y }: Plan) => {
  const outbound = memoryOutbound(({ pathname }, _, asked) => {
    if (pathname === "/") return { body: html({ title: "Home", links: y === undefined ? ["/x"] : ["/x", "/y"] }) }
    if (pathname === "/robots.txt") return robots
    if (pathname === "/x") return x[Math.min(asked, x.length - 1)] ?? gone
    return pathname === "/y" ? (y ?? gone) : gone
  })
  return report("http://site.test/", { deadline: "25 seconds", timing: {} }).pipe(
    Effect.provide(outbound),
    Effect.withClock(virtualClock())
  )
}

const entryOf = ({ pages }: CrawlResult) => pages.find(({ url }) => url === "http://site.test/x")

const attemptsOf = (result: CrawlResult) =>
  entryOf(result)?.evidence?.attempts.map(({ cause, http_status }) => http_status ?? cause)

const statusOf = ({ findings }: CrawlResult, rule: string) => findings.find((finding) => finding.rule === rule)?.status

/** Expects the checks to be not assessed anywhere in the report. */
const expectOpen = (result: CrawlResult, reason: HealthReason, rules: ReadonlyArray<string>) => {
  expect(entryOf(result)).toMatchObject({
    health_state: "unchecked",
    health_reason: reason,
    indexability_state: "unknown"
  })
  expect(result.summary.dead_links).toMatchObject({ found: 0, items: [] })
  expect(rules.map((rule) => [rule, statusOf(result, rule)])).toEqual(rules.map((rule) => [rule, "not_assessed"]))
  expect(result.summary.inventory.eligible).toBe(1)
  expect(result.score.range.low).toBeLessThan(result.score.aggregate_score ?? 0)
}

describe("a refused page is not assessed when the deadline prevents its confirmation:", () => {
  const rules = ["page_client_error", "page_server_error", "broken_link"]

  for (const status of [404, 410, 403, 500]) {
    it(`${status}, and the second response did not arrive`, function* () {
      const result = yield* crawled({ x: [{ status }, never] })
      expect(result.summary.termination).toBe("max-duration")
      expectOpen(result, "limit_reached", rules)
    })

    it(`${status}, and no second request could start`, function* () {
      const result = yield* crawled({ x: [{ status }], robots: unhurried })
      expect(result.summary.termination).toBe("max-duration")
      expectOpen(result, "limit_reached", rules)
      expect(entryOf(result)).toMatchObject({ http_status: status, fetch_state: "http_error" })
      expect(attemptsOf(result)).toEqual([status])
      expect(result.summary.dead_links).toMatchObject({ state: "partial", checked: 1, unverified: 1 })
    })
  }
})

describe("a suspected soft 404 is not assessed when", () => {
  const cut = [
    ["the second request did not end in time", { x: [disguised, never] }],
    ["another page took the rest of the time", { x: [disguised], y: never }],
    ["no second request could start", { x: [disguised], robots: unhurried }]
  ] as const

  for (const [name, plan] of cut) {
    it(name, function* () {
      const result = yield* crawled(plan)
      expect(result.summary).toMatchObject({ termination: "max-duration", dead_links: { unverified: 1 } })
      expectOpen(result, "limit_reached", ["soft_404"])
      expect(entryOf(result)).toMatchObject({ http_status: 200, fetch_state: "fetched" })
      expect(entryOf(result)?.evidence?.note).toStartWith("not fetched again in time: title or heading says")
    })
  }

  it("the second request timed out", function* () {
    const result = yield* crawled({ x: [disguised, { fault: "timeout" }] })
    expect(result.summary).toMatchObject({ termination: "complete", dead_links: { unverified: 1 } })
    expectOpen(result, "timed_out", ["soft_404", "broken_link"])
    expect(attemptsOf(result)).toEqual([200, "timeout"])
  })
})

describe("a suspected soft 404 is decided when", () => {
  it("the second and third requests return 404", function* () {
    const result = yield* crawled({ x: [disguised, gone] })
    expect(entryOf(result)).toMatchObject({ http_status: 404, health_reason: "http_4xx" })
    expect(attemptsOf(result)).toEqual([200, 404, 404])
    expect(result.summary.dead_links.items.map(({ url }) => url)).toEqual(["http://site.test/x"])
    expect(statusOf(result, "soft_404")).toBe("pass")
  })

  it("the second request returns a page", function* () {
    const result = yield* crawled({ x: [disguised, page] })
    expect(entryOf(result)).toMatchObject({ health_reason: "ok", evidence: { note: null } })
    expect(statusOf(result, "soft_404")).toBe("pass")
  })
})

it("the soft 404 check does not pass on a site whose response to a random path is unknown", function* () {
  const robots = { headers: { "content-type": "text/plain" }, body: "User-agent: *\nDisallow: /findable-probe" }
  const result = yield* crawled({ x: [page], robots })
  expect(result.summary.termination).toBe("complete")
  expect(statusOf(result, "soft_404")).toBe("not_assessed")
})
