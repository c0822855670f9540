import { describe, expect, test } from "bun:test"
import { match } from "../../../src/crawl/robots/Match.ts"
import { parse } from "../../../src/crawl/robots/Parse.ts"
import { review } from "../../../src/crawl/robots/Review.ts"

const of = (text: string) => review(new TextEncoder().encode(text))
const faults = (text: string) => of(text).faults.map(({ line, why }) => [line, why])

test("an ordinary file has no issues, and fields of other search engines are none", () => {
  expect(
    faults(
      "\ufeff# hello\nUser-agent: *\nDisallow:\nAllow: /a*b$\nCrawl-delay: 5\n\nUSER-AGENT: x # y\ndisallow: *.pdf\nSitemap: https://s.test/sitemap.xml\nHost: s.test\nClean-param: ref /\nContent-Signal: search=yes"
    )
  ).toEqual([])
})

test("lines without effect are reported with a suggestion", () => {
  expect(
    faults("User-agent: *\nAlow: /c\nUser_agent: x\nDisallw: /a\nSitmap: https://s.test/s.xml\nCrawl delay: 5")
  ).toEqual([
    [2, "misspelled: should be allow"],
    [3, "misspelled: should be user-agent"],
    [4, "misspelled: should be disallow"],
    [5, "misspelled: should be sitemap"],
    [6, "misspelled: should be crawl-delay"]
  ])
  expect(faults("User-agent: *\nNoindex: /a\nDisallow /b /c\nfoo: bar\nDisallow: private\n: /x\nDisallow")).toEqual([
    [2, "no search engine supports noindex in robots.txt"],
    [3, "the colon is missing"],
    [4, "unknown field"],
    [5, "the path must begin with / or *"],
    [6, "unknown field"],
    [7, "the colon is missing"]
  ])
  expect(faults("Disallow: /a\nUser-agent:\n")).toEqual([
    [1, "outside of any User-agent group"],
    [2, "the user agent is missing"]
  ])
  // Google reads three words without a colon as a sentence, so there is no agent and the rule has no group.
  expect(faults("User agent *\nDisallow: /")).toEqual([
    [1, "the colon is missing"],
    [2, "outside of any User-agent group"]
  ])
  expect(faults("User-agent: *\n\ufeffDisallow: /a\n\u00a0Allow: /b")).toEqual([
    [2, "the name contains non-ASCII characters"],
    [3, "the name contains non-ASCII characters"]
  ])
})

describe("a misspelled line that Google's parser tolerates", () => {
  const forgiven: Readonly<Record<string, ReadonlyArray<string>>> = {
    "user-agent": ["Useragent: x", "User agent: x", "USERAGENT : x", "User-agents: x"],
    allow: ["Allowed: /a"],
    disallow: [
      "Dissallow: /a",
      "dissalow: /a",
      "DISALOW: /a",
      "Diasllow\t: /a",
      "Disallaw:/a",
      "Disallow-all: /",
      "Dissallow /a"
    ],
    sitemap: ["Site-map: https://s.test/s.xml", "Sitemaps: https://s.test/s.xml"]
  }
  const lines = Object.entries(forgiven).flatMap(([meant, written]) => written.map((line) => ({ line, meant })))

  for (const { line, meant } of lines) {
    test(`is reported as tolerated by Google: ${line}`, () => {
      expect(of(`User-agent: *\r\n${line} # why\r\n`).faults).toEqual([
        {
          line: 2,
          text: line,
          why: `misspelled: should be ${meant}. Google tolerates it, others may not`,
          isRead: true
        }
      ])
    })
  }

  test("may lack the colon between its two words", () => {
    expect(faults("user-agent *\rDisallow\t/b\rUseragent x\rAllow /c # d")).toEqual([
      [1, "the colon is missing. Google tolerates it, others may not"],
      [2, "the colon is missing. Google tolerates it, others may not"],
      [3, "misspelled: should be user-agent. Google tolerates it, others may not"],
      [4, "the colon is missing. Google tolerates it, others may not"]
    ])
  })

  test("without effect for another reason is reported with that reason", () => {
    expect(of("Dissallow: /a\nUser-agent: *\nDissallow: a").faults.map(({ isRead, why }) => [why, isRead])).toEqual([
      ["outside of any User-agent group", false],
      ["the path must begin with / or *", false]
    ])
  })

  test("blocks pages, and other misspellings do not", () => {
    const isClosed = (line: string) =>
      !match(parse(new TextEncoder().encode(`useragent: *\n${line}`)), "Googlebot", "/a").allowed
    const read = [
      "Dissallow: /",
      "dissalow: /",
      "disalow : /",
      "diasllow:/",
      "disallaw: /",
      "Disallow /",
      "Disallows: /"
    ]
    expect(read.filter((line) => !isClosed(line))).toEqual([])
    expect(
      ["Disallw: /", "Dis-allow: /", "Dizallow: /", "Disallow / /x", "\ufeffDisallow: /"].filter(isClosed)
    ).toEqual([])
  })
})

describe("a Sitemap line", () => {
  test("needs a scheme and a host", () => {
    const values = [
      "/sitemap.xml",
      "sitemap.xml",
      "//s.test/sitemap.xml",
      "www.s.test/sitemap.xml",
      "s.test:8080/sitemap.xml",
      "https:/sitemap.xml",
      "https:sitemap.xml",
      "https:///sitemap.xml",
      "http//s.test/sitemap.xml",
      "htps://s.test/sitemap.xml",
      "<https://s.test/sitemap.xml>"
    ]
    for (const value of values) {
      expect([value, faults(`Sitemap: ${value}`)]).toEqual([value, [[1, "the sitemap needs its full URL"]]])
    }
    expect(faults("SITEMAP : HTTPS://s.test/a b.xml\nSitemap:\thttp://other.test/s.xml?x=1 # main")).toEqual([])
  })

  test("is found after its colon only, once per line", () => {
    expect(
      faults("Sitemap:\nSitemap: https://s.test/a.xml, https://s.test/b.xml\nSitemap https://s.test/c.xml")
    ).toEqual([
      [1, "the sitemap URL is missing"],
      [2, "each line takes one sitemap"],
      [3, "the colon after sitemap is missing"]
    ])
  })
})

test("an HTML page is reported as a whole, not line by line", () => {
  expect(
    ["<!DOCTYPE html><p>x", "\n\n<html lang=en>", "<!-- c --><head>", "<div>404</div>"].map((text) => of(text))
  ).toEqual(Array.from({ length: 4 }, () => ({ isHtml: true, faults: [] })))
  expect(of("User-agent: *\nDisallow: /<html>").isHtml).toBe(false)
})
