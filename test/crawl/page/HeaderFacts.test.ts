import { describe, expect, test } from "bun:test"
import { contentType, readHeaders } from "../../../src/crawl/page/Headers.ts"
import { linkHeader } from "../../../src/crawl/page/Links.ts"
import { directives, forbidsIndexing, instant, robotsTags } from "../../../src/crawl/page/Meta.ts"

const url = "https://site.example/dir/page"
const at = (iso: string) => instant(iso) ?? Number.NaN

describe("robots directives", () => {
  test("are read case-insensitively, and none means noindex and nofollow", () => {
    expect(directives(" NoIndex , FOLLOW")).toMatchObject({
      noindex: true,
      nofollow: false,
      tokens: ["noindex", "follow"]
    })
    expect(directives("none")).toMatchObject({ noindex: true, nofollow: true })
    expect(directives("all, max-snippet:-1")).toMatchObject({ noindex: false, nofollow: false })
  })

  test("may contain a date with a comma, followed by more directives", () => {
    const found = directives("unavailable_after: Wed, 03 Dec 2025 13:09:53 GMT, nofollow")
    expect(found.unavailableAfter).toBe(at("2025-12-03T13:09:53Z"))
    expect(found.tokens).toEqual(["unavailable_after: wed, 03 dec 2025 13:09:53 gmt", "nofollow"])
    expect(directives("unavailable_after: 2025-12-03, noindex")).toMatchObject({ noindex: true })
  })

  test("forbid indexing after their date, not before", () => {
    const found = directives("unavailable_after: 2025-12-03T00:00:00Z")
    expect(forbidsIndexing(found, at("2025-12-02T23:59:59Z"))).toBe(false)
    expect(forbidsIndexing(found, at("2025-12-03T00:00:01Z"))).toBe(true)
    expect(forbidsIndexing(directives("unavailable_after: soon"), at("2099-01-01"))).toBe(false)
    expect(forbidsIndexing(directives("noindex"), 0)).toBe(true)
  })
})

describe("dates", () => {
  test("are read in all formats common on the web", () => {
    const noon = at("2011-06-25T12:30:00Z")
    for (const text of [
      "Saturday, 25-Jun-11 12:30:00 GMT",
      "Sat, 25 Jun 2011 12:30:00 +0000",
      "25 Jun 2011 05:30:00 PDT",
      "25-Jun-2011 12:30:00 UTC",
      "2011-06-25T14:30:00+02:00",
      "2011-06-25 14:30:00 CEST",
      "2011-06-25t12:30:00z",
      "25 Jun 2011 12:30"
    ]) {
      expect([text, instant(text)]).toEqual([text, noon])
    }
    expect([instant("25 Jun 2011"), instant("2011-06-25")]).toEqual([at("2011-06-25T00:00Z"), at("2011-06-25T00:00Z")])
    expect(["", "soon", "x".repeat(100)].map(instant)).toEqual([null, null, null])
  })
})

describe("X-Robots-Tag", () => {
  test("applies to all agents unless it names one", () => {
    expect(robotsTags("noindex, nofollow").map(({ agent, directives: { tokens } }) => [agent, tokens])).toEqual([
      [null, ["noindex", "nofollow"]]
    ])
    expect(
      robotsTags("GoogleBot: noindex, nofollow").map(({ agent, directives: { tokens } }) => [agent, tokens])
    ).toEqual([["googlebot", ["noindex", "nofollow"]]])
  })

  test("is not split at a colon within the value of a directive", () => {
    const tags = robotsTags("unavailable_after: 25 Jun 2010 15:00:00 PST, max-snippet: 5")
    expect(tags.map(({ agent }) => agent)).toEqual([null])
    expect(tags[0]?.directives.unavailableAfter).toBe(at("2010-06-25T23:00:00Z"))
  })

  test("has the same effect in joined lines as in separate ones", () => {
    const tags = robotsTags("nosnippet, googlebot: nofollow, otherbot: noindex, none")
    expect(tags.map(({ agent, directives: { tokens } }) => [agent, ...tokens])).toEqual([
      [null, "nosnippet"],
      ["googlebot", "nofollow"],
      ["otherbot", "noindex", "none"]
    ])
  })
})

describe("the Link header", () => {
  test("is read with quotes, escapes, commas in targets and repeated parameters", () => {
    const links = linkHeader(
      `<https://a.example/x,y;z>; rel="canonical next"; title="a \\"q\\", b"; rel=prev , </b>;REL=alternate;hreflang=de`
    )
    expect(links.map(({ parameters, target }) => [target, Object.fromEntries(parameters)])).toEqual([
      ["https://a.example/x,y;z", { rel: "canonical next", title: 'a "q", b' }],
      ["/b", { rel: "alternate", hreflang: "de" }]
    ])
  })

  test("is read up to its first syntax error", () => {
    expect(linkHeader("nonsense").length).toBe(0)
    expect(linkHeader("</a>; rel=x garbage, </b>; rel=y").map(({ target }) => target)).toEqual(["/a"])
  })
})

describe("response headers", () => {
  test("give canonical, alternates, robots and refresh, from all lines of a name", () => {
    const facts = readHeaders(url, [
      ["Link", "<../c#f>; rel=Canonical"],
      ["link", '</de>; rel=alternate; hreflang="DE"'],
      ["x-robots-tag", "noindex"],
      ["X-Robots-Tag", "bot: nofollow"],
      ["Refresh", "0;url=/next"]
    ])
    expect(facts.canonicals).toMatchObject([
      { source: "header", url: "https://site.example/c", fragment: "f", inHead: true }
    ])
    expect(facts.hreflangs).toMatchObject([{ source: "header", language: "de", url: "https://site.example/de" }])
    expect(facts.robotsTags.map(({ agent }) => agent)).toEqual([null, "bot"])
    expect(facts.refresh).toEqual({ delay: 0, url: "https://site.example/next", raw: "0;url=/next" })
  })

  test("with a foreign anchor describe another page", () => {
    expect(readHeaders(url, [["link", "</c>; rel=canonical; anchor='/other'"]]).canonicals).toEqual([])
    expect(readHeaders(url, [["link", `</c>; rel=canonical; anchor="${url}"`]]).canonicals.length).toBe(1)
  })
})

describe("the content type", () => {
  const none = new Uint8Array()
  const bytes = (text: string) => new TextEncoder().encode(text)

  test("comes from the header, regardless of the body", () => {
    expect(contentType([["Content-Type", "text/plain"]], bytes("<!doctype html>"))).toMatchObject({
      isHtml: false,
      sniffed: false
    })
    expect(contentType([["content-type", 'TEXT/HTML; Charset="utf-8"']], none)).toEqual({
      essence: "text/html",
      charset: "utf-8",
      isHtml: true,
      sniffed: false
    })
    expect(contentType([["content-type", "application/xhtml+xml"]], none).isHtml).toBe(true)
  })

  test("is sniffed only when the header is absent or malformed", () => {
    expect(contentType([], bytes("  <!DOCTYPE HTML>"))).toMatchObject({ isHtml: true, sniffed: true })
    expect(contentType([["content-type", "nonsense"]], bytes("<p>x"))).toMatchObject({ isHtml: true, sniffed: true })
    expect(contentType([], bytes("%PDF-1.4"))).toMatchObject({ essence: "application/pdf", isHtml: false })
    expect(contentType([], none).isHtml).toBe(false)
  })

  test("is the last valid one of several", () => {
    expect(
      contentType(
        [
          ["content-type", "text/plain"],
          ["content-type", "text/html"],
          ["content-type", "*/*"]
        ],
        none
      ).isHtml
    ).toBe(true)
  })
})
