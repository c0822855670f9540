import { expect, test } from "bun:test"
import { Frontier, maxRecords } from "../../../src/crawl/frontier/Frontier.ts"
import { patternOf, permutationKey, repeatsSegments } from "../../../src/crawl/frontier/Trap.ts"
import type { Meeting } from "../../../src/crawl/frontier/UrlRecord.ts"

const link: Meeting = { via: "link", depth: 1, from: "http://s.test/", text: "x", hops: 0 }
const at = (path: string) => `http://s.test${path}`
const url = (path: string) => new URL(at(path))

const drained = (frontier: Frontier): ReadonlyArray<string> => {
  const order: Array<string> = []
  do {
    for (let next = frontier.next(); next !== undefined; next = frontier.next())
      order.push(new URL(next.url).pathname + new URL(next.url).search)
  } while (frontier.turn())
  return order
}

test("links come first, then what markup names, then the sitemap, then more of one kind, files and permutations", () => {
  const frontier = new Frontier(50)
  frontier.meet(at("/sm"), { ...link, via: "sitemap" })
  frontier.meet(at("/file.pdf"), link)
  frontier.meet(at("/canonical"), { ...link, via: "reference" })
  frontier.meet(at("/q?a=1&b=2"), link)
  frontier.meet(at("/q?b=2&a=1"), link)
  frontier.meet(at("/one"), link)
  frontier.meet(at("/moved"), { ...link, via: "redirect" })
  expect(drained(frontier)).toEqual(["/q?a=1&b=2", "/one", "/moved", "/canonical", "/sm", "/file.pdf", "/q?b=2&a=1"])
})

test("one kind of page gets a quarter of the run before the others have had their turn", () => {
  const frontier = new Frontier(50)
  for (let day = 1; day <= 20; day++) frontier.meet(at(`/calendar/${day}`), link)
  frontier.meet(at("/about"), link)
  const order = drained(frontier)
  expect(order.indexOf("/about")).toBe(13)
  expect(order.length).toBe(21)
  expect(frontier.traps()).toMatchObject([{ reason: "pattern_share", pattern: "/calendar/*", count: 7 }])
})

test("addresses that repeat themselves are counted and never asked for", () => {
  const frontier = new Frontier(50)
  frontier.meet(at("/a/a/a/"), link)
  expect(drained(frontier)).toEqual([])
  expect(frontier.find(at("/a/a/a/"))?.trapped).toBe(true)
})

test("a URL is known from its first meeting, and each page that links to it counts once", () => {
  const frontier = new Frontier(50)
  frontier.meet(at("/x"), link)
  frontier.meet(at("/x"), { ...link, text: "again" })
  frontier.meet(at("/x"), { ...link, from: at("/other") })
  frontier.meet(at("/x"), { ...link, from: at("/x") })
  expect(drained(frontier)).toEqual(["/x"])
  expect(frontier.find(at("/x"))).toMatchObject({ linkedFromCount: 2, anchorText: "x" })
})

test("records are bounded; what is met beyond them is counted once", () => {
  const frontier = new Frontier(50)
  for (let index = 0; index < maxRecords + 10; index++) frontier.meet(at(`/${index}`), link)
  frontier.meet(at(`/${maxRecords + 1}`), link)
  expect(frontier.records().length).toBe(maxRecords)
  expect(frontier.discovered()).toBe(maxRecords + 10)
})

test("a run that may ask for more pages keeps more records", () => {
  const frontier = new Frontier(maxRecords)
  for (let index = 0; index < 3 * maxRecords; index++) frontier.meet(at(`/${index}`), link)
  expect(frontier.records().length).toBe(2 * maxRecords)
  expect(frontier.unlisted()).toBe(maxRecords)
})

test("repetition is told from ordinary paths", () => {
  expect(["/a/a/a", "/x/a/b/a/b/a/b", "/1/2/3/1/2/3/1/2/3/"].map((path) => repeatsSegments(url(path)))).toEqual([
    true,
    true,
    true
  ])
  expect(["/a/a/b", "/a/b/a/b", "/", "/2020/01/01/01-x"].map((path) => repeatsSegments(url(path)))).toEqual([
    false,
    false,
    false,
    false
  ])
})

test("a pattern blanks numbers and the last part of a deep path", () => {
  expect(patternOf(url("/blog/2020/some-post"))).toBe("/blog/#/*")
  expect(patternOf(url("/page12?b=1&a=2"))).toBe("/page#?*")
  expect(permutationKey(url("/q?b=2&a=1"))).toBe(permutationKey(url("/q?a=1&b=2")))
})
