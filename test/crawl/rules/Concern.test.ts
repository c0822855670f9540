import { describe, expect } from "bun:test"
import * as Effect from "effect/Effect"
import { it } from "../../harness.ts"
import { report } from "../site/Crawled.ts"
import { memoryOutbound, type Reply } from "../site/MemoryOutbound.ts"
import { origin, page, soundSite } from "./SoundSite.ts"

/** The rules that fail on the sound site with these changes, with the paths that they name. */
const failing = (changes: Readonly<Record<string, Reply>>, unlinked: ReadonlyArray<string> = []) =>
  Effect.map(
    Effect.provide(report(`${origin}/`), memoryOutbound(soundSite(changes, unlinked))),
    ({ findings }) =>
      new Map(
        findings.flatMap(({ pages, rule, status }) =>
          status === "fail" ? [[rule, pages.map((url) => url.slice(origin.length))]] : []
        )
      )
  )

const poor = (head: string): Reply => ({
  body: `<!doctype html><html lang=en><head><meta charset=utf-8><meta name=viewport content=x>${head}<script type="application/ld+json">{,}</script><script type="application/ld+json">{}</script><script type="application/ld+json">{"a":1}</script></head><body><img src=/x.png><a href=/>home</a></body></html>`
})
const aboutContent = [
  "title_missing",
  "description_missing",
  "h1_missing",
  "thin_content",
  "image_alt_missing",
  "structured_data_syntax",
  "structured_data_empty",
  "structured_data_untyped"
]

describe("rules about content speak of pages that may be indexed", () => {
  it("and name one that may", () =>
    Effect.map(failing({ "/x": poor("") }), (found) => {
      for (const rule of aboutContent) expect([rule, found.get(rule)]).toEqual([rule, ["/x"]])
    }))
  for (const [name, head] of [
    ["asks not to be indexed", "<meta name=robots content=noindex>"],
    ["names another as canonical", `<link rel=canonical href="/a">`]
  ] as const)
    it(`and not of one that ${name}`, () =>
      Effect.map(failing({ "/x": poor(head) }), (found) => {
        for (const rule of [...aboutContent, "canonical_relative"])
          expect([rule, found.get(rule)]).toEqual([rule, undefined])
      }))
})

describe("link_nofollow_internal speaks of targets that may be indexed themselves", () => {
  const links = (to: string) => ({ "/a": page("/a", { body: `<a rel=nofollow href="${to}">there</a>` }) })
  for (const [name, to, more, isTold] of [
    ["a page", "/x", { "/x": page("/x") }, true],
    ["a page with a parameter alone", "/item?id=7", { "/item?id=7": page("/item?id=7") }, true],
    ["a copy", "/x", { "/x": page("/x", { canonical: "/b" }) }, false],
    ["a page that is gone", "/x", { "/x": { status: 404 } }, false],
    ["a view of a page", "/x?sort=price", { "/x": page("/x"), "/x?sort=price": page("/x?sort=price") }, false]
  ] as const)
    it(name, () =>
      Effect.map(failing({ ...links(to), ...more }), (found) =>
        expect(found.get("link_nofollow_internal")).toEqual(isTold ? ["/a"] : undefined)
      )
    )
})

describe("a link or control without a name", () => {
  for (const [markup, rule] of [
    ["<a href=/b></a>", "link_text_missing"],
    ["<a href=/b><img src=/i.png alt=''></a>", "link_text_missing"],
    ["<a href=#top><i></i></a>", "control_unnamed"],
    ["<a href=/a#top><i></i></a>", "control_unnamed"],
    ['<a href="javascript:void(0)"><i></i></a>', "control_unnamed"],
    ["<a href=https://social.test/us><i></i></a>", "control_unnamed"],
    ["<button><i></i></button>", "control_unnamed"],
    ['<a href="javascript:go()"><i></i></a>', "link_script"],
    ["<a href=mailto:us@site.test><i></i></a>", undefined],
    ["<button aria-label=Menu></button><a href=#top>up</a>", undefined]
  ] as const)
    it(`${markup}: ${rule ?? "nothing"}`, () =>
      Effect.map(failing({ "/a": page("/a", { body: markup }) }), (found) =>
        expect([...found.keys()].filter((id) => /^(?:link|control)_/.test(id))).toEqual(
          rule === undefined ? [] : [rule]
        )
      ))
})

it("an empty h1 is no second heading", function* () {
  const one = yield* failing({ "/a": page("/a", { body: "<h1></h1><h1> </h1>" }) })
  expect(one.get("h1_multiple")).toBeUndefined()
  const two = yield* failing({ "/a": page("/a", { body: "<h1></h1><h1>Two</h1>" }) })
  expect(two.get("h1_multiple")).toEqual(["/a"])
})

describe("near duplicates of fewer than 150 words share nine in ten runs of three words", () => {
  const words = (count: number) => Array.from({ length: count }, (_, index) => `word${index}`)
  /** Two pages of so many words, of which the last ones differ. Above 150 their simhashes decide. */
  const pair = (count: number, different: number) => {
    const bodyOf = (own: string) =>
      `<!doctype html><html lang=en><title>${own}</title><body>${words(count - different).join(" ")} ${words(different)
        .map((word) => `${own}${word}`)
        .join(" ")}</body>`
    return { "/x": { body: bodyOf("red") }, "/y": { body: bodyOf("blue") } }
  }
  for (const [count, different, isNear] of [
    [60, 2, true],
    [60, 4, false],
    [140, 5, true],
    [140, 9, false],
    [140, 15, false],
    [160, 9, true]
  ] as const)
    it(`${different} of ${count} words differ`, () =>
      Effect.map(failing(pair(count, different)), (found) =>
        expect(found.get("content_near_duplicate")).toEqual(isNear ? ["/x", "/y"] : undefined)
      ))

  it("and longer ones are no near duplicates when one is much longer", () => {
    const text = words(200).join(" ")
    const bodyOf = (own: string, times: number) =>
      `<!doctype html><html lang=en><title>${own}</title><body>${Array.from({ length: times }, () => text).join(" ")}</body>`
    const pages = (times: number) => ({
      "/x": { body: bodyOf("red", 1) },
      "/y": { body: `${bodyOf("blue", times)} x` }
    })
    return Effect.gen(function* () {
      expect((yield* failing(pages(1))).get("content_near_duplicate")).toEqual(["/x", "/y"])
      expect((yield* failing(pages(3))).get("content_near_duplicate")).toBeUndefined()
    })
  })
})
