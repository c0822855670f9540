import { describe, expect } from "bun:test"
import * as Effect from "effect/Effect"
import { it } from "../../harness.ts"
import { report } from "../site/Crawled.ts"
import { memoryOutbound, type Reply } from "../site/MemoryOutbound.ts"
import { origin, page, redirect, sitemap, soundSite } from "./SoundSite.ts"

const now = Date.UTC(2026, 0, 1)

/** The issue of one check on the sound site with these changes. */
const said = (rule: string, changes: Readonly<Record<string, Reply>>, unlinked: ReadonlyArray<string> = []) =>
  Effect.map(
    Effect.provide(report(`${origin}/`, { now }), memoryOutbound(soundSite(changes, unlinked))),
    ({ findings, score }) => ({ finding: findings.find((each) => each.rule === rule), score })
  )

const paths = ["/", "/a", "/b", "/c"]

describe("link_fragment_missing", () => {
  it("names the element, its place and its URL", function* () {
    const body = '<nav><a href="/b#gone">to <b>b</b> & c</a></nav><h2 id=here>Here</h2><a href="#here">x</a>'
    const { finding } = yield* said("link_fragment_missing", { "/a": page("/a", { body }) })
    expect(finding?.evidence.items).toEqual([
      {
        url: `${origin}/a`,
        detail: "missing: /b#gone",
        value: "/b#gone",
        markup: '<a href="/b#gone">to b &amp; c</a>',
        place: "nav"
      }
    ])
  })

  const encoded = [
    "elementor-action%3Aaction%3Dpopup%3Aopen%26settings%3DeyJpZCI6IjEifQ%3D%3D",
    "%2Froute",
    "%21/route",
    "%2froute",
    "tab%3D2",
    "t%6Fp"
  ]
  for (const fragment of [
    "",
    "top",
    "TOP",
    "!/route",
    "/route",
    "a=b",
    "a:b",
    ":~:text=x",
    ":~:selector(type=CssSelector,value=x)",
    ...encoded
  ]) {
    it(`accepts #${fragment}, which the page or its scripts handle`, function* () {
      const body = `<a href="/b#${fragment}">b</a>`
      expect((yield* said("link_fragment_missing", { "/a": page("/a", { body }) })).finding?.status).toBe("pass")
    })
  }

  it("accepts many fragments of a page without any of them as filters, if the page runs scripts", function* () {
    const filters = Array.from({ length: 10 }, (_, index) => `<a href="#tag-${index}">tag ${index}</a>`).join("")
    const status = (body: string) =>
      Effect.map(said("link_fragment_missing", { "/a": page("/a", { body }) }), ({ finding }) => finding?.status)
    const script = "<script>filter()</script>"
    expect(yield* status(filters + script)).toBe("pass")
    expect(yield* status(filters)).toBe("fail")
    expect(yield* status(`${filters}${script}<a href="#here">x</a><p id="here">`)).toBe("fail")
    expect(yield* status(`${filters}${script}<a href="#fn:1">x</a><p id="fn:1">`)).toBe("fail")
    expect(yield* status(`${filters}${script}<a href="/b#gone">x</a>`)).toBe("fail")
  })

  it("reports a table of contents whose headings lost their ids, even if the page runs scripts", function* () {
    const names = Array.from({ length: 12 }, (_, index) => `Chapter ${index}`)
    const body = `${names.map((name, index) => `<a href="#chapter-${index}">${name}</a>`).join("")}<script>count()</script>`
    const status = (headings: string) =>
      Effect.map(
        said("link_fragment_missing", { "/a": page("/a", { body: body + headings }) }),
        ({ finding }) => finding?.status
      )
    expect(yield* status(names.map((name) => `<h2>${name}</h2>`).join(""))).toBe("fail")
    expect(yield* status("<h2>Chapters</h2>")).toBe("pass")
  })

  it("ignores fragments of pages that were not crawled, and of elements that open at the link", function* () {
    const body =
      '<a href="https://other.test/#x">x</a><a href="/r#x">x</a><a href="/private/x#x">x</a><a href="#menu" role=button>Menu</a>'
    const changes = { "/a": page("/a", { body }), "/r": redirect("https://other.test/") }
    expect((yield* said("link_fragment_missing", changes, ["/r"])).finding?.status).toBe("pass")
  })

  const detailOf = (body: string, changes: Readonly<Record<string, Reply>> = {}, head = "") =>
    Effect.map(
      said("link_fragment_missing", { "/a": page("/a", { body, head }), ...changes }, Object.keys(changes)),
      ({ finding }) => finding?.evidence.items.map(({ detail }) => detail)
    )

  it("reads only the fragment before a text directive", function* () {
    const parts = '<h2 id=here>Here</h2><a href="#here:~:text=x">x</a>'
    expect(yield* detailOf(`${parts}<a href="/b#gone:~:text=x">x</a>`)).toEqual(["missing: /b#gone:~:text=x"])
    expect(yield* detailOf(`<a href="#gone:~:${"text=x&".repeat(60)}">x</a>`)).toHaveLength(1)
    expect(yield* detailOf(parts)).toEqual([])
  })

  it("resolves links by the base of their page", function* () {
    const here = '<h2 id=here>Here</h2><a href="#here">x</a>'
    expect(yield* detailOf(here, {}, '<base href="/b">')).toEqual([
      `missing: #here → ${origin}/b#here, because of the base element of the page`
    ])
    expect(yield* detailOf('<a href="x#here">x</a>', { "/d/x": page("/d/x") }, '<base href="/d/">')).toEqual([
      `missing: x#here → ${origin}/d/x#here`
    ])
    expect(yield* detailOf(here, {}, '<base href="/a#y">')).toEqual([])
    expect(yield* detailOf(`${here}<a href="">x</a><a href=" # ">x</a>`, {}, '<base target="_blank">')).toEqual([])
  })

  it("follows the fragment through redirects", function* () {
    const chain = { "/r": redirect("/r2", 302), "/r2": redirect("/t", 301) }
    const target = { "/t": page("/t", { body: "<h2 id=here>Here</h2>" }) }
    const links = '<a href="/r#gone">x</a><a href="/r#here">x</a><a href="/r">x</a>'
    expect(yield* detailOf(links, { ...chain, ...target })).toEqual([`missing: /r#gone → ${origin}/t#gone`])
    const own = { "/r": redirect("/t#here") }
    expect(yield* detailOf(links, { ...own, ...target })).toEqual([])
    const lost = { "/r": redirect(`${origin}/t#lost`) }
    expect(yield* detailOf('<a href="/r#here">x</a>', { ...lost, ...target })).toEqual([
      `missing: /r#here → ${origin}/t#lost`
    ])
    const refresh = { "/r": page("/r", { head: '<meta http-equiv="refresh" content="0; url=/t">' }) }
    expect(yield* detailOf(links, { ...refresh, ...target })).toEqual([])
  })

  it("covers links of image maps and SVG, and fragments in SVG", function* () {
    const body =
      '<map name=m><area href="#far" alt=x></map><svg><a xlink:href="#away"><text>x</text></a><g id=drawn></g></svg><a href="#drawn">x</a>'
    expect(yield* detailOf(body)).toEqual(["missing: #far, #away"])
  })
})

describe("unreachable_page", () => {
  const island = (body: string) => ({
    "/sitemap.xml": sitemap([...paths, "/x"]),
    "/a": page("/a", { body }),
    "/x": page("/x", { links: ["/", "/y"] }),
    "/y": page("/y", { links: ["/", "/x"] })
  })
  const unlinked = ["/x", "/y"]

  it("names both pages that link to each other, and orphan_page names neither", function* () {
    const { finding } = yield* said("unreachable_page", island(""), unlinked)
    expect(finding?.evidence.items).toEqual([
      { url: `${origin}/x`, detail: `linked from ${origin}/y, but not reachable from the start page` },
      { url: `${origin}/y`, detail: `linked from ${origin}/x, but not reachable from the start page` }
    ])
    expect((yield* said("orphan_page", island(""), unlinked)).finding?.status).toBe("pass")
  })

  it("follows nofollow links", function* () {
    const { finding } = yield* said("unreachable_page", island("<a href=/x rel=nofollow>x</a>"), unlinked)
    expect(finding?.status).toBe("pass")
  })

  it("is not assessed when the path may lead through unseen pages", function* () {
    const changes: Readonly<Record<string, Reply>> = {
      ...island("<a href=/slow>s</a>"),
      "/slow": { fault: "timeout" }
    }
    const { finding } = yield* said("unreachable_page", changes, unlinked)
    expect(finding).toMatchObject({ status: "not_assessed", pages: [] })
  })
})

describe("hreflang_missing", () => {
  const version = (language: string, path: string) =>
    `<link rel="alternate" hreflang="${language}" href="${origin}${path}">`
  const copies = (head: (path: string) => string) =>
    Object.fromEntries(
      ["/en/x", "/de/x", "/en/y", "/de/y"].map((path) => [path, page(path, { head: head(path) })] as const)
    )

  it("names each version, with the URLs of the others", function* () {
    const { finding } = yield* said(
      "hreflang_missing",
      copies(() => "")
    )
    expect(finding?.count).toBe(4)
    expect(finding?.evidence.items[0]).toEqual({
      url: `${origin}/en/x`,
      detail: `no hreflang to ${origin}/de/x (de)`
    })
  })

  it("ignores pages that name versions, or that a version names", function* () {
    const both = (path: string) => {
      const name = path.slice(4)
      return version("en", `/en/${name}`) + version("de", `/de/${name}`)
    }
    expect((yield* said("hreflang_missing", copies(both))).finding?.status).toBe("pass")
    const english = copies((path) => (path.startsWith("/en/") ? both(path) : ""))
    expect((yield* said("hreflang_missing", english)).finding?.status).toBe("pass")
    expect((yield* said("hreflang_no_return", english)).finding?.count).toBe(2)
  })

  it("ignores sections that share only the URL of their start page, because they are two sites", function* () {
    const changes = Object.fromEntries(
      ["/en-us/", "/en-us/k", "/en-us/l", "/de-de/", "/de-de/m", "/de-de/n"].map((path) => [path, page(path)] as const)
    )
    expect((yield* said("hreflang_missing", changes)).finding?.status).toBe("pass")
  })

  it("names start pages with the same structure when their other URLs are translated", function* () {
    const links = ["/", "/a", "/b", "/c", "/a?1", "/a?2", "/a?3", "/a?4", "/a?5", "/a?6"]
    const home = (path: string) => page(path, { links, body: "<h2>One</h2><h2>Two</h2>" })
    const changes: Readonly<Record<string, Reply>> = {
      ...Object.fromEntries(
        ["/en-us/k", "/en-us/l", "/de-de/m", "/de-de/n"].map((path) => [path, page(path)] as const)
      ),
      ...Object.fromEntries(
        ["/a?1", "/a?2", "/a?3", "/a?4", "/a?5", "/a?6"].map((path) => [path, page("/a")] as const)
      ),
      "/en-us/": home("/en-us/"),
      "/de-de/": home("/de-de/")
    }
    const { finding } = yield* said("hreflang_missing", changes)
    expect(finding?.pages.toSorted()).toEqual([`${origin}/de-de/`, `${origin}/en-us/`])
  })
})

describe("link_text_generic", () => {
  for (const [lang, text, isGeneric] of [
    ["en", "Click here", true],
    ["en-GB", "Read more »", true],
    ["de", "[Mehr&nbsp;erfahren]", true],
    ["fr", "En savoir plus", true],
    ["es", "Leer más…", true],
    ["no", "Les mer", true],
    ["zh-Hant", "了解更多", true],
    ["", "Hier klicken", true],
    ["en", "Mehr erfahren", false],
    ["en", "Read more about shoes", false],
    ["en", "Hero", false],
    ["xx", "Click here", false]
  ] as const) {
    it(`"${text}" in ${lang || "no language"} ${isGeneric ? "is generic" : "is specific"}`, function* () {
      const body = `<a href="/b">${text}</a>`
      const own = page("/a", { body })
      const whole = "body" in own && typeof own.body === "string" ? own.body : ""
      const changes = { "/a": { body: whole.replace('lang="en"', `lang="${lang}"`) } }
      const { finding } = yield* said("link_text_generic", changes)
      expect(finding?.status).toBe(isGeneric ? "fail" : "pass")
    })
  }

  for (const [href, isGeneric] of [
    ["/b#shapes.Link", false],
    ["/b#shapes::Link", false],
    ["/b#shapes", true],
    ["/b#symbolic-Link", true]
  ] as const) {
    it(`"Link" to ${href} ${isGeneric ? "is generic" : "is a name in code"}`, function* () {
      const { finding } = yield* said("link_text_generic", { "/a": page("/a", { body: `<a href="${href}">Link</a>` }) })
      expect(finding?.status).toBe(isGeneric ? "fail" : "pass")
    })
  }

  it("has no score impact", function* () {
    const changes = { "/a": page("/a", { body: '<a href="/b">here</a><img alt=x src=/x.png>' }) }
    const { finding, score } = yield* said("link_text_generic", changes)
    expect(finding).toMatchObject({ status: "fail", severity: "info" })
    expect(score.aggregate_score).toBe(100)
  })
})

describe("sitemap_invalid", () => {
  const xml = (body: string | Uint8Array): Readonly<Record<string, Reply>> => ({
    "/sitemap.xml": { headers: { "content-type": "application/xml" }, body }
  })
  const namespace = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'
  const file = (more = "") =>
    `<?xml version="1.0"?>\n<urlset ${namespace}>\n${paths.map((path) => `<url><loc>${origin}${path}</loc></url>\n`).join("")}${more}</urlset>`
  const evidence = (changes: Readonly<Record<string, Reply>>) =>
    Effect.map(said("sitemap_invalid", changes), ({ finding }) => finding?.evidence.items)

  it("names line and column of the error and the URLs before it, and shows the line", function* () {
    const fault = `<url><loc>${origin}/x?a=1&b=2</loc></url>`
    expect(yield* evidence(xml(file(`${fault}\n<url><loc>${origin}/b</loc></url>\n`)))).toEqual([
      {
        url: `${origin}/`,
        detail: `${origin}/sitemap.xml: malformed XML in line 7, column 34: an unescaped &: write &amp;; 4 URLs found before it`,
        markup: fault,
        place: "sitemap"
      }
    ])
  })

  it("names the line of the first of several, and quotes its value", function* () {
    const wrong = ["/relative", "also"].map((loc) => `<url><loc>${loc}</loc></url>\n`).join("")
    expect(yield* evidence(xml(file(wrong)))).toEqual([
      {
        url: `${origin}/`,
        detail: `${origin}/sitemap.xml: 2 × invalid loc, first in line 7 ("/relative")`,
        value: "/relative",
        place: "sitemap"
      }
    ])
  })

  it("names blank space before the declaration, and the URLs are listed anyway", function* () {
    const changes = { ...xml(`\n\n${file()}`), "/x": page("/x") }
    const { finding } = yield* said("page_not_in_sitemap", changes)
    expect(finding?.pages).toEqual([`${origin}/x`])
    expect((yield* evidence(changes))?.[0]).toMatchObject({
      detail: `${origin}/sitemap.xml: blank before XML in line 3, column 1: white space before <?xml`,
      markup: '<?xml version="1.0"?>'
    })
  })

  it("names the bytes after the end of a gzip stream, which is read anyway", function* () {
    const changes = { ...xml(Buffer.concat([Bun.gzipSync(file()), Buffer.from("<!-- cached -->")])), "/x": page("/x") }
    const { finding } = yield* said("page_not_in_sitemap", changes)
    expect(finding?.pages).toEqual([`${origin}/x`])
    expect((yield* evidence(changes))?.[0]).toMatchObject({
      detail: `${origin}/sitemap.xml: gzip trailing: 15 bytes after the end of the gzip stream`,
      markup: "<!-- cached -->"
    })
  })

  it("ignores gzip files, comments at the end, and blank space without a declaration", function* () {
    const sound = [
      Bun.gzipSync(file()),
      `${file()}\n<!-- cached -->\n`,
      `\n${file().slice('<?xml version="1.0"?>'.length)}`
    ]
    for (const body of sound) expect((yield* said("sitemap_invalid", xml(body))).finding?.status).toBe("pass")
  })
})

describe("sitemap_lastmod_implausible", () => {
  const dated = (count: number, lastmod: (index: number) => string): Readonly<Record<string, Reply>> => {
    const added = Array.from({ length: count - paths.length }, (_, index) => `/p${index}`)
    const entries = [...paths, ...added].map(
      (path, index) => `<url><loc>${origin}${path}</loc><lastmod>${lastmod(index)}</lastmod></url>`
    )
    return {
      ...Object.fromEntries(added.map((path) => [path, page(path)] as const)),
      "/sitemap.xml": {
        headers: { "content-type": "application/xml" },
        body: `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${entries.join("")}</urlset>`
      }
    }
  }

  it("quotes the latest date that is more than a day after the crawl", function* () {
    const changes = dated(4, (index) => (index === 2 ? "2026-01-03" : "2025-01-01"))
    const { finding } = yield* said("sitemap_lastmod_implausible", changes)
    expect(finding?.evidence.items).toEqual([
      {
        url: `${origin}/`,
        detail: `lastmod of ${origin}/b is 2026-01-03`,
        value: "2026-01-03",
        place: "sitemap"
      }
    ])
    const near = dated(4, (index) => (index === 2 ? "2026-01-02" : "2025-01-01"))
    expect((yield* said("sitemap_lastmod_implausible", near)).finding?.status).toBe("pass")
  })

  it("reports one date on all of more than twenty URLs", function* () {
    const status = (count: number, lastmod: (index: number) => string) =>
      Effect.map(said("sitemap_lastmod_implausible", dated(count, lastmod)), ({ finding }) => finding?.status)
    expect(yield* status(21, () => "2025-01-01")).toBe("fail")
    expect(yield* status(20, () => "2025-01-01")).toBe("pass")
    expect(yield* status(21, (index) => (index === 7 ? "2025-01-02" : "2025-01-01"))).toBe("pass")
  })

  it("ignores news, whose articles may share a day, but not other URLs beside them", function* () {
    const status = (count: number, isNews: (index: number) => boolean) => {
      const changes = dated(count, (index) => `2025-01-01</lastmod>${isNews(index) ? "<n:news/>" : ""}<lastmod>`)
      return Effect.map(said("sitemap_lastmod_implausible", changes), ({ finding }) => finding?.status)
    }
    expect(yield* status(30, () => true)).toBe("pass")
    expect(yield* status(30, (index) => index > 20)).toBe("fail")
    expect(yield* status(30, (index) => index > 19)).toBe("pass")
    const ahead = dated(30, () => "2026-01-03</lastmod><n:news/><lastmod>")
    expect((yield* said("sitemap_lastmod_implausible", ahead)).finding?.status).toBe("fail")
  })

  it("reports dates below a declared but unused namespace of news", function* () {
    const changes = dated(21, () => "2025-01-01")
    const file = changes["/sitemap.xml"]
    const body = file !== undefined && "body" in file ? String(file.body) : ""
    const declared = body.replace(">", ' xmlns:news="http://www.google.com/schemas/sitemap-news/0.9">')
    const { finding } = yield* said("sitemap_lastmod_implausible", { ...changes, "/sitemap.xml": { body: declared } })
    expect(finding?.status).toBe("fail")
  })

  it("passes for a sitemap without dates, and is not applicable without a sitemap", function* () {
    expect((yield* said("sitemap_lastmod_implausible", {})).finding).toMatchObject({ status: "pass" })
    const { finding } = yield* said("sitemap_lastmod_implausible", { "/sitemap.xml": { status: 404 } })
    expect(finding).toMatchObject({ status: "not_assessed" })
  })
})

describe("response_slow", () => {
  const paced = (...times: ReadonlyArray<number>) =>
    Object.fromEntries(
      times.map(
        (firstByte, index) => [paths[index + 1] ?? "/", { ...page(paths[index + 1] ?? "/"), firstByte }] as const
      )
    )

  it("uses the median, and names only the bound that was exceeded", function* () {
    const detail = (...times: ReadonlyArray<number>) =>
      Effect.map(said("response_slow", paced(...times)), ({ finding }) => finding?.evidence.items[0]?.detail ?? null)
    expect(yield* detail(5000)).toBeNull()
    expect(yield* detail(800, 800, 800)).toBeNull()
    expect(yield* detail(900, 901, 1200)).toBe("half of 4 pages took more than 0.8 seconds to send their first byte")
    expect(yield* detail(4000, 5000, 6000)).toBe("half of 4 pages took more than 1.8 seconds to send their first byte")
  })
})

it("checks of content ignore pages that are not indexable", function* () {
  const head =
    '<meta name=robots content=noindex><meta property="og:url" content="/a"><script type="application/ld+json">{"@context":"https://schema.org","@type":"Product"}</script>'
  const changes = { "/a": page("/a", { head, body: '<img alt=x src=/x.png><a href="/b">here</a>' }) }
  const rules = ["open_graph_relative", "structured_data_required", "image_dimensions_missing", "link_text_generic"]
  for (const rule of rules) expect((yield* said(rule, changes)).finding?.pages).toEqual([])
})
