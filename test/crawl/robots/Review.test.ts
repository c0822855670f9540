import { expect, test } from "bun:test"
import { review } from "../../../src/crawl/robots/Review.ts"

const of = (text: string) => review(new TextEncoder().encode(text))
const faults = (text: string) => of(text).faults.map(({ line, why }) => [line, why])

test("an ordinary file has no faults, and fields of other engines are none", () => {
  expect(
    faults(
      "\ufeff# hello\nUser-agent: *\nDisallow:\nAllow: /a*b$\nCrawl-delay: 5\n\nUSER-AGENT: x # y\ndisallow: *.pdf\nSitemap: https://s.test/sitemap.xml\nHost: s.test\nClean-param: ref /\nContent-Signal: search=yes"
    )
  ).toEqual([])
})

test("misspelt and unsupported lines are told with what is meant", () => {
  expect(
    faults(
      "User-agent: *\nDissalow: /a\nDisalow: /b\nAlow: /c\nUseragent: x\nUser agent: y\nSite-map: https://s.test/s.xml"
    )
  ).toEqual([
    [2, "misspelt: disallow is meant"],
    [3, "misspelt: disallow is meant"],
    [4, "misspelt: allow is meant"],
    [5, "misspelt: user-agent is meant"],
    [6, "misspelt: user-agent is meant"],
    [7, "misspelt: sitemap is meant"]
  ])
  expect(faults("User-agent: *\nNoindex: /a\nDisallow /b\nfoo: bar\nDisallow: private\nSitemap: /sitemap.xml")).toEqual(
    [
      [2, "no search engine reads noindex here"],
      [3, "there is no colon"],
      [4, "an unknown field"],
      [5, "a path begins with / or *"],
      [6, "a sitemap needs its full address"]
    ]
  )
  expect(faults("Disallow: /a\nUser-agent:\n")).toEqual([
    [1, "belongs to no user agent"],
    [2, "names no user agent"]
  ])
})

test("an HTML page is told as that and not line by line", () => {
  expect(
    ["<!DOCTYPE html><p>x", "\n\n<html lang=en>", "<!-- c --><head>", "<div>404</div>"].map((text) => of(text))
  ).toEqual(Array.from({ length: 4 }, () => ({ isHtml: true, faults: [] })))
  expect(of("User-agent: *\nDisallow: /<html>").isHtml).toBe(false)
})
