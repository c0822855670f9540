import { expect, test } from "bun:test"
import { trapCounts } from "../../../src/crawl/analysis/AnalysedSite.ts"
import { Frontier, type Meeting, maxRecords } from "../../../src/crawl/frontier/Frontier.ts"
import { repeatsSegments } from "../../../src/crawl/frontier/Traps.ts"
import { patternOf } from "../../../src/crawl/site/Site.ts"

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

test("links come first, then references in markup, the sitemap, more pages of one kind, files, nofollow links and permutations", () => {
  const frontier = new Frontier(50)
  frontier.meet(at("/sm"), { ...link, via: "sitemap" })
  frontier.meet(at("/distrusted"), { ...link, via: "nofollow" })
  frontier.meet(at("/file.pdf"), link)
  frontier.meet(at("/canonical"), { ...link, via: "reference" })
  frontier.meet(at("/q?a=1&b=2"), link)
  frontier.meet(at("/q?b=2&a=1"), link)
  frontier.meet(at("/one"), link)
  frontier.meet(at("/moved"), { ...link, via: "redirect" })
  expect(drained(frontier)).toEqual([
    "/q?a=1&b=2",
    "/one",
    "/moved",
    "/canonical",
    "/sm",
    "/file.pdf",
    "/distrusted",
    "/q?b=2&a=1"
  ])
})

const counted = (frontier: Frontier) => trapCounts(frontier.records(), frontier.beyond())

test("one kind of page gets a quarter of the crawl before all others had their turn", () => {
  const frontier = new Frontier(50)
  for (let day = 1; day <= 20; day++) frontier.meet(at(`/calendar/${day}`), link)
  frontier.meet(at("/about"), link)
  const order = drained(frontier)
  expect(order.indexOf("/about")).toBe(13)
  expect(order.length).toBe(21)
  expect(counted(frontier)).toMatchObject([{ reason: "pattern_share", pattern: "/calendar/*", count: 7, unread: 7 }])
})

test("URLs with repeated segments are counted and never requested", () => {
  const frontier = new Frontier(50)
  frontier.meet(at("/a/a/a/"), link)
  expect(drained(frontier)).toEqual([])
  expect(frontier.find(at("/a/a/a/"))?.trapped).toBe(true)
})

test("a URL is discovered once, and each page that links to it counts once", () => {
  const frontier = new Frontier(50)
  frontier.meet(at("/x"), link)
  frontier.meet(at("/x"), { ...link, text: "again" })
  frontier.meet(at("/x"), { ...link, from: at("/other") })
  frontier.meet(at("/x"), { ...link, from: at("/x") })
  expect(drained(frontier)).toEqual(["/x"])
  expect(frontier.find(at("/x"))).toMatchObject({ linkedFromCount: 2, anchorText: "x" })
})

test("the number of records is bounded, and URLs beyond the bound are counted once", () => {
  const frontier = new Frontier(50)
  for (let index = 0; index < maxRecords + 10; index++) frontier.meet(at(`/${index}`), link)
  frontier.meet(at(`/${maxRecords + 1}`), link)
  expect(frontier.records().length).toBe(maxRecords)
  expect(frontier.discovered()).toBe(maxRecords + 10)
})

test("a crawl with a higher page limit keeps more records", () => {
  const frontier = new Frontier(maxRecords)
  for (let index = 0; index < 3 * maxRecords; index++) frontier.meet(at(`/${index}`), link)
  expect(frontier.records().length).toBe(2 * maxRecords)
  expect(frontier.unlisted()).toBe(maxRecords)
})

test("repeated segments are distinguished from ordinary paths", () => {
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

test("a pattern replaces numbers and the last segment of a deep path", () => {
  expect(patternOf(url("/blog/2020/some-post"))).toBe("/blog/#/*")
  expect(patternOf(url("/page12?b=1&a=2"))).toBe("/page#?*")
})

const variants = (path: string, count: number, from = 1) =>
  Array.from({ length: count }, (_, index) => `${path}?v=${from + index}`)

test("a path has three parameter sets among the pages, and the others come last", () => {
  const frontier = new Frontier(50)
  for (const path of [...variants("/list", 6), "/one"]) frontier.meet(at(path), link)
  frontier.meet(at("/distrusted"), { ...link, via: "nofollow" })
  expect(drained(frontier)).toEqual([...variants("/list", 3), "/one", "/distrusted", ...variants("/list", 3, 4)])
  expect(counted(frontier)).toMatchObject([{ reason: "parameter_set", pattern: "/list?*", count: 3 }])
})

test("parameter sets of a page that is known without parameters come after all pages", () => {
  const frontier = new Frontier(50)
  for (const path of [...variants("/list", 4), "/list", "/file.pdf"]) frontier.meet(at(path), link)
  for (let day = 1; day <= 14; day++) frontier.meet(at(`/day/${day}`), link)
  frontier.meet(at("/sm"), { ...link, via: "sitemap" })
  const order = drained(frontier)
  expect(order.slice(-6)).toEqual(["/day/14", ...variants("/list", 3), "/file.pdf", "/list?v=4"])
  expect(order[0]).toBe("/list")
})

test("parameter sets of a path are pages as soon as one of them has itself as canonical", () => {
  const frontier = new Frontier(50)
  for (const path of variants("/item", 6)) frontier.meet(at(path), link)
  frontier.meet(at("/distrusted"), { ...link, via: "nofollow" })
  expect(frontier.next()?.url).toBe(at("/item?v=1"))
  frontier.namesItself(at("/item?v=1"))
  frontier.meet(at("/item?v=7"), link)
  expect(drained(frontier)).toEqual([...variants("/item", 6, 2), "/distrusted"])
  expect(counted(frontier)).toEqual([])
})

test("a parameter set in the sitemap is a page", () => {
  const frontier = new Frontier(50)
  for (const path of variants("/item", 5)) frontier.meet(at(path), link)
  frontier.meet(at("/item?v=5"), { ...link, via: "sitemap" })
  frontier.meet(at("/distrusted"), { ...link, via: "nofollow" })
  expect(drained(frontier)).toEqual([...variants("/item", 3), "/item?v=5", "/distrusted", "/item?v=4"])
  expect(frontier.find(at("/item?v=4"))?.trapped).toBe(true)
  expect(frontier.find(at("/item?v=5"))?.trapped).toBe(false)
})

test("a followed link moves a URL that had nofollow links only to the turn of links", () => {
  const frontier = new Frontier(50)
  frontier.meet(at("/a"), { ...link, via: "nofollow" })
  frontier.meet(at("/b"), { ...link, via: "nofollow" })
  frontier.meet(at("/c"), { ...link, via: "sitemap" })
  frontier.meet(at("/b"), link)
  expect(drained(frontier)).toEqual(["/b", "/c", "/a"])
})

test("a URL discovered while later kinds have their turn is taken before them", () => {
  const frontier = new Frontier(50)
  for (const path of variants("/list", 9)) frontier.meet(at(path), link)
  const order: Array<string> = []
  do {
    for (let next = frontier.next(); next !== undefined; next = frontier.next()) {
      order.push(new URL(next.url).pathname + new URL(next.url).search)
      if (next.url.endsWith("=5")) frontier.meet(at("/late"), { ...link, via: "sitemap" })
    }
  } while (frontier.turn())
  expect(order.indexOf("/late")).toBe(5)
})

test("a URL with a session id or a tracking parameter never precedes the page itself", () => {
  const frontier = new Frontier(50)
  frontier.meet(at("/a?utm_source=nav"), link)
  frontier.meet(at("/a;jsessionid=12"), link)
  frontier.meet(at("/a"), link)
  expect(drained(frontier)).toEqual(["/a", "/a;jsessionid=12", "/a?utm_source=nav"])
  expect(counted(frontier).map(({ reason }) => reason)).toEqual(["query_permutation", "session_id"])
})

test("URLs that trigger actions are counted by their action and never requested, also behind a redirect", () => {
  const frontier = new Frontier(50)
  for (let id = 1; id <= 4; id++) frontier.meet(at(`/?add-to-cart=${id}`), link)
  frontier.meet(at("/logout"), { ...link, via: "redirect" })
  expect(drained(frontier)).toEqual([])
  expect(counted(frontier)).toMatchObject([
    { reason: "action_link", pattern: "?add-to-cart", count: 4, unread: 4 },
    { reason: "action_link", pattern: "/logout", count: 1 }
  ])
})

test("any number of parameter sets takes no page's record, and all of them are listed", () => {
  const frontier = new Frontier(50)
  for (const path of variants("/list", 3 * maxRecords)) frontier.meet(at(path), link)
  for (let index = 0; index < maxRecords - 3; index++) frontier.meet(at(`/${index}`), link)
  expect(frontier.find(at(`/${maxRecords - 4}`))).toBeDefined()
  expect(frontier.unlisted()).toBe(0)
  expect(frontier.records().length).toBe(1.5 * maxRecords)
  expect(counted(frontier)[0]).toMatchObject({ reason: "parameter_set", count: 3 * maxRecords - 3 })
  frontier.namesItself(at("/list?v=1"))
  expect(frontier.unlisted()).toBe(3 * maxRecords - 3 - maxRecords / 2)
})
