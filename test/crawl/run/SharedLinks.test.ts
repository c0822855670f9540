import { expect, test } from "bun:test"
import { SharedLinks } from "../../../src/crawl/run/Run.ts"
import type { KeptLink } from "../../../src/crawl/visit/Visit.ts"

const link = (path: string, changes: Partial<KeptLink> = {}): KeptLink => ({
  isNamed: true,
  isToggle: false,
  kind: "a",
  markup: null,
  nofollow: false,
  place: "main",
  raw: path,
  tag: null,
  target: { followable: true, fragment: null, url: `http://site.test${path}` },
  text: "Home",
  ...changes
})

test("a link shared by several pages is stored once", () => {
  const shared = new SharedLinks()
  const [first] = shared.share([link("/")])
  expect(shared.share([link("/a"), link("/")])[1]).toBe(first)
})

test("links that differ in any part are stored apart, in their order", () => {
  const shared = new SharedLinks()
  const links = [
    link("/"),
    link("/", { text: "Start" }),
    link("/", { nofollow: true }),
    link("/", { isNamed: false }),
    link("/", { isToggle: true }),
    link("/", { kind: "area" }),
    link("/", { place: "footer" }),
    link("/", { markup: "<a>" }),
    link("/", { tag: '<a class="x">' }),
    link("/", { raw: "../engine" }),
    link("/", { target: { followable: true, fragment: "top", url: "http://site.test/" } }),
    link("/", { raw: "mailto:x", target: { followable: false, reason: "scheme", detail: "mailto:" } }),
    link("/", { raw: "mailto:x", target: { followable: false, reason: "scheme", detail: "tel:" } })
  ]
  expect(shared.share(links)).toEqual(links)
  expect(shared.share(links)).toEqual(links)
  expect(new Set(shared.share([...links, ...links])).size).toBe(links.length)
})
