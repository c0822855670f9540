import { describe, expect } from "bun:test"
import * as Effect from "effect/Effect"
import { it } from "../../harness.ts"
import { often } from "../../often.ts"
import { exactScore } from "../generator/Laws.ts"
import { Random } from "../generator/Random.ts"
import { seeds } from "../generator/Seeds.ts"
import { virtualClock } from "../generator/VirtualClock.ts"
import { report } from "../site/Crawled.ts"
import { html } from "../site/Html.ts"
import { memoryOutbound, type Reply } from "../site/MemoryOutbound.ts"

const origin = "https://site.test"

/** The variant URLs of a page, and the means that keeps them out of search engines. */
const shapes: ReadonlyArray<(index: number) => string> = [
  (index) => `?v=${index}`,
  (index) => `?color=${index % 5}&size=${Math.floor(index / 5)}`,
  (index) => `?PHPSESSID=${index}abc`,
  (index) => `?utm_source=${index}`,
  (index) => `?year=2024&month=${index}`
]
const means = ["canonical", "noindex", "robots"] as const

interface Plan {
  readonly pages: ReadonlyArray<string>
  readonly broken: ReadonlyMap<string, string>
  readonly variants: (path: string) => ReadonlyArray<string>
  readonly means: (typeof means)[number]
  readonly rel: string
  /** Pages link to variants first, or to pages. */
  readonly isFirst: boolean
}

const faults = ["title", "description", "h1", "noindex", "dead", "none", "none", "none"] as const

/** A site of 8 to 15 pages, some with an issue, each with up to 25 variant URLs. */
const planOf = (seed: number): Plan => {
  const random = new Random(`variants ${seed}`)
  const folder = random.pick(["/page-", "/shop/", "/a/b/item"])
  const pages = ["/", ...Array.from({ length: random.int(7, 14) }, (_, index) => `${folder}${index}`)]
  const shape = random.some(shapes) ?? String
  const [each, from] = [random.int(3, 25), random.int(1, 9)]
  return {
    pages,
    broken: new Map(pages.map((path) => [path, path === "/" ? "none" : random.pick(faults)])),
    variants: () => Array.from({ length: each }, (_, index) => shape(from + index)),
    means: random.pick(means),
    rel: random.pick(["", ' rel="nofollow"']),
    isFirst: random.chance(50)
  }
}

const document = ({ broken, isFirst, means, pages, rel, variants }: Plan, path: string, query: string): string => {
  const fault = broken.get(path)
  const isHidden = fault === "noindex" || (means === "noindex" && query !== "")
  const own = variants(path).map((each) => `<a href="${path}${each}"${rel}>more of ${each}</a>`)
  const links = [...pages, ...(fault === "dead" ? ["/gone"] : [])].map((to) => `<a href="${to}">to ${to}</a>`)
  const sound = html({
    title: `Page ${path}`,
    head: `<link rel="canonical" href="${origin}${path}">${isHidden ? '<meta name="robots" content="noindex">' : ""}`,
    body: `<nav>${(isFirst ? [...own, ...links] : [...links, ...own]).join(" ")}</nav>`
  })
  if (fault === "title") return sound.replace(/<title>.*?<\/title>/, "")
  if (fault === "description") return sound.replace(/<meta name="description"[^>]*>/, "")
  return fault === "h1" ? sound.replace(/<h1>.*?<\/h1>/, "") : sound
}

const answerOf =
  (plan: Plan) =>
  ({ pathname, search }: URL): Reply => {
    if (pathname === "/robots.txt") {
      const rule = plan.means === "robots" ? "Disallow: /*?" : "Disallow:"
      return { headers: { "content-type": "text/plain" }, body: `User-agent: *\n${rule}\n` }
    }
    return plan.pages.includes(pathname) ? { body: document(plan, pathname, search) } : { status: 404, headers: {} }
  }

/** The exact score of a site, and its crawled pages. */
const crawled = (plan: Plan, maxPages: number) =>
  Effect.gen(function* () {
    const asked = new Set<string>()
    const { score, summary } = yield* report(`${origin}/`, { maxPages, timing: {} }).pipe(
      Effect.provide(memoryOutbound(answerOf(plan), ({ pathname, search }) => asked.add(pathname + search))),
      Effect.withClock(virtualClock(1_767_225_600_000))
    )
    return { exact: exactScore(score), summary, pages: plan.pages.filter((path) => asked.has(path)) }
  })

describe("parameter variants of indexable pages", () => {
  it("change the score by at most two points and displace no page, for any number and any page limit", function* () {
    const wrong: Array<unknown> = []
    for (const seed of seeds(often(3))) {
      const plan = planOf(seed)
      const without: Plan = { ...plan, variants: () => [], means: "canonical" }
      for (const maxPages of [plan.pages.length + 1, plan.pages.length + 9, 200]) {
        const [before, after] = [yield* crawled(without, maxPages), yield* crawled(plan, maxPages)]
        const isSame = before.pages.every((path) => after.pages.includes(path))
        if (Math.abs(before.exact - after.exact) > 2 || !isSame || before.pages.length !== plan.pages.length)
          wrong.push({
            seed,
            maxPages,
            before: [before.exact, before.pages.length],
            after: [after.exact, after.pages.length]
          })
      }
    }
    expect(wrong).toEqual([])
  }, 900_000)

  it("do not change the score of twelve pages when there are two hundred of them", function* () {
    const pages = ["/", ...Array.from({ length: 11 }, (_, index) => `/page-${index}`)]
    const variants = (path: string) => Array.from({ length: path === "/page-3" ? 90 : 10 }, (_, index) => `?v=${index}`)
    const plan: Plan = { pages, broken: new Map(), variants, means: "canonical", rel: "", isFirst: true }
    const { exact } = yield* crawled({ ...plan, variants: () => [] }, 50)
    for (const maxPages of [12, 50, 100, 400]) {
      const after = yield* crawled(plan, maxPages)
      expect(after.pages).toEqual(pages)
      expect(Math.abs(after.exact - exact)).toBeLessThanOrEqual(2)
    }
  })

  it("are ignored in checks of the whole site if they were not crawled", function* () {
    const plan: Plan = {
      pages: ["/", "/a", "/b"],
      broken: new Map(),
      variants: (path) => (path === "/a" ? Array.from({ length: 90 }, (_, index) => `?v=${index}`) : []),
      means: "canonical",
      rel: "",
      isFirst: true
    }
    const { summary } = yield* crawled(plan, 20)
    expect(summary).toMatchObject({
      complete: true,
      pages: { discovered: 93, fetched: 20, skipped: 73 },
      dead_links: { state: "complete", unverified: 0 },
      inventory: { eligible: 3 },
      limits: { traps: [{ reason: "parameter_set", pattern: "/a?*", count: 87, unread: 73 }] }
    })
    expect(summary.inventory.reasons.map(({ count, reason }) => [reason, count])).toEqual([
      ["canonical_variant", 17],
      ["limit_reached", 73]
    ])
  })

  it("beyond the limit are left out only if the same parameters were mere variants on other pages", function* () {
    const pages = ["/", ...Array.from({ length: 19 }, (_, index) => `/page-${index}`)]
    const variants = () => ["?sort=up", "?sort=down"]
    const plan: Plan = { pages, broken: new Map(), variants, means: "canonical", rel: "", isFirst: true }
    const enough = yield* crawled(plan, 24)
    expect(enough.summary).toMatchObject({ complete: true, pages: { fetched: 24, skipped: 36 } })
    const unknown = yield* crawled(plan, 20)
    expect(unknown.summary).toMatchObject({ complete: false, pages: { fetched: 20, skipped: 40 } })
    const other = yield* crawled({ ...plan, variants: (path) => [path === "/page-9" ? "?lang=de" : "?sort=up"] }, 25)
    expect(other.summary).toMatchObject({ complete: false, pages: { fetched: 25, skipped: 15 } })
  })
})
