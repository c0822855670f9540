import { describe, expect } from "bun:test"
import * as Effect from "effect/Effect"
import type { CrawlResult } from "../../../src/crawl/Crawl.ts"
import { diffOf } from "../../../src/crawl/diff/Diff.ts"
import { catalogue } from "../../../src/crawl/rules/Catalogue.ts"
import { it } from "../../harness.ts"
import { often } from "../../often.ts"
import { crawlSite } from "../generator/Crawling.ts"
import { chosen, generate } from "../generator/Generate.ts"
import { Random } from "../generator/Random.ts"
import { origin, seeds } from "../generator/Seeds.ts"
import type { Site } from "../generator/Site.ts"
import { expectedOf } from "../generator/Truth.ts"
import { type World, worldOf } from "../generator/World.ts"
import { page, soundSite } from "../rules/SoundSite.ts"
import { report } from "../site/Crawled.ts"
import { memoryOutbound } from "../site/MemoryOutbound.ts"

const nothing = { new: [], fixed: [] }

/** Every issue in a result, as text. */
const faults = ({ findings }: CrawlResult): ReadonlyArray<string> =>
  findings.flatMap(({ pages, rule }) => pages.map((url) => `${rule} ${url}`))
const dead = ({ summary }: CrawlResult): ReadonlyArray<string> =>
  summary.dead_links.items.flatMap(({ all_linked_from = [], url }) => all_linked_from.map((from) => `${url} ${from}`))
const unit = ({ rule, url }: { readonly rule: string; readonly url: string }) => `${rule} ${url}`
const link = ({ linked_from, url }: { readonly linked_from: string; readonly url: string }) => `${url} ${linked_from}`

/** Each issue of either crawl is in exactly one of the four lists. */
const isPartition = (before: CrawlResult, after: CrawlResult) => {
  const { dead_links, findings } = diffOf(before, after)
  const listed = [findings.new, findings.fixed, findings.persisting, findings.not_comparable].flat().map(unit)
  expect(listed.toSorted()).toEqual([...new Set([...faults(before), ...faults(after)])].toSorted())
  const links = [dead_links.new, dead_links.fixed, dead_links.persisting, dead_links.not_comparable].flat().map(link)
  expect(links.toSorted()).toEqual([...new Set([...dead(before), ...dead(after)])].toSorted())
}

const crawled = (site: Site, own: Parameters<typeof crawlSite>[1] = {}) =>
  Effect.map(crawlSite(site, own, { seed: site.seed }), ({ result }) => result)

/** The same site with some pages that never respond. */
const silenced = (site: Site, random: Random): Site => {
  const answers = new Map(site.answers)
  for (const url of answers.keys()) {
    if (url !== site.start && url !== `${origin}/` && random.chance(20))
      answers.set(url, { kind: "fault", fault: "timeout" })
  }
  return { ...site, answers }
}

const few = seeds(often(4), 700)

const wholes = new Map<number, CrawlResult>()

/** A complete crawl of such a site, made once for all tests. */
const whole = (seed: number) =>
  Effect.gen(function* () {
    const known = wholes.get(seed)
    if (known !== undefined) return known
    const result = yield* crawled(generate(seed, { origin }))
    wholes.set(seed, result)
    return result
  })

/** No URL of the site was left out: a URL that one crawl left out does not prove that the other crawl sees it fixed. */
const isSeen = ({ isKnown, places }: World): boolean =>
  isKnown && [...places.values()].every(({ reason }) => reason !== "limit_reached")

describe("the comparison of two crawls", () => {
  it("is empty for an unchanged site", function* () {
    for (const seed of few) {
      const site = generate(seed, { origin })
      const [before, after] = [yield* whole(seed), yield* crawled(site)]
      const { dead_links, findings, pages, score } = diffOf(before, after)
      expect(findings).toMatchObject({ ...nothing, not_comparable: [] })
      expect(dead_links).toMatchObject({ ...nothing, not_comparable: [] })
      expect(pages).toEqual({ added: [], removed: [], changed: [] })
      expect(score?.delta ?? 0).toBe(0)
      isPartition(before, after)
    }
  })

  it("reports nothing as new or fixed because one crawl saw fewer pages, had other options, or met timeouts", function* () {
    for (const seed of few) {
      const site = generate(seed, { origin })
      const random = new Random(`less ${seed}`)
      const all = yield* whole(seed)
      const others = [
        yield* crawled(site, { maxPages: random.int(1, 12) }),
        yield* crawled(site, { maxPages: random.int(10, 30) }),
        yield* crawled(site, { checkDeadLinks: false }),
        yield* crawled(site, { checkExternalLinks: true }),
        yield* crawled(silenced(site, random)),
        yield* crawled(site, { deadline: "1 second" })
      ]
      for (const other of others) {
        for (const [before, after] of [
          [all, other],
          [other, all]
        ] as const) {
          const { dead_links, findings, pages } = diffOf(before, after)
          expect({ seed, ...findings }).toMatchObject(nothing)
          expect({ seed, ...dead_links }).toMatchObject(nothing)
          expect(pages.added.concat(pages.removed, pages.changed)).toEqual([])
          isPartition(before, after)
        }
      }
    }
  }, 900_000)

  it("reports planted changes correctly, and completely where both crawls checked", function* () {
    let [fixed, missed] = [0, 0]
    for (const seed of seeds(often(8), 900)) {
      const random = new Random(`repairs ${seed}`)
      const all = chosen(seed, origin)
      const repaired = new Set(all.flatMap((_, index) => (random.chance(60) ? [index] : [])))
      const [old, now] = [generate(seed, { origin }), generate(seed, { origin, repaired })]
      const [first, second] = [
        { result: yield* crawled(old), world: worldOf(old, true) },
        { result: yield* crawled(now), world: worldOf(now, true) }
      ]
      for (const [a, b] of [
        [first, second],
        [second, first]
      ] as const) {
        const [before, after] = [a.result, b.result]
        const [was, is] = [a.world, b.world]
        const { findings } = diffOf(before, after)
        isPartition(before, after)
        const told = { fixed: new Set(findings.fixed.map(unit)), new: new Set(findings.new.map(unit)) }
        for (const { id: rule } of catalogue) {
          const [then, today] = [expectedOf(was, rule), expectedOf(is, rule)]
          for (const url of then) if (today.has(url)) expect(told.fixed).not.toContain(`${rule} ${url}`)
          for (const url of today) if (then.has(url)) expect(told.new).not.toContain(`${rule} ${url}`)
          const status = after.findings.find((each) => each.rule === rule)?.status
          const looked = (url: string) => is.places.get(url)?.reason === "ok" && is.places.get(url)?.page != null
          if (!isSeen(was) || !isSeen(is) || was.site.start !== is.site.start || status === "not_assessed") continue
          // A sitemap that returned an error may have been down for a moment: its response now is no fix.
          if (rule === "sitemap_invalid" && was.site.sitemaps.some(({ fault }) => fault === "error")) continue
          for (const url of then) {
            if (today.has(url) || !looked(url)) continue
            if (told.fixed.has(`${rule} ${url}`)) fixed += 1
            else missed += 1
          }
        }
        for (const each of told.fixed) expect(faults(after)).not.toContain(each)
        for (const each of told.new) expect(faults(before)).not.toContain(each)
      }
    }
    expect({ missed }).toEqual({ missed: 0 })
    expect(fixed).toBeGreaterThan(often(8))
  }, 900_000)
})

const sound = (changes: Parameters<typeof soundSite>[0], own: Parameters<typeof report>[1] = {}) =>
  Effect.provide(report("https://site.test/", own), memoryOutbound(soundSite(changes)))

const at = (path: string) => `https://site.test${path}`

describe("a broken link", () => {
  const gone = { status: 404, headers: {} }
  const linking = (path: string) => ({ [path]: page(path, { links: ["/", "/dead"] }) })
  const both = { ...linking("/a"), ...linking("/b"), "/dead": gone }

  it("is fixed on the page that no longer contains it, and unresolved on the other page", function* () {
    const home = { "/": page("/", { links: ["/a", "/b", "/c"] }) }
    const [before, after] = [
      yield* sound({ ...both, ...home }),
      yield* sound({ ...linking("/b"), ...home, "/dead": gone })
    ]
    const { dead_links } = diffOf(before, after)
    expect(dead_links.fixed).toEqual([{ url: at("/dead"), linked_from: at("/a"), http_status: 404 }])
    expect(dead_links.persisting.map(link)).toEqual([`${at("/dead")} ${at("/b")}`])
    expect(diffOf(after, before).dead_links.new.map(link)).toEqual([`${at("/dead")} ${at("/a")}`])
  })

  it("is fixed on a page that no longer contains it, even if a limit ended the later crawl", function* () {
    const many = Array.from({ length: 6 }, (_, index) => `/more${index}`)
    const rest = Object.fromEntries(many.map((path) => [path, page(path)]))
    const home = { "/": page("/", { links: ["/a", "/b", "/c", ...many] }) }
    const before = yield* sound({ ...rest, ...home, ...linking("/a"), "/dead": gone })
    const after = yield* sound({ ...rest, ...home }, { maxPages: 4 })
    expect(after.summary.dead_links.state).toBe("partial")
    const { dead_links, findings } = diffOf(before, after)
    expect(dead_links.fixed.map(link)).toEqual([`${at("/dead")} ${at("/a")}`])
    expect(findings.fixed.map(unit)).toContain(`broken_link ${at("/a")}`)
    const back = diffOf(after, before)
    expect(back.dead_links.new.map(link)).toEqual([`${at("/dead")} ${at("/a")}`])
    expect(back.findings.new.map(unit)).toContain(`broken_link ${at("/a")}`)
    const large = { "/a": page("/a", { body: `<i>${"<b>".repeat(700_000)}</i>` }) }
    const unsure = yield* sound({ ...rest, ...home, ...large }, { maxPages: 4 })
    expect(diffOf(before, unsure).dead_links.fixed).toEqual([])
    expect(diffOf(before, unsure).findings.fixed.map(unit)).not.toContain(`broken_link ${at("/a")}`)
  })

  it("leaves the issue of its page open while another broken link of the page is unverified", function* () {
    const two = { "/a": page("/a", { links: ["/", "/dead", "/dead2"] }), "/dead": gone, "/dead2": gone }
    const home = { "/": page("/", { links: ["/a", "/b", "/c", "/dead2"] }) }
    const before = yield* sound({ ...two, ...home })
    const silent = { fault: "timeout" } as const
    const after = yield* sound({ "/a": page("/a", { links: ["/", "/dead2"] }), ...home, "/dead2": silent })
    const { dead_links, findings } = diffOf(before, after)
    expect(dead_links.fixed.map(link)).toEqual([`${at("/dead")} ${at("/a")}`])
    expect(findings.fixed.map(unit)).not.toContain(`broken_link ${at("/a")}`)
    expect(findings.not_comparable).toContainEqual(
      expect.objectContaining({ rule: "broken_link", url: at("/a"), cause: "unverified" })
    )
  })

  it("is fixed when its target responds", function* () {
    const after = yield* sound({ ...both, "/dead": page("/dead") })
    const { dead_links } = diffOf(yield* sound(both), after)
    expect(dead_links.fixed.map(link).toSorted()).toEqual(["/", "/a", "/b"].map((from) => `${at("/dead")} ${at(from)}`))
  })

  it("is not comparable when its page was not crawled, its target was silent, or links were not checked", function* () {
    const before = yield* sound(both)
    const causes = (after: CrawlResult) =>
      diffOf(before, after).dead_links.not_comparable.map(({ cause, linked_from }) => [linked_from, cause])
    const silent = { fault: "timeout" } as const
    expect(causes(yield* sound({ ...both, "/a": silent }))).toEqual([[at("/a"), "unverified"]])
    expect(causes(yield* sound({ ...both, "/dead": silent }))).toEqual(
      ["/", "/a", "/b"].map((from) => [at(from), "unverified"])
    )
    expect(causes(yield* sound(both, { checkDeadLinks: false })).map(([, cause]) => cause)).toEqual([
      "options_differ",
      "options_differ",
      "options_differ"
    ])
  })
})

/** A page with one issue. */
const mute = page("/a", { body: '<img src="/a.png" width="9" height="9">' })

describe("unrecorded results are not compared:", () => {
  it("a result of version 1 has no score to compare, and nothing is new or fixed", function* () {
    const [old, now] = [yield* sound({ "/a": mute }), yield* sound({})]
    const before: CrawlResult = {
      ...old,
      score: {
        score_version: 1,
        has_data: true,
        aggregate_score: 90,
        status: "good",
        range: { low: 90, high: 90 },
        coverage: 1,
        breakdown: { assessed_pages: 4, unverified_pages: 0, possible: 1, earned: 1, lost: [] }
      }
    }
    expect(diffOf(old, now)).toMatchObject({
      score: { after: 100 },
      findings: { fixed: [{ rule: "image_alt_missing" }] }
    })
    const { findings, score } = diffOf(before, now)
    expect(score).toBe(null)
    expect(findings).toMatchObject({ ...nothing, not_comparable: [{ cause: "not_recorded", found_in: "before" }] })
  })

  it("a result of an older score version has no score to compare, and nothing is new or fixed", function* () {
    const [old, now] = [yield* sound({ "/a": mute }), yield* sound({ "/b": mute })]
    if (old.score.score_version !== 4 || now.score.score_version !== 4) throw new Error("not the version at hand")
    const before: CrawlResult = { ...old, score: { ...old.score, score_version: 3 } }
    const { findings, score } = diffOf(before, now)
    expect(score).toBe(null)
    expect(findings).toMatchObject({ new: [], fixed: [], persisting: [] })
    expect(new Set(findings.not_comparable.map(({ cause }) => cause))).toEqual(new Set(["not_recorded"]))
    const after: CrawlResult = { ...now, score: { ...now.score, score_version: 3 } }
    expect(diffOf(before, after)).toEqual(diffOf(old, now))
  })

  it("an added, removed or changed page is reported when both crawls saw the whole site", function* () {
    const [before, after] = [
      yield* sound({ "/old": page("/old") }),
      yield* sound({ "/new": page("/new", { title: " " }), "/b": page("/b", { title: "Another" }) })
    ]
    const { findings, pages } = diffOf(before, after)
    expect(pages.added.map(({ url }) => url)).toEqual([at("/new")])
    expect(pages.removed.map(({ url }) => url)).toEqual([at("/old")])
    expect(pages.changed).toMatchObject([{ url: at("/b"), before: { title: "Page /b" }, after: { title: "Another" } }])
    expect(findings.new.map(unit)).toContain(`title_missing ${at("/new")}`)
  })

  it("links beyond the first four thousand of a page make nothing removed or fixed", function* () {
    const many = Array.from({ length: 4000 }, (_, index) => `mailto:m${index}@site.test`)
    const none = { status: 404 }
    const home = page("/", { links: ["/a", "/b", "/c"] })
    const rest = { "/": home, "/last": mute, "/robots.txt": none, "/sitemap.xml": none }
    const before = yield* sound({ "/a": page("/a", { links: ["/", "/last"] }), ...rest })
    const after = yield* sound({ "/a": page("/a", { links: ["/", ...many, "/last"] }), ...rest })
    const { findings, pages } = diffOf(before, after)
    expect(after.pages.map(({ url }) => url)).not.toContain(at("/last"))
    expect(pages.removed).toEqual([])
    expect(findings.fixed.filter(({ url }) => url === at("/last"))).toEqual([])
  })

  it("crawls with different start pages", function* () {
    const before = yield* sound({ "/a": mute })
    const after = yield* Effect.provide(report(at("/a")), memoryOutbound(soundSite({})))
    const { findings, pages } = diffOf(before, after)
    expect(findings).toMatchObject({ ...nothing, not_comparable: [{ cause: "options_differ" }] })
    expect(pages).toMatchObject({ added: [], removed: [] })
  })
})
