import { describe, expect } from "bun:test"
import * as Effect from "effect/Effect"
import type { CrawlResult } from "../../../src/crawl/Crawl.ts"
import { affectedBy, verify } from "../../../src/crawl/diff/Verify.ts"
import { catalogue } from "../../../src/crawl/rules/Catalogue.ts"
import { it } from "../../harness.ts"
import { often } from "../../often.ts"
import { crawlSite } from "../generator/Crawling.ts"
import { chosen, generate, rounds } from "../generator/Generate.ts"
import { origin, seeds } from "../generator/Seeds.ts"
import { showing } from "../generator/Showing.ts"
import type { Site } from "../generator/Site.ts"
import { expectedOf } from "../generator/Truth.ts"
import { worldOf } from "../generator/World.ts"

/** A change of all pages that fixes nothing. */
const cosmetic = (site: Site): Site => {
  for (const answer of site.answers.values()) if (answer.kind === "page") answer.doc.shouting = !answer.doc.shouting
  return site
}

const all = { checkExternalLinks: true }

/** Rechecks the issues of a site on its changed version, and returns each result with the truth. */
const verified = (seed: number, before: CrawlResult, now: Site) =>
  Effect.gen(function* () {
    const { result: after } = yield* crawlSite(now, { ...all, only: affectedBy(before, null) }, { seed })
    const world = worldOf(now, true, true)
    const told = verify(before, after, null)
    const truth = new Map([...new Set(told.map(({ rule }) => rule))].map((rule) => [rule, expectedOf(world, rule)]))
    return told.map((each) => ({
      ...each,
      seed,
      isTrue: truth.get(each.rule)?.has(each.url) === true,
      /** A URL that nothing links to any more may go on failing. */
      isMet: world.places.has(each.url)
    }))
  })

const onlyWhole = "this needs a crawl of the whole site"

const inPart = "the crawl covered only a part of the site"

/** Checks that a partial crawl cannot always assess, by its reason; each of them needs clicks, links or pages beyond that part. */
const beyond: Readonly<Record<string, string>> = {
  ai_bots_blocked: onlyWhole,
  blocked_but_linked: onlyWhole,
  endless_addresses: onlyWhole,
  mostly_hidden: inPart,
  no_eligible_page: inPart,
  orphan_page: onlyWhole,
  page_deep: onlyWhole,
  response_slow: "the crawl covered only a part of the site",
  unreachable_page: onlyWhole
}

const each = showing(often(1))

describe("rechecking the issues of a result", () => {
  it("distinguishes fixed issues from open ones, with any other changes of the site", function* () {
    const said = { fixed: new Set<string>(), still_failing: new Set<string>(), not_assessable: new Set<string>() }
    for (const seed of each) {
      const repaired = new Set(chosen(seed, origin).keys())
      const { result: before } = yield* crawlSite(generate(seed, { origin }), all, { seed })
      for (const now of [generate(seed, { origin, repaired }), cosmetic(generate(seed, { origin }))]) {
        const told = yield* verified(seed, before, now)
        expect(told.filter(({ isTrue, verdict }) => isTrue && verdict === "fixed")).toEqual([])
        expect(told.filter(({ isMet, isTrue, verdict }) => isMet && !isTrue && verdict === "still_failing")).toEqual([])
        const open = told.filter(({ isMet, verdict }) => isMet && verdict === "not_assessable")
        // A fixed robots.txt may block URLs that were crawled while it was broken.
        const isClosed = (detail: string) => detail.endsWith(": blocked by robots.txt")
        expect(open.filter(({ detail, rule }) => beyond[rule] !== detail && !isClosed(detail))).toEqual([])
        for (const { rule, verdict } of told) said[verdict].add(rule)
      }
    }
    const sent = catalogue.flatMap(({ id, onlyRendered }) => (onlyRendered === true ? [] : [id]))
    const judged = sent.filter((id) => beyond[id] === undefined && id !== "page_over_http")
    expect(judged.filter((id) => !said.fixed.has(id) || !said.still_failing.has(id))).toEqual([])
  }, 900_000)

  it("counts an http URL that now redirects to https as fixed", function* () {
    const seed = seeds(rounds).find((seed) => generate(seed, { origin }).planted[0] === "page over http") ?? -1
    const [then, now] = [generate(seed, { origin }), generate(seed, { origin })]
    for (const [url, answer] of [...now.answers]) {
      const to = url.replace("http:", "https:")
      if (to === url) continue
      now.answers.set(to, answer).set(url, { kind: "redirect", status: 301, written: to, to })
    }
    const { result: before } = yield* crawlSite(then, {}, { seed })
    const rules = ["page_over_http"]
    const { result: after } = yield* crawlSite(now, { only: affectedBy(before, rules) }, { seed })
    const verdicts = (result: CrawlResult) => new Set(verify(before, result, rules).map(({ verdict }) => verdict))
    expect(verdicts(before)).toEqual(new Set(["still_failing"]))
    expect(verdicts(after)).toEqual(new Set(["fixed"]))
  })

  it("requests only the pages that the named checks need", function* () {
    let spared = 0
    for (const seed of seeds(often(6), 300)) {
      const site = generate(seed, { origin })
      const { result: before, urls: all } = yield* crawlSite(site, {}, { seed })
      const only = affectedBy(before, ["title_missing", "title_long", "description_missing"])
      const { result, urls } = yield* crawlSite(site, { only }, { seed })
      expect(only.linksOf).toEqual([])
      const named = new Set([...only.urls, site.start, ...site.sitemaps.map(({ url }) => url), `${origin}/robots.txt`])
      // The redirect target, canonical and language versions of such a page belong to its check.
      const led = new Set(
        result.pages.flatMap(({ canonical_url, evidence, redirect_to }) =>
          [canonical_url, redirect_to, ...(evidence?.redirect_chain ?? [])].flatMap((url) => url ?? [])
        )
      )
      const languages = [...site.answers.values()].flatMap((answer) =>
        answer.kind === "page" ? answer.doc.hreflangs.flatMap(({ to }) => to ?? []) : []
      )
      const met = new Set(result.pages.map(({ url }) => url))
      const others = urls.filter((url) => met.has(url) && !named.has(url) && !led.has(url) && !languages.includes(url))
      expect({ seed, others }).toEqual({ seed, others: [] })
      spared += new Set(all).size - new Set(urls).size
    }
    expect(spared).toBeGreaterThan(0)
  })
})
