import type { Builder } from "./Builder.ts"
import { noindex } from "./IndexabilityPlants.ts"
import { type Plant, plant } from "./Plant.ts"
import { redirect } from "./RedirectPlants.ts"
import type { Site, SitemapFilePlan } from "./Site.ts"

const listing = (b: Builder, url: string): void => {
  if (b.spoils) b.list(url)
}

const file = (url: string, listed: ReadonlyArray<string> = []): SitemapFilePlan => ({
  url,
  kind: "urls",
  form: "xml",
  listed: [...listed],
  fault: "none"
})

/** The sitemap that lists pages. */
const own = (site: Site): SitemapFilePlan | undefined => site.sitemaps.find(({ kind }) => kind === "urls")

const faulty = (name: string, fault: SitemapFilePlan["fault"]): Plant => ({
  name,
  cost: 0,
  rare: true,
  plant: (b) => b.spoilSite((site) => Object.assign(own(site) ?? {}, { fault }))
})

const hostOf = (b: Builder): string => new URL(b.home).host

/** Syntax errors after the entries of a sitemap. */
const breaches = [
  "<url><loc>",
  "</url>",
  "<url><loc>https://a.test/?b=1&c=2</loc></url>",
  "<url><loc>https://a.test/b&nbsp;c</loc></url>",
  "<url><loc>https://a.test/b<c</loc></url>",
  "<url><loc>https://a.test/\u0001</loc></url>",
  "<url a='1' a='2'></url>",
  "<!-- a -- b -->"
] as const

const wrongHints = [
  "<lastmod>yesterday</lastmod>",
  "<lastmod>2024-02-30</lastmod>",
  "<lastmod>05/31/2024</lastmod>",
  "<lastmod>2024-05-31T10:00:00</lastmod>",
  "<priority>high</priority>",
  "<priority>1.5</priority>",
  "<changefreq>often</changefreq>"
] as const

const soundHints = [
  "<lastmod>2024</lastmod>",
  "<lastmod>2024-02-29</lastmod>",
  "<lastmod>2024-05-31T10:00:00.5+02:00</lastmod><priority>1.0</priority>",
  "<changefreq>daily</changefreq><priority>0</priority>",
  "<lastmod/>"
] as const

const withHints = (name: string, texts: ReadonlyArray<string>, isWrong: boolean): Plant => ({
  name,
  cost: 0,
  rare: true,
  plant: (b, r) => {
    const text = r.some(texts) ?? ""
    b.spoilSite((site) => Object.assign(own(site) ?? {}, { hints: { text, isWrong } }))
  }
})

export const sitemapPlants: ReadonlyArray<Plant> = [
  withHints("sitemap with values that cannot be read", wrongHints, true),
  withHints("sitemap with values as they should be", soundHints, false),
  plant("no sitemap", { cost: 0, rare: true }, (b) =>
    b.spoilSite((site) => {
      site.sitemaps.length = 0
      site.robots.sitemaps = []
    })
  ),
  plant("sitemap that robots.txt does not name", { cost: 0 }, (b) =>
    b.spoilSite(({ robots }) => Object.assign(robots, { sitemaps: [] }))
  ),
  plant("sitemap named without its full address", { cost: 0 }, (b, r) => {
    const name = r.pick(["/sitemap.xml", "sitemap.xml", `//${hostOf(b)}/sitemap.xml`, `${hostOf(b)}/sitemap.xml`, ""])
    const isAlsoInFull = r.chance(50)
    b.spoilSite(({ robots }) => Object.assign(robots, { sitemaps: isAlsoInFull ? [name, ...robots.sitemaps] : [name] }))
  }),
  plant("sitemap at another place named without its full address", { cost: 0, rare: true }, (b, r) => {
    const name = r.pick(["/maps/other.xml", "other.xml", `//${hostOf(b)}/other.xml`, `${hostOf(b)}/maps/other.xml`])
    const fault = r.pick(["none", "absent", "error", "not_a_sitemap"])
    b.spoilSite((site) => {
      Object.assign(own(site) ?? {}, { fault })
      site.robots.sitemaps = [name]
    })
  }),
  faulty("sitemap named but absent", "absent"),
  faulty("sitemap that fails", "error"),
  plant("malformed sitemap", { cost: 0, rare: true }, (b, r) => {
    const breach = r.some(breaches)
    b.spoilSite((site) => Object.assign(own(site) ?? {}, { fault: "malformed", breach }))
  }),
  faulty("sitemap behind a notice", "text_ahead"),
  faulty("sitemap behind blank space", "blank_ahead"),
  faulty("sitemap with an undeclared prefix", "undeclared"),
  faulty("sitemap with bytes behind its gzip stream", "trailing"),
  plant("sitemap in gzip", { cost: 0, rare: true }, (b, r) => {
    const packed = { members: r.pick([1, 1, 3]), padding: r.pick([0, 0, 700]) }
    b.spoilSite((site) => Object.assign(own(site) ?? {}, { packed }))
  }),
  faulty("sitemap that is a page", "not_a_sitemap"),
  faulty("empty sitemap", "empty"),
  plant("sitemap in another form", { cost: 0, rare: true }, (b, r) => {
    const form = r.pick(["text", "rss", "atom"])
    b.spoilSite((site) => Object.assign(own(site) ?? {}, { form }))
  }),
  plant("sitemap index", { cost: 2, rare: true }, (b, r) => {
    const child = file(b.url("/sitemap-2.xml"), [b.linked(b.page(b.fresh("more")), r)])
    const fault = r.pick(["none", "absent"])
    b.spoilSite((site) => {
      const index: SitemapFilePlan = { ...file(b.url("/index.xml")), kind: "index" }
      index.listed.push(...site.sitemaps.map(({ url }) => url), child.url)
      site.sitemaps.push({ ...child, fault }, index)
      site.robots.sitemaps = [index.url]
    })
  }),
  plant("sitemap of a development server", { cost: 0, rare: true }, (b, r) => {
    const [origin, path] = [
      r.pick(["http://localhost:4000", "http://0.0.0.0:4000"]),
      r.pick(["/sitemap.xml", "/map.xml"])
    ]
    const fault = r.pick(["both", "entries", "line"])
    b.spoilSite((site) => {
      const { listed } = own(site) ?? { listed: [] }
      if (fault !== "line") listed.splice(0, listed.length, ...listed.map((url) => origin + new URL(url).pathname))
      if (fault !== "entries") site.robots.sitemaps = [origin + path]
    })
  }),
  plant("start below a folder that has a sitemap of its own", { cost: 2, rare: true }, (b, r) => {
    const start = b.page(b.url("/project/"))
    const listed = [start, b.linked(b.page(b.url("/project/more")), r)]
    b.linkTo(b.home, start)
    b.linkTo(start, listed[1] ?? b.home)
    const isAlone = r.chance(50)
    const fault = r.pick(["none", "none", "not_a_sitemap", "absent"])
    b.site.start = start
    b.spoilSite((site) => {
      site.robots.sitemaps = []
      if (isAlone) site.sitemaps.length = 0
      site.sitemaps.push({ ...file(b.url("/project/sitemap.xml"), listed), fault })
    })
  }),
  plant("file in the sitemap", { cost: 1 }, (b, r) =>
    b.list(b.linked(b.add(b.url(`/feed-${r.int(1, 9999)}.xml`), { kind: "file", hides: false }), r))
  ),
  plant("foreign addresses in the sitemap", { cost: 0 }, (b) => listing(b, "https://elsewhere.test/page")),
  plant("dead page in the sitemap", { cost: 1 }, (b, r) =>
    listing(b, b.add(b.fresh("gone"), { kind: "error", status: r.pick([404, 500]) }))
  ),
  plant("redirect in the sitemap", { cost: 1 }, (b, r) =>
    listing(b, b.add(b.fresh("old"), redirect(r, r.pick([301, 302]), b.host(r))))
  ),
  plant("hidden page in the sitemap", { cost: 1 }, (b, r) => {
    const url = b.linked(b.page(b.fresh("hidden")), r)
    const directive = noindex(r)
    b.spoil(url, (doc) => doc.robots.push(directive))
  }),
  plant("copy in the sitemap", { cost: 1 }, (b, r) => {
    const [url, to] = [b.linked(b.page(b.fresh("copy")), r), b.host(r)]
    b.spoil(url, (doc) => Object.assign(doc, { canonicals: [{ written: to, to, place: "head" }] }))
  }),
  plant("blocked page in the sitemap", { cost: 1 }, (b, r) => {
    const url = b.url(`/private/listed-${r.int(1, 9999)}`)
    listing(b, b.add(url, { kind: "page", doc: b.sound(url) }))
  }),
  plant("page missing from the sitemap", { cost: 1 }, (b, r) => {
    const url = b.fresh("unlisted")
    b.linked(b.add(url, { kind: "page", doc: b.sound(url) }), r)
    b.linkTo(url, b.home)
    if (!b.spoils) b.list(url)
  })
]
