import { expect } from "bun:test"
import * as Effect from "effect/Effect"
import { it } from "../../harness.ts"
import { report } from "../site/Crawled.ts"
import { html } from "../site/Html.ts"
import { loopback } from "../site/Loopback.ts"
import { type Handler, serve } from "../site/Server.ts"

const size = 12
const paths = ["/", ...Array.from({ length: size - 1 }, (_, index) => `/page-${index + 1}`)]

interface Parts {
  readonly title?: string
  readonly description?: string
  readonly h1?: string
  readonly head?: string
  readonly canonical?: string
  /** Further links of the page. */
  readonly links?: ReadonlyArray<string>
  /** Further content. */
  readonly body?: string
}

/** Changes of a clean site of twelve pages that all link to each other and are in the sitemap. */
interface Change {
  readonly page?: (path: string) => Parts
  readonly status?: (path: string) => number
  /** Links of every page; a page left out is linked from `/page-1` only. */
  readonly navigation?: ReadonlyArray<string>
  readonly robots?: string
  /** The paths in the sitemap. */
  readonly listed?: ReadonlyArray<string>
  /** Each page also has a URL with an index file. */
  readonly hasTwins?: boolean
}

const twinOf = (path: string): string => `${path === "/" ? "" : path}/index.html`

const document = (origin: string, path: string, { navigation = paths, page }: Change): string => {
  const { body = "", canonical = path, description, h1, head = "", links = [], title } = page?.(path) ?? {}
  const name = path === "/" ? "Home" : `Chapter ${path.slice(6)}`
  const sound = html({
    title: name,
    body,
    head: `${canonical === "" ? "" : `<link rel="canonical" href="${origin}${canonical}">`}${head}`,
    links: [...navigation.filter((to) => to !== path), ...links]
  })
  return sound
    .replace(`<title>${name}</title>`, title === "" ? "" : `<title>${title ?? name}</title>`)
    .replace(/<meta name="description"[^>]*>/, description === "" ? "" : "$&")
    .replace(/<h1>.*?<\/h1>/, h1 === "" ? "" : "$&")
}

const site =
  (change: Change) =>
  (origin: string): Handler =>
  ({ url: path = "/" }, response) => {
    const send = (status: number, type: string, body: string) => {
      response.writeHead(status, { "content-type": type })
      response.end(body)
    }
    if (path === "/robots.txt")
      return send(200, "text/plain", `User-agent: *\n${change.robots ?? "Disallow:"}\nSitemap: ${origin}/sitemap.xml\n`)
    if (path === "/sitemap.xml")
      return send(
        200,
        "application/xml",
        `<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${(change.listed ?? paths).map((each) => `<url><loc>${origin}${each}</loc></url>`).join("")}</urlset>`
      )
    const [plain = path] = path.split("?", 1)
    const own = (change.hasTwins === true ? paths.find((each) => twinOf(each) === plain) : undefined) ?? plain
    const status = change.status?.(path) ?? (paths.includes(own) ? 200 : 404)
    return status === 200
      ? send(200, "text/html; charset=utf-8", document(origin, own, change))
      : send(status, "text/plain", "no")
  }

const third = "/page-3"
const only =
  (path: string, parts: Parts) =>
  (each: string): Parts =>
    each === path ? parts : {}
const noindex = { head: '<meta name="robots" content="noindex">' }
const behind: ReadonlyArray<string> = paths.filter((path) => path !== third)

const bands: ReadonlyArray<readonly [what: string, low: number, high: number, change: Change]> = [
  ["nothing is wrong", 100, 100, {}],
  ["one title is missing", 94, 98, { page: only(third, { title: "" }) }],
  ["one description is missing", 97, 99, { page: only(third, { description: "" }) }],
  ["a link on one page is broken", 87, 96, { page: only(third, { links: ["/gone"] }) }],
  ["a link in the navigation of all pages is broken", 60, 78, { navigation: [...paths, "/gone"] }],
  [
    "the logo in the header of all pages has no name",
    90,
    94,
    { page: () => ({ body: '<header><a href="/"><img src="/logo.png"></a></header>' }) }
  ],
  [
    "a toggle in the header of all pages has no name",
    97,
    99,
    { page: () => ({ body: "<header><a href='#'></a></header>" }) }
  ],
  [
    "each page has a twin with an index file",
    90,
    99,
    { hasTwins: true, page: (path) => ({ canonical: "", links: [twinOf(path)] }) }
  ],
  ["robots.txt blocks only Googlebot", 0, 10, { robots: "Disallow:\n\nUser-agent: Googlebot\nDisallow: /\n" }],
  ["each page has a broken link of its own", 45, 55, { page: (path) => ({ links: [`/gone${path}`] }) }],
  ["the sitemap lists a missing page", 98, 99, { listed: [...paths, "/gone"] }],
  [
    "a page with one link to it returns 500",
    79,
    94,
    {
      navigation: behind,
      page: only("/page-1", { links: [third] }),
      status: (path) => (path === third ? 500 : paths.includes(path) ? 200 : 404)
    }
  ],
  ["robots.txt blocks 11 of 12 pages", 0, 45, { robots: "Disallow: /page-" }],
  ["every page is noindex", 0, 10, { page: () => noindex }],
  ["only the start page is noindex", 0, 30, { page: only("/", noindex) }],
  [
    "titles, descriptions and h1 are missing everywhere",
    0,
    45,
    { page: () => ({ title: "", description: "", h1: "" }) }
  ],
  ["every page has the start page as its canonical", 0, 45, { page: () => ({ canonical: "/" }) }]
]

for (const [what, low, high, change] of bands) {
  it(`if ${what} the score is ${low === high ? low : `${low} to ${high}`}`, () =>
    Effect.gen(function* () {
      const server = yield* serve(site(change))
      const { score, summary } = yield* report(`${server.origin}/`)
      expect(summary.complete).toBe(true)
      expect(score.breakdown.lost.length === 0).toBe(high === 100)
      expect(score.aggregate_score).toBeGreaterThanOrEqual(low)
      expect(score.aggregate_score).toBeLessThanOrEqual(high)
      expect(score).toMatchObject({
        score_version: 4,
        coverage: 1,
        provisional: false,
        range: { low: score.aggregate_score, high: score.aggregate_score }
      })
    }).pipe(Effect.scoped, Effect.provide(loopback)))
}

it("with robots.txt blocking everything the score is at most 10, and its range shows that more is unknown", () =>
  Effect.gen(function* () {
    const server = yield* serve(site({ robots: "Disallow: /" }))
    const { findings, score } = yield* report(`${server.origin}/`)
    expect(score.aggregate_score).toBeLessThanOrEqual(10)
    expect(score).toMatchObject({
      status: "poor",
      coverage: 0,
      range: { low: 0, high: 10 },
      provisional: true,
      breakdown: { factor: { name: "start_blocked", value: 0.1 } }
    })
    expect(findings.find(({ rule }) => rule === "start_blocked")).toMatchObject({
      status: "fail",
      severity: "critical"
    })
  }).pipe(Effect.scoped, Effect.provide(loopback)))

/** The score of a changed site, and the URLs that the crawl requested. */
const askedOf = (change: Change) =>
  Effect.gen(function* () {
    const server = yield* serve(site(change))
    const { score, summary } = yield* report(`${server.origin}/`)
    const asked = server.seen.map(({ path }) => path)
    return { asked, score: score.aggregate_score ?? 0, summary }
  }).pipe(Effect.scoped, Effect.provide(loopback))

const cart = (path: string) =>
  [1, 2, 3].map((product) => `<a rel="nofollow" href="${path}?add-to-cart=${product}">Buy ${product}</a>`)

it("a shop with cart links on each page scores at least 98, and no cart is filled", function* () {
  const { asked, score, summary } = yield* askedOf({ page: (path) => ({ body: cart(path).join(" ") }) })
  expect(score).toBeGreaterThanOrEqual(98)
  expect(asked.filter((url) => url.includes("cart"))).toEqual([])
  expect(summary.complete).toBe(true)
})

it("two hundred canonicalized parameter variants change the score by at most 2", function* () {
  const variants = (path: string) => Array.from({ length: 17 }, (_, index) => `${path}?sort=${index}`)
  const plain = yield* askedOf({ page: only(third, { title: "" }) })
  const varied = yield* askedOf({
    page: (path) => ({ ...(path === third ? { title: "" } : {}), links: variants(path) })
  })
  expect(Math.abs(varied.score - plain.score)).toBeLessThanOrEqual(2)
})
