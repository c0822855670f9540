import { describe, expect } from "bun:test"
import * as Effect from "effect/Effect"
import { it } from "../../harness.ts"
import { report } from "../site/Crawled.ts"
import { html } from "../site/Html.ts"
import { memoryOutbound, type Reply } from "../site/MemoryOutbound.ts"
import { notFound, origin, page, redirect, robots, sitemap, soundSite } from "./SoundSite.ts"

const paths = Array.from({ length: 60 }, (_, index) => `/p${index}`)

const bare = (title: string, links: ReadonlyArray<string>) =>
  html({ title, links }).replace(/<meta name="description"[^>]*>/, "")

const site = memoryOutbound(({ pathname }) =>
  pathname === "/" || paths.includes(pathname)
    ? { body: bare(pathname, pathname === "/" ? paths : ["/"]) }
    : { status: 404 }
)

it("an issue names every failing URL, and says when there may be more", function* () {
  const { findings, pages } = yield* Effect.provide(report("http://site.test/"), site)
  const read = pages.filter(({ health_state }) => health_state === "eligible").map(({ url }) => url)
  const missing = findings.find(({ rule }) => rule === "description_missing")
  expect(read.length).toBe(50)
  expect(missing).toMatchObject({ status: "fail", count: 50, pages: read, evidence: { assessed: 50, reason: null } })
  expect(missing?.evidence.items.map(({ url }) => url)).toEqual(read)
  expect(missing?.evidence.items.every(({ detail }) => detail === "no meta description")).toBe(true)
})

it("an issue on a part of the site gives the reason why there may be more", function* () {
  const twins = memoryOutbound(({ pathname }) =>
    pathname === "/" || paths.includes(pathname) ? { body: html({ links: paths }) } : { status: 404 }
  )
  const { findings } = yield* Effect.provide(report("http://site.test/"), twins)
  const duplicate = findings.find(({ rule }) => rule === "title_duplicate")
  expect(duplicate).toMatchObject({ status: "fail", count: 50 })
  expect(duplicate?.evidence.reason).toContain("page limit")
})

it("the result of fifty pages that fail everywhere stays below a megabyte", function* () {
  const long = "x".repeat(2000)
  const awful = memoryOutbound(({ pathname }) =>
    pathname === "/robots.txt" || pathname === "/sitemap.xml"
      ? { status: 404 }
      : {
          body: `<p><title>${long}</title><title>${long}</title><meta name=robots content="noindex ${long}"><img><a href="http://[${long}">a</a><a href="javascript:${long}"></a>${paths
            .map((path) => `<a rel=nofollow href="${path}/${"y".repeat(100)}"></a>`)
            .join("")}`
        }
  )
  const result = yield* Effect.provide(report("http://site.test/"), awful)
  expect(result.pages.length).toBeGreaterThanOrEqual(50)
  expect(JSON.stringify(result).length).toBeLessThan(1_000_000)
})

/** The first details of a check on the sound site with these changes, without the URL. */
const evidence = (rule: string, changes: Readonly<Record<string, Reply>>, unlinked: ReadonlyArray<string>) =>
  Effect.map(
    Effect.provide(report(`${origin}/`), memoryOutbound(soundSite(changes, unlinked))),
    ({ findings }) => findings.find((finding) => finding.rule === rule)?.evidence.items[0]
  )

interface Told {
  readonly rule: string
  readonly name?: string
  readonly changes: Readonly<Record<string, Reply>>
  readonly unlinked?: ReadonlyArray<string>
  readonly item: Readonly<Record<string, unknown>>
}

const body = (text: string) => ({ "/a": page("/a", { body: text }) })

const head = (text: string) => ({ "/a": page("/a", { head: text }) })

const titled = (title: string) => ({ "/a": page("/a", { title }) })

const canonical = (href: string, place: "head" | "body" = "head") => {
  const link = `<link rel="canonical" href="${href}">`
  return {
    "/a": {
      body: `<!doctype html><html lang=en><title>A</title>${place === "head" ? link : ""}<body><p>a</p>${place === "body" ? link : ""}</body></html>`
    }
  }
}

const long = "long ".repeat(80).trim()

const version = (language: string, path: string) =>
  `<link rel="alternate" hreflang="${language}" href="${origin}${path}">`

const hints = `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>${origin}/a</loc><lastmod>2024-31-05</lastmod></url></urlset>`

const xml = (text: string) => ({ "/sitemap.xml": { headers: { "content-type": "application/xml" }, body: text } })

const told: ReadonlyArray<Told> = [
  {
    rule: "broken_link",
    changes: { ...body('<footer><a class="dead" href="/gone#x">a &lt; b</a></footer>'), "/gone": notFound },
    unlinked: ["/gone"],
    item: { value: "/gone#x", markup: '<a class="dead" href="/gone#x">a &lt; b</a>', place: "footer" }
  },
  {
    rule: "broken_link",
    name: "by a link with attributes, in their order",
    changes: {
      ...body('<a data-id="7" href=" /gone " class="btn  big" target=_blank title=\'a "b" &amp; c\' hidden>x</a>'),
      "/gone": notFound
    },
    unlinked: ["/gone"],
    item: {
      value: "/gone",
      markup:
        '<a data-id="7" href=" /gone " class="btn  big" target="_blank" title="a &quot;b&quot; &amp; c" hidden>x</a>'
    }
  },
  {
    rule: "broken_link",
    name: "by an area and a frame",
    changes: {
      ...body('<map name=m><area class=x href="/gone" alt=y></map><iframe class=z src="/gone" title=t></iframe>'),
      "/gone": notFound
    },
    unlinked: ["/gone"],
    item: { markup: '<area class="x" href="/gone" alt="y">' }
  },
  {
    rule: "broken_link",
    name: "by an unnamed link",
    changes: { ...body('<nav><a href="/gone"><i></i></a></nav>'), "/gone": notFound },
    unlinked: ["/gone"],
    item: {
      detail: `(no text) → ${origin}/gone (404)`,
      markup: '<a href="/gone"><i></i></a>',
      place: "nav"
    }
  },
  {
    rule: "broken_link",
    name: "several times",
    changes: { ...body('<a href="/gone">x</a><a href="/gone">x</a><a href="/gone">y</a>'), "/gone": notFound },
    unlinked: ["/gone"],
    item: { detail: `3 links: "x" → ${origin}/gone (404), "y" → ${origin}/gone (404)` }
  },
  {
    rule: "link_invalid",
    changes: body('<nav><a href="http://[bad">x</a></nav>'),
    item: { value: "http://[bad", markup: '<a href="http://[bad">x</a>', place: "nav" }
  },
  {
    rule: "link_script",
    changes: body('<a href="javascript:go()">x</a>'),
    item: { detail: '"x"', value: "javascript:go()", markup: '<a href="javascript:go()">x</a>', place: "main" }
  },
  {
    rule: "link_text_missing",
    changes: body('<header><a class="icon" href="/b"><!--a--></a--></a></header>'),
    item: { detail: "/b", value: "/b", place: "header" }
  },
  {
    rule: "control_unnamed",
    changes: body('<header><a href="#"><i></i></a><button><i></i></button></header>'),
    item: {
      detail: "1 control, 1 button without a name",
      value: "#",
      markup: '<a href="#"><i></i></a>',
      place: "header"
    }
  },
  {
    rule: "link_nofollow_internal",
    changes: body('<a rel="nofollow" href="/b">x</a><a rel="nofollow" href="/b">y</a>'),
    item: { detail: "2 links: /b", value: "/b", markup: '<a rel="nofollow" href="/b">x</a>', place: "main" }
  },
  {
    rule: "link_to_redirect",
    changes: { ...body('<a href="/r">x</a>'), "/r": redirect("/b") },
    unlinked: ["/r"],
    item: { detail: `${origin}/r`, value: "/r", markup: '<a href="/r">x</a>', place: "main" }
  },
  {
    rule: "redirect_temporary",
    changes: { "/r": redirect("/b", 302) },
    item: { detail: `302 ${origin}/r → ${origin}/b`, value: `${origin}/b` }
  },
  {
    rule: "image_alt_missing",
    changes: body("<footer><img src=/x.png class=pic></footer>"),
    item: { detail: "1 of 1 images", markup: '<img src="/x.png" class="pic">', place: "footer" }
  },
  {
    rule: "mixed_content",
    changes: body('<header><script src="http://site.test/x.js" class="late" async></script></header>'),
    item: {
      value: "http://site.test/x.js",
      markup: '<script src="http://site.test/x.js" class="late" async>',
      place: "header"
    }
  },
  {
    rule: "resource_broken",
    changes: { ...body('<img alt=x class="hero" src="/gone.png" width=1 height=1>'), "/gone.png": notFound },
    unlinked: ["/gone.png"],
    item: {
      value: `${origin}/gone.png`,
      markup: '<img alt="x" class="hero" src="/gone.png" width="1" height="1">'
    }
  },
  { rule: "title_missing", changes: titled(" "), item: { detail: "empty title", place: "head" } },
  { rule: "title_long", changes: titled(long), item: { value: long.slice(0, 300), place: "head" } },
  {
    rule: "title_duplicate",
    changes: { ...titled("Same"), "/b": page("/b", { title: "same " }) },
    item: { detail: `also on ${origin}/b`, value: "Same", place: "head" }
  },
  {
    rule: "description_duplicate",
    changes: { ...titled("Same"), "/b": page("/b", { title: "Same" }) },
    item: { value: "What Same is about", place: "head" }
  },
  {
    rule: "description_long",
    changes: titled(long),
    item: { value: `What ${long}`.slice(0, 300), place: "head" }
  },
  {
    rule: "h1_multiple",
    changes: { "/a": page("/a", { title: "One", body: "<h1></h1><h1>Two</h1>" }) },
    item: { detail: "2 h1 elements", value: "One | Two" }
  },
  {
    rule: "canonical_relative",
    changes: canonical("/a"),
    item: { value: "/a", markup: '<link rel="canonical" href="/a">', place: "head" }
  },
  {
    rule: "canonical_invalid",
    changes: canonical(""),
    item: { detail: '""', value: "", markup: '<link rel="canonical" href="">', place: "head" }
  },
  {
    rule: "canonical_outside_head",
    changes: canonical("/a", "body"),
    item: { value: "/a", markup: '<link rel="canonical" href="/a">', place: "main" }
  },
  {
    rule: "canonical_to_error",
    changes: { "/x": page("/x", { canonical: "/gone" }), "/gone": notFound },
    unlinked: ["/gone"],
    item: { value: `${origin}/gone`, markup: `<link rel="canonical" href="${origin}/gone">`, place: "head" }
  },
  {
    rule: "noindex_page",
    changes: { "/x": page("/x", { head: '<meta name="robots" content="NOINDEX, follow">' }) },
    item: {
      detail: "noindex in a meta tag",
      value: "NOINDEX, follow",
      markup: '<meta name="robots" content="NOINDEX, follow">',
      place: "head"
    }
  },
  {
    rule: "robots_directive_unreadable",
    changes: head('<meta name="robots" content="index follow">'),
    item: { value: "index follow", markup: '<meta name="robots" content="index follow">', place: "head" }
  },
  {
    rule: "hreflang_invalid",
    changes: head(version("en-UK", "/a")),
    item: { value: "en-UK", markup: version("en-UK", "/a"), place: "head" }
  },
  {
    rule: "hreflang_no_return",
    changes: head(`${version("en", "/a")}${version("de", "/b")}`),
    item: { value: `${origin}/b`, markup: version("de", "/b"), place: "head" }
  },
  {
    rule: "structured_data_syntax",
    changes: body('<script type="application/ld+json">{"a": 1,}</script>'),
    item: {
      value: '{"a": 1,}',
      markup: '<script type="application/ld+json">{"a": 1,}</script>',
      place: "main"
    }
  },
  {
    rule: "structured_data_untyped",
    changes: head('<script type="application/ld+json">{"@type":"Thing"}</script>'),
    item: { detail: "block 1 of 1 has no @context", place: "head" }
  },
  {
    rule: "sitemap_values_invalid",
    changes: xml(hints),
    item: { value: "2024-31-05", place: "sitemap" }
  },
  {
    rule: "sitemap_invalid",
    changes: xml(hints.replace(`${origin}/a`, "/a")),
    item: { detail: `${origin}/sitemap.xml: invalid loc in line 1 ("/a")`, value: "/a", place: "sitemap" }
  },
  {
    rule: "sitemap_lists_errors",
    changes: { "/sitemap.xml": sitemap(["/", "/gone"]) },
    item: { value: `${origin}/gone`, place: "sitemap" }
  },
  {
    rule: "robots_txt_lines",
    changes: { "/robots.txt": robots("Dissallow: /x") },
    item: { value: "Dissallow: /x", place: "robots" }
  }
]

describe("the details contain the affected element", () => {
  for (const { changes, item, name, rule, unlinked = [] } of told)
    it(name === undefined ? rule : `${rule}, ${name}`, () =>
      Effect.map(evidence(rule, changes, unlinked), (found) => expect(found).toMatchObject({ ...item }))
    )
})
