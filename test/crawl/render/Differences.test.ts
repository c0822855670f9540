import { expect, test } from "bun:test"
import * as fc from "fast-check"
import { readText } from "../../../src/crawl/page/Page.ts"
import { templateOf } from "../../../src/crawl/render/Choice.ts"
import { differencesOf, effective } from "../../../src/crawl/render/Differences.ts"

const read = (head: string, body: string, url = "http://site.test/a") =>
  readText(
    url,
    `<!doctype html><html><head>${head}</head><body>${body}</body></html>`,
    { name: "utf-8", source: "bom" },
    0
  )

const words = (count: number) => "word ".repeat(count)

const part = fc.constantFrom(
  "<title>T</title>",
  '<meta name="robots" content="nofollow">',
  '<link rel="canonical" href="/a">',
  '<link rel="alternate" hreflang="de" href="/de">'
)
const piece = fc.constantFrom("<h1>H</h1>", '<a href="/b">b</a>', '<a href="/c" rel="nofollow">c</a>', "<p>text</p>")
const page = fc.tuple(fc.array(part), fc.array(piece)).map(([head, body]) => read(head.join(""), body.join("")))

test("a page does not differ from itself, and what differs does so from both sides", () => {
  fc.assert(
    fc.property(page, page, (a, b) => {
      expect(differencesOf(a, a).list).toEqual([])
      const swapped = differencesOf(b, a).list.map(({ raw, rendered, what }) => ({
        raw: rendered,
        rendered: raw,
        what
      }))
      expect(differencesOf(a, b).list).toEqual(swapped)
    })
  )
})

test("what engines index has every link and every directive for robots of both", () => {
  fc.assert(
    fc.property(page, page, (raw, rendered) => {
      const both = effective(raw, rendered)
      const urls = ({ links }: typeof raw) => new Set(links.map((link) => link.raw))
      expect(urls(both)).toEqual(urls(raw).union(urls(rendered)))
      const nofollow = [raw, rendered].some(({ robots }) => robots.some(({ directives }) => directives.nofollow))
      expect(both.robots.some(({ directives }) => directives.nofollow)).toBe(nofollow)
    })
  )
})

test("text differs from fifty words and a tenth on", () => {
  const gained = (before: number, after: number) =>
    differencesOf(read("", words(before)), read("", words(after))).list.map(({ what }) => what)
  expect([gained(0, 49), gained(0, 50), gained(1000, 1060), gained(300, 360)]).toEqual([[], ["words"], [], ["words"]])
})

test("a bare fragment and a link to the page itself are no links", () => {
  const added = read("", '<a href="#top">top</a><a href="/a">a</a><a href="/b">b</a>')
  expect(differencesOf(read("", ""), added)).toMatchObject({ linksOnlyRendered: ["http://site.test/b"] })
})

test("a template is the kind of URL, the scripts, the code and the components in the page", () => {
  const template = (path: string, scripts: string) => templateOf(read(scripts, "", `http://site.test${path}`))
  const script = '<script src="/a.js"></script>'
  expect(template("/p/2", script)).toBe(template("/p/1", script))
  expect(template("/q/1", script)).not.toBe(template("/p/1", script))
  expect(template("/p/1", `${script}<script>go()</script>`)).not.toBe(template("/p/1", script))
  expect(template("/p/1", '<script src="/b.js"></script>')).not.toBe(template("/p/1", script))
  expect(template("/p/1", `<script type="application/ld+json">{"a":1}</script>${script}`)).toBe(
    template("/p/1", script)
  )
  // Frameworks write the data of each page into its code.
  const payload = (...texts: ReadonlyArray<string>) =>
    template("/p/1", texts.map((text) => `${script}<script>self.push([1, ${text}])</script>`).join(""))
  expect(payload("'it\\'s b'", "2", "`c`")).toBe(payload('"a"'))
  expect(payload("b")).not.toBe(payload('"a"'))
  // Astro and Stimulus start the same scripts on all pages, which load what elements name.
  const components = ["<x-list></x-list>", "<x-menu></x-menu>", '<p data-controller="list"></p>']
  const islands = ["/List.js", "/Menu.js"].map((url) => `<astro-island component-url="${url}"></astro-island>`)
  const all = ["", "<p>text</p>", ...components, ...islands].map((markup) => template("/p/1", `${script}${markup}`))
  expect(all[1]).toBe(template("/p/1", script))
  expect(new Set(all).size).toBe(6)
})
