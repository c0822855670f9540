import { describe, expect, test } from "bun:test"
import { readPage } from "../../../src/crawl/page/Page.ts"

const url = "https://site.example/dir/page"

const read = (html: string, at = url) => readPage({ url: at, bytes: new TextEncoder().encode(html), charset: "utf-8" })

describe("the document", () => {
  test("has the title that the standard defines: the collapsed text of the first title element", () => {
    expect(read("<title>\n A \t B&amp;C </title><title>second</title>")).toMatchObject({
      title: "A B&C",
      titles: 2,
      titleInHead: true
    })
    expect(read("<p>none").title).toBeNull()
    expect(read("<title> </title>").title).toBe("")
  })

  test("does not use an SVG title as its title", () => {
    expect(read("<svg><title>icon</title></svg><title>page</title>")).toMatchObject({
      title: "page",
      titles: 1,
      titleInHead: false
    })
  })

  test("has its language, DOCTYPE and mode", () => {
    expect(read("<!doctype html><html lang=' de-AT '>")).toMatchObject({
      lang: "de-AT",
      doctype: true,
      quirks: "no-quirks"
    })
    expect(read("<p>")).toMatchObject({ lang: null, doctype: false, quirks: "quirks" })
  })

  test("resolves URLs by the first base element with an href", () => {
    const facts = read("<base target=x><base href=/other/><base href=/third/><a href=x>")
    expect(facts).toMatchObject({ base: "/other/", baseUrl: "https://site.example/other/" })
    expect(facts.links[0]?.target).toEqual({ followable: true, url: "https://site.example/other/x", fragment: null })
  })

  test("ignores a base that is no valid http URL", () => {
    for (const href of ["http://[", "data:text/html,x", "javascript:0"]) {
      expect(read(`<base href="${href}">`).baseUrl).toBe(url)
    }
  })

  test("has no links and no title inside of templates", () => {
    const facts = read("<body><template><a href=/t>t</a><title>t</title></template>")
    expect(facts.links).toEqual([])
    expect(facts.title).toBeNull()
  })
})

describe("a noscript element", () => {
  const directives =
    "<meta http-equiv=refresh content='0; url=/nojs'><meta name=robots content=noindex><link rel=canonical href=/other><title>Other</title><link rel=alternate hreflang=fr href=/fr>"
  const own = "<title>Own</title><link rel=canonical href=/dir/page>"
  const says = (html: string) => read(html).noscript.elements.map((element) => element.says)

  for (const [where, html] of [
    ["head", `<head><noscript>${directives}</noscript>${own}</head><body><a href=/a>a</a>`],
    ["body", `<head>${own}</head><body><noscript>${directives}</noscript><a href=/a>a</a>`]
  ] as const)
    test(`in the ${where} adds no facts to the page, and its directives are kept apart`, () => {
      const facts = read(html)
      expect(facts).toMatchObject({
        title: "Own",
        titles: 1,
        titleInHead: true,
        refresh: null,
        robots: [],
        hreflangs: []
      })
      expect(facts.canonicals.map(({ raw, inHead }) => [raw, inHead])).toEqual([["/dir/page", true]])
      expect(facts.links.map(({ raw }) => raw)).toEqual(["/a"])
      expect(facts.noscript.elements.map((element) => element.says)).toEqual([
        "refresh",
        "robots: noindex",
        "canonical: /other",
        "hreflang fr: /fr"
      ])
      expect(facts.noscript.elements[1]).toEqual({
        says: "robots: noindex",
        markup: '<meta name="robots" content="noindex">',
        place: where === "head" ? "head" : "main"
      })
    })

  test("contributes links within the site that the page does not have elsewhere", () => {
    const html =
      "<a href=/a>a</a><noscript><a href=/a>a</a><a href=/b>b</a><a href=https://other.example/>c</a></noscript>"
    expect(says(html)).toEqual(["link: /b"])
  })

  test("has no directives that repeat the page's own, and none without effect", () => {
    expect(says("<meta name=robots content=noindex><noscript><meta name=ROBOTS content=NOINDEX></noscript>")).toEqual(
      []
    )
    expect(says("<noscript><meta name=robots content='index, follow'><style>a{}</style></noscript>")).toEqual([])
  })

  for (const [content, ends] of [
    ["<img src=/pixel>", true],
    ["<iframe src=/tag></iframe>", true],
    ["Enable scripts", true],
    ["<div></div>", true],
    ["<style>a{}</style><link rel=stylesheet href=/a.css><meta name=x>", false],
    [" <!-- nothing --> ", false]
  ] as const)
    test(`in the head with ${content} ${ends ? "ends it" : "leaves it open"} without scripts, and never with them`, () => {
      const facts = read(
        `<head><noscript>${content}</noscript><title>T</title><link rel=canonical href=/x><meta name=robots content=noindex>`
      )
      expect(facts.titleInHead).toBe(true)
      expect(facts.robots.map(({ inHead }) => inHead)).toEqual([true])
      expect(facts.noscript.headEnd?.behind ?? null).toEqual(ends ? ["title", "canonical", "robots"] : null)
    })

  test("is no issue if it ends the head after its last element", () => {
    expect(read("<head><title>T</title><noscript><img src=/pixel></noscript></head>").noscript.headEnd).toBeNull()
  })

  test("is text in XHTML too", () => {
    const xml = `<html xmlns="http://www.w3.org/1999/xhtml"><head><title>T</title><noscript><meta name="robots" content="noindex"/></noscript></head><body><noscript><p><a href="/n">n</a></p></noscript><a href="/a">a</a></body></html>`
    const facts = readPage({ url, bytes: new TextEncoder().encode(xml), charset: "utf-8", isXml: true })
    expect(facts.robots).toEqual([])
    expect(facts.links.map(({ raw }) => raw)).toEqual(["/a"])
    expect(facts.noscript.elements.map((element) => element.says)).toEqual(["robots: noindex", "link: /n"])
  })
})

describe("meta elements", () => {
  test("belong to the head until an element that is invalid there", () => {
    const facts = read("<head><meta name=robots content=noindex><img><meta name=ROBOTS content='nofollow'>")
    expect(facts.robots.map(({ agent, directives, inHead }) => [agent, directives.tokens, inHead])).toEqual([
      ["robots", ["noindex"], true],
      ["robots", ["nofollow"], false]
    ])
  })

  test("apply to all robots and to Googlebot, and directives for this crawler are ignored", () => {
    const facts = read(
      "<meta name=FindableBot content=none><meta name=googlebot content=index><meta name=bingbot content=noindex>"
    )
    expect(facts.robots.map(({ agent }) => agent)).toEqual(["googlebot"])
  })

  test("give all descriptions, the first viewport and the first of each social property", () => {
    const facts = read(
      "<meta name=Description content=one><meta name=description content=''><meta name=viewport content='width=1'><meta property=og:title content=O><meta property=og:title content=P><meta name=twitter:card content=S>"
    )
    expect(facts).toMatchObject({
      descriptions: ["one", ""],
      viewport: "width=1",
      social: { "og:title": "O", "twitter:card": "S" }
    })
  })

  test("refresh by the first value that the standard accepts", () => {
    const facts = read(
      "<meta http-equiv=refresh content=soon><meta http-equiv=Refresh content='3; URL=/n'><meta http-equiv=refresh content=0>"
    )
    expect(facts.refresh).toEqual({ delay: 3, url: "https://site.example/n", raw: "3; URL=/n" })
  })
})

describe("links", () => {
  test("are kept in document order, of all kinds, with names in any case", () => {
    const facts = read(
      "<A HREF=1>x</A><map><area href=2 alt='An area'></map><iframe src=3 title=F></iframe><svg><a xlink:href=4>y</a></svg><a name=5>"
    )
    expect(facts.links.map(({ kind, raw, text }) => [kind, raw, text])).toEqual([
      ["a", "1", "x"],
      ["area", "2", "An area"],
      ["iframe", "3", "F"],
      ["a", "4", "y"]
    ])
    expect(read("<frameset><frame src=1></frameset>").links.map(({ kind, raw }) => [kind, raw])).toEqual([
      ["frame", "1"]
    ])
  })

  test("have their rel, and know whether it contains nofollow, ugc or sponsored", () => {
    const facts = read(
      "<a href=1 rel='NoFollow  me'><a href=2 rel=sponsored><a href=3 rel='ugc'><a href=4 rel=noopener>"
    )
    expect(facts.links.map(({ nofollow, rel }) => [nofollow, ...rel])).toEqual([
      [true, "nofollow", "me"],
      [true, "sponsored"],
      [true, "ugc"],
      [false, "noopener"]
    ])
  })

  test("have the text of their words and images, separated at blocks, cut at 200 characters", () => {
    const facts = read(
      `<a href=1> <div>One</div><div>two <b>t</b>hree<img alt=" four "></div><script>no</script></a><a href=2>${"x".repeat(300)}</a>`
    )
    expect(facts.links.map(({ text }) => text)).toEqual(["One two three four", "x".repeat(200)])
  })

  test("have the reason why they cannot be followed", () => {
    const references = [
      "mailto:a@b.c",
      "TEL:1",
      "javascript:void(0)",
      "data:,x",
      "blob:x",
      "/cdn-cgi/l/email-protection#1",
      "http://[",
      `/${"a".repeat(3000)}`
    ]
    const facts = read(references.map((href) => `<a href="${href}">`).join(""))
    expect(facts.links.map(({ target }) => (target.followable ? "followable" : target.reason))).toEqual([
      "scheme",
      "scheme",
      "scheme",
      "scheme",
      "scheme",
      "edge",
      "invalid",
      "too_long"
    ])
  })

  test("keep their fragment apart from their URL", () => {
    const [first, second] = read("<a href='?b=2&amp;a=1#x%2f'></a><a href='#'>").links
    expect(first?.target).toEqual({ followable: true, url: "https://site.example/dir/page?b=2&a=1", fragment: "x%2f" })
    expect(second?.target).toEqual({ followable: true, url, fragment: "" })
  })

  test("are counted beyond the first ten thousand", () => {
    const facts = read("<a href=x>".repeat(10_005))
    expect([facts.links.length, facts.linkCount]).toEqual([10_000, 10_005])
  })
})

describe("link elements", () => {
  test("give every canonical, with its problem", () => {
    const facts = read(
      "<link rel='x CANONICAL' href='/a#f'><link rel=canonical href=''><link rel=canonical href='mailto:x'><body><link rel=canonical href=https://other.example/%7e%2f>"
    )
    expect(facts.canonicals).toEqual([
      {
        source: "html",
        raw: "/a#f",
        url: "https://site.example/a",
        valid: true,
        absolute: false,
        fragment: "f",
        inHead: true
      },
      { source: "html", raw: "", url: null, valid: false, absolute: false, fragment: null, inHead: true },
      { source: "html", raw: "mailto:x", url: null, valid: false, absolute: true, fragment: null, inHead: true },
      {
        source: "html",
        raw: "https://other.example/%7e%2f",
        url: "https://other.example/~%2F",
        valid: true,
        absolute: true,
        fragment: null,
        inHead: false
      }
    ])
  })

  test("give language alternates, and know whether their language tag is well-formed", () => {
    const facts = read(
      "<link rel=alternate hreflang=' EN-gb ' href=/en><link rel=alternate hreflang=x-default href=/><link rel=alternate hreflang=english href=/e><link rel=alternate type=application/rss+xml href=/feed>"
    )
    expect(facts.hreflangs.map(({ language, url: to, wellFormed }) => [language, to, wellFormed])).toEqual([
      ["en-gb", "https://site.example/en", true],
      ["x-default", "https://site.example/", true],
      ["english", "https://site.example/e", false]
    ])
    expect(facts.relations.map(({ rel, type }) => [...rel, type])).toEqual([["alternate", "application/rss+xml"]])
  })
})

describe("content", () => {
  test("has its headings in order, with the text of their images", () => {
    const facts = read("<h2>Second<br>line</h2><h1><img alt=Logo></h1><h7>no</h7>")
    expect(facts.headings).toEqual([
      { level: 2, text: "Second line" },
      { level: 1, text: "Logo" }
    ])
  })

  test("distinguishes images without alt from images with an empty alt", () => {
    const facts = read("<img src=/a.png><img alt='' src=/b.png srcset='/c.png 2x, /d.png 1x' loading=LAZY>")
    expect([facts.imageCount, facts.imagesWithoutAlt, ...facts.images.map(({ alt }) => alt)]).toEqual([2, 1, null, ""])
    expect(facts.images[1]).toMatchObject({
      srcset: ["https://site.example/c.png", "https://site.example/d.png"],
      lazy: true
    })
  })

  test("lists insecure resources of a secure page, but no links", () => {
    const html =
      "<script src=http://x.example/a.js></script><link rel=stylesheet href=//x.example/s.css><svg><image xlink:href=http://x.example/i.png></svg><a href=http://x.example/>"
    expect(read(html).insecureResources.map(({ from, url: to }) => [from, to])).toEqual([
      ["script[src]", "http://x.example/a.js"],
      ["image[xlink:href]", "http://x.example/i.png"]
    ])
    expect(read(html, "http://site.example/").insecureResources).toEqual([])
  })

  test("mentions URLs that are neither links nor resources", () => {
    const facts = read("<form action=/send></form><q cite=/source></q>")
    expect(facts.mentions.map(({ from, url: to }) => [from, to])).toEqual([
      ["form[action]", "https://site.example/send"],
      ["q[cite]", "https://site.example/source"]
    ])
  })

  test("has its structured data parsed, with types and the place of an error", () => {
    const facts = read(
      `<script type="application/ld+json">{"@context":"https://schema.org","@type":["A","B"],"x":[{"@type":"C"}]}</script><script type=" Application/LD+JSON ; x">{"a":1,\n}</script><div itemscope itemtype="https://schema.org/Person"></div>`
    )
    expect(facts.structuredData[0]).toEqual({
      ok: true,
      error: null,
      types: ["A", "B", "C"],
      hasContext: true,
      isEmpty: false,
      inHead: true,
      place: "head",
      markup: null
    })
    expect(facts.structuredData[1]).toMatchObject({
      ok: false,
      error: { message: 'expected a quoted key, found "}"', offset: 8, line: 2, excerpt: '{"a":1, }' },
      markup: '<script type=" Application/LD+JSON ; x">{"a":1, }</script>'
    })
    expect(facts.microdataTypes).toEqual(["https://schema.org/Person"])
  })
})

describe("empty JSON-LD is empty and not broken", () => {
  const nothing = ["[]", "{}", "null", " ", "[{}]", '{"@context":"https://schema.org","@graph":[]}', '{"@graph":[{}]}']
  const something = ["0", '"x"', '{"name":""}', '{"@graph":[{"@id":"#x"}]}', "["]
  for (const text of [...nothing, ...something])
    test(text, () => {
      const [block] = read(`<script type="application/ld+json">${text}</script>`).structuredData
      expect(block).toMatchObject({ isEmpty: nothing.includes(text), ok: text !== "[" })
    })
})

describe("code counts as words, wherever it is shown", () => {
  for (const [html, words] of [
    ["<p>see</p><pre><code>let answer = 42</code></pre>", 4],
    ["<main><p>see</p></main><aside>note <pre>npm install it</pre></aside>", 4],
    ["<p>see</p><object data=/x.swf><code>let answer</code> else</object>", 3],
    ["<p>see</p><noscript><code>let answer</code></noscript>", 1],
    ["<p>see</p><script><code>let answer</code></script>", 1]
  ] as const)
    test(html, () => expect(read(html).text.mainWords).toBe(words))
})

describe("hostile and large pages", () => {
  const row = (index: number) =>
    `<li class="item"><a href="/page/${index}?x=1&amp;y=2">Link ${index} to a page</a></li>\n`
  const large = `<!doctype html><title>x</title><ul>${Array.from({ length: 4000 }, (_, index) => row(index)).join("")}</ul>`

  test("are read completely up to 317 KB with 4,000 links", () => {
    expect(read(large)).toMatchObject({ linkCount: 4000, parsedWholly: true })
  })

  test("with nesting of any depth do not exhaust the stack", () => {
    const facts = read(`${"<div>".repeat(20_000)}<a href=/deep>deep</a>`)
    expect([facts.linkCount, facts.parsedWholly]).toEqual([1, true])
    expect(read("<a href=x><object>".repeat(20_000)).linkCount).toBe(20_000)
  })

  test("with multiplying formatting elements are cut, and marked as not parsed completely", () => {
    const bomb = Array.from({ length: 20_000 }, (_, index) => `<p><b id=${index}>`).join("")
    expect(read(`<title>t</title>${bomb}`)).toMatchObject({ title: "t", parsedWholly: false })
  })

  test("with a million classes or 50,000 attributes are parsed correctly", () => {
    const attributes = Array.from({ length: 50_000 }, (_, index) => `a${index}`).join(" ")
    const facts = read(`<p class="${"a ".repeat(500_000)}"><b ${attributes}><a href=/x>${"<html q=1>".repeat(20_000)}`)
    expect(facts.linkCount).toBe(1)
  })
})
