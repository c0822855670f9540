import { describe, expect } from "bun:test"
import * as Effect from "effect/Effect"
import { it } from "../../harness.ts"
import { report } from "../site/Crawled.ts"
import { html } from "../site/Html.ts"
import { memoryOutbound, type Reply } from "../site/MemoryOutbound.ts"
import { notFound, origin, page, redirect, soundSite } from "./SoundSite.ts"

/** The issue of a check on a site with these pages, and the pages it names. */
const said = (rule: string, changes: Readonly<Record<string, Reply>>, unlinked: ReadonlyArray<string> = []) =>
  Effect.map(Effect.provide(report(`${origin}/`), memoryOutbound(soundSite(changes, unlinked))), (all) => {
    const finding = all.findings.find((each) => each.rule === rule)
    const named = finding?.status === "fail" ? (finding.pages ?? []) : []
    return { ...all, finding, named: named.map((url) => url.slice(origin.length)) }
  })

const rule = "canonical_to_first_page"

/** A list whose later pages have the first as canonical, and whose pages link to one another. */
const list = (first: string, later: ReadonlyArray<string>, canonical = first): Readonly<Record<string, Reply>> =>
  Object.fromEntries(
    [first, ...later].map((path) => {
      const links = ["/", first, ...later].filter((each) => each !== path)
      return [path, page(path, { canonical: path === first ? first : canonical, links })]
    })
  )

describe("a later page with page 1 as canonical is found, with any form of its number:", () => {
  const sequences: ReadonlyArray<readonly [first: string, ...later: ReadonlyArray<string>]> = [
    ["/blog/", "/blog/page/2/", "/blog/page/3/"],
    ["/blog", "/blog/page/2"],
    ["/blog/", "/blog/page2/"],
    ["/blog/", "/blog/page2.html"],
    ["/blog/", "/blog/Page-2/"],
    ["/blog/", "/blog/page/2/index.html"],
    ["/blog/", "/blog/page:2"],
    ["/blog/page/1/", "/blog/page/2/"],
    ["/blog/", "/blog/seite-2"],
    ["/blog/", "/blog/seite/2/"],
    ["/blog/", "/blog/pagina/2/"],
    ["/blog/", "/blog/p%C3%A1gina/2/"],
    ["/blog/", "/blog/strana-2/"],
    ["/blog.html", "/blog/page/2.html"],
    ["/threads/tea.12/", "/threads/tea.12/page-2"],
    ["/shop", "/shop?page=2", "/shop?page=3"],
    ["/shop?page=1", "/shop?page=2"],
    ["/shop", "/shop?PAGE=2"],
    ["/shop", "/shop?paged=2"],
    ["/shop", "/shop?pg=2"],
    ["/shop", "/shop?seite=2"],
    ["/shop", "/shop?pageNumber=2"],
    ["/shop", "/shop?currentPage=2"],
    ["/shop", "/shop?PAGEN_1=2"],
    ["/shop", "/shop?product-page=2"],
    ["/shop", "/shop?03ce29b4_page=2"],
    ["/shop", "/shop?page%5Bnumber%5D=2"],
    ["/news", "/news?tx_news_pi1%5BcurrentPage%5D=2"],
    ["/topic?t=7", "/topic?t=7&start=20", "/topic?t=7&start=40"],
    ["/shop", "/shop?offset=20"],
    ["/shop", "/shop?offset=1519238400000"],
    ["/shop?color=red", "/shop?color=red&page=2"],
    ["/shop?color=red", "/shop?page=2&color=red"],
    ["/shop", "/shop?page=2&utm_source=mail"],
    ["/cat.html", "/cat.html?p=2", "/cat.html?p=3"],
    ["/cat?dir=asc", "/cat?dir=asc&p=2", "/cat?dir=asc&p=3"],
    ["/news", "/news/p2", "/news/p3"],
    ["/news/", "/news/2/", "/news/3/"],
    ["/news", "/news/2"],
    ["/news/", "/news/index2.html", "/news/index3.html"],
    ["/shop", "/shop?page-number=2"],
    ["/news.html", "/news-page-2.html", "/news-page-3.html"]
  ]
  for (const [first, ...later] of sequences) {
    it(later.join(", "), function* () {
      expect((yield* said(rule, list(first, later))).named).toEqual([...later])
    })
  }

  it("a start page and its later pages", function* () {
    const changes = {
      "/": page("/", { links: ["/a", "/b", "/c", "/page/2/"] }),
      "/page/2/": page("/page/2/", { canonical: "/" })
    }
    expect((yield* said(rule, changes)).named).toEqual(["/page/2/"])
  })

  it("a number that counts from zero", function* () {
    const pages = list("/shop", ["/shop?page=1", "/shop?page=2"])
    expect((yield* said(rule, pages)).named).toEqual(["/shop?page=2"])
    const fromZero = { ...pages, "/shop?page=0": page("/shop?page=0", { canonical: "/shop" }) }
    expect((yield* said(rule, fromZero)).named).toEqual(["/shop?page=1", "/shop?page=2"])
  })
})

describe("a later page with page 1 as canonical is found, with any form of its canonical", () => {
  const later = (head: string, headers = {}): Reply => ({
    body: html({ title: "Blog, page 2", head, links: ["/", "/blog/"] }),
    headers
  })
  const link = (href: string) => `<link rel="canonical" href="${href}">`
  const writings: ReadonlyArray<readonly [name: string, reply: Reply]> = [
    ["relative", later(link("/blog/"))],
    ["relative to the page", later(link("../../"))],
    ["without a scheme", later(link("//site.test/blog/"))],
    ["with the host in upper case", later(link("HTTPS://SITE.TEST/blog/"))],
    ["with a fragment", later(link(`${origin}/blog/#list`))],
    ["with upper-case markup", later(`<LINK REL="CANONICAL" HREF="${origin}/blog/">`)],
    ["in a header", later("", { link: `<${origin}/blog/>; rel="canonical"` })],
    ["with the URL of page 1 with its number", later(link(`${origin}/blog/page/1/`))],
    ["without the slash, which leads to a redirect", later(link(`${origin}/blog`))],
    ["with an old URL that redirects", later(link(`${origin}/journal`))]
  ]
  for (const [name, reply] of writings) {
    it(name, function* () {
      const changes = {
        "/blog/": page("/blog/", { links: ["/", "/blog/page/2/"] }),
        "/blog/page/1/": page("/blog/page/1/", { canonical: "/blog/", title: "Page /blog/" }),
        "/blog": redirect("/blog/"),
        "/journal": redirect("/blog/"),
        "/blog/page/2/": reply
      }
      const { finding, named } = yield* said(rule, changes, ["/blog", "/journal", "/blog/page/1/"])
      expect(named).toEqual(["/blog/page/2/"])
      expect(finding?.evidence.items[0]?.detail).toContain("(page 1 of the list)")
    })
  }
})

describe("a page is not reported for its canonical", () => {
  const cases: ReadonlyArray<readonly [name: string, changes: Readonly<Record<string, Reply>>]> = [
    ["if it names itself", list("/shop", ["/shop?page=2"], "/shop?page=2")],
    ["if it is page 1 and names the URL without a number", list("/shop", ["/shop?page=1"])],
    ["if it names its sequence without the sort order", list("/shop", ["/shop?page=2&sort=price"], "/shop?page=2")],
    ["if it sorts, filters or shows more", list("/shop", ["/shop?sort=price", "/shop?per_page=2", "/shop?color=2"])],
    ["if it sorts and names the list", list("/shop", ["/shop?page=2&sort=price"])],
    ["if it names a page with all items", list("/guide", ["/guide?page=2", "/guide?page=3"], "/guide?view=all")],
    ["if its number is a year or a date", list("/blog/", ["/blog/2024/", "/blog/2024/2/", "/events?start=20240102"])],
    ["if its start is a year", list("/events", ["/events?start=2024"])],
    ["if it shows comments", list("/post/", ["/post/comment-page-2/", "/post/?comments-page=2"])],
    ["if its number is that of a post", list("/hello", ["/hello?p=2"])],
    ["if its sequence consists of posts", list("/hello", ["/hello?p=12", "/hello?p=17"])],
    ["if its sequence consists of products", list("/shoe", ["/shoe/p1", "/shoe/p2", "/shoe/p3"])],
    ["if its number is that of a copy", list("/about", ["/about-2", "/landing-page-2"])],
    ["if it names page 1 of another list", list("/news", ["/blog/page/2/"])],
    ["if it names another site", list("/news", ["/news?page=2"], "")]
  ]
  for (const [name, changes] of cases) {
    it(name, function* () {
      expect((yield* said(rule, changes)).named).toEqual([])
    })
  }

  it("if it shows the same content as page 1", function* () {
    const same = page("/tea", { title: "Tea", links: ["/a", "/b"] })
    expect((yield* said(rule, { "/tea": same, "/tea?page=2": same })).named).toEqual([])
  })

  it("if its canonical has no number and shows all items", function* () {
    const text = (path: string) => `<p>${Array.from({ length: 90 }, (_, at) => `${path}word${at}`).join(" ")}</p>`
    const part = (number: number) =>
      page(`/guide?page=${number}`, { canonical: "/guide", body: text(`part${number}`), links: ["/guide"] })
    const changes = {
      "/guide": page("/guide", { body: text("part1") + text("part2") + text("part3") }),
      "/guide?page=1": part(1),
      "/guide?page=2": part(2),
      "/guide?page=3": part(3)
    }
    expect((yield* said(rule, changes)).named).toEqual([])
  })

  it("if it is noindex, redirects, or names a page that fails", function* () {
    const noindex = '<meta name="robots" content="noindex">'
    const changes = {
      "/blog/": page("/blog/"),
      "/blog/page/2/": page("/blog/page/2/", { canonical: "/blog/", head: noindex }),
      "/blog/page/3/": redirect("/blog/"),
      "/gone/": notFound,
      "/gone/page/2/": page("/gone/page/2/", { canonical: "/gone/" })
    }
    expect((yield* said(rule, changes)).named).toEqual([])
  })

  it("if it is a shortlink of a post", function* () {
    const shortlink = page("/?p=2", { canonical: "/hello/" })
    const changes = { "/hello/": page("/hello/"), "/?p=2": shortlink, "/?p=3": page("/?p=3", { canonical: "/" }) }
    expect((yield* said(rule, changes)).named).toEqual([])
  })
})

describe("pages of one sequence may share their title", () => {
  const titled = (paths: ReadonlyArray<string>, links = paths) =>
    Object.fromEntries(paths.map((path) => [path, page(path, { title: "Archive", links: ["/", ...links] })]))

  for (const paths of [
    ["/blog/", "/blog/page/2/", "/blog/page/3/"],
    ["/shop", "/shop?page=2"],
    ["/cat", "/cat?p=2", "/cat?p=3"],
    ["/cat?p=1", "/cat?p=2", "/cat?p=3"],
    ["/news", "/news/p2", "/news/p3"]
  ]) {
    it(paths.join(", "), function* () {
      expect((yield* said("title_duplicate", titled(paths))).named).toEqual([])
    })
  }

  for (const [name, changes] of [
    ["pages of two lists", titled(["/blog/", "/news/page/2/"])],
    ["posts that link to each other", titled(["/?p=12", "/?p=15"])],
    ["numbers without a link between them", titled(["/cat?p=2", "/cat?p=3"], [])],
    ["products that link to each other", titled(["/shoe/p2", "/shoe/p3"])],
    ["products with page 1 beside their list", { ...titled(["/s/p1", "/s/p2"]), "/s": page("/s") }],
    ["copies of a landing page", titled(["/landing-page-2", "/landing-page-3"])]
  ] as const) {
    it(`${name} may not`, function* () {
      expect((yield* said("title_duplicate", changes)).named).toHaveLength(2)
    })
  }
})

it("later pages with page 1 as canonical lower the score equally in query and path, and many parameter sets count as one", function* () {
  const lostBy = (later: ReadonlyArray<string>) =>
    Effect.map(said(rule, list("/shop", later)), ({ score }) =>
      score.breakdown.lost.filter((each) => each.rule === rule).map(({ points }) => Math.round(100 * points))
    )
  const one = yield* lostBy(["/shop?page=2"])
  expect(one).toEqual([expect.any(Number)])
  expect(yield* lostBy(["/shop?page=2", "/shop?page=3"])).toEqual(one)
  expect(yield* lostBy(["/shop/page/2/"])).toEqual([expect.any(Number)])
})
