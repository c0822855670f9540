import { describe, expect, test } from "bun:test"
import type { ServerResponse } from "node:http"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type { CrawlOptions, CrawlResult } from "../../../src/crawl/Crawl.ts"
import { catalogue } from "../../../src/crawl/rules/Catalogue.ts"
import { it } from "../../harness.ts"
import { often } from "../../often.ts"
import { report, shortTiming } from "../site/Crawled.ts"
import { loopback } from "../site/Loopback.ts"
import type { Reply } from "../site/MemoryOutbound.ts"
import { serve } from "../site/Server.ts"
import { answer } from "./Answers.ts"
import { maxUrls } from "./Builder.ts"
import { compare } from "./Compare.ts"
import { crawlSite, options } from "./Crawling.ts"
import { chosen, generate, plants, rounds } from "./Generate.ts"
import { breaches, exactScore, overclaims } from "./Laws.ts"
import { reach } from "./ModelReach.ts"
import { Random } from "./Random.ts"
import { origin, seeds } from "./Seeds.ts"
import type { Site } from "./Site.ts"
import { shuffled } from "./shuffled.ts"
import { worldOf } from "./World.ts"

const shown = (seed: number, repaired?: ReadonlySet<number>): string => {
  const site = generate(seed, { origin, ...(repaired === undefined ? {} : { repaired }) })
  return JSON.stringify([...site.answers.keys()].map((url) => [url, answer(site, new URL(url), 0)]).slice(0, 20))
}

describe("the generator", () => {
  test("makes the same site from the same seed, and different sites from different seeds", () => {
    for (const seed of seeds(20)) expect(shown(seed)).toBe(shown(seed))
    expect(new Set(seeds(20).map((seed) => shown(seed))).size).toBe(20)
  })

  test("has a seed for each defect, and one more defect changes few other seeds", () => {
    expect(new Set(plants.map(({ name }) => name)).size).toBe(plants.length)
    expect(plants.length).toBeLessThan(rounds)
    for (const gone of plants.filter((_, index) => index % 40 === 7)) {
      const before = plants.filter((plant) => plant !== gone)
      const moved = seeds(rounds).filter((seed) => {
        const names = chosen(seed, origin).map(({ name }) => name)
        const known = chosen(seed, origin, before).map(({ name }) => name)
        return !names.includes(gone.name) && names.join() !== known.join()
      })
      expect(moved.length).toBeLessThan(rounds / 10)
    }
  })

  test("keeps sites within the page limit of a crawl", () => {
    const sizes = seeds(300).map((seed) => reach(generate(seed, { origin })).size)
    expect(Math.max(...sizes)).toBeLessThanOrEqual(maxUrls + 2)
    expect(Math.max(...sizes)).toBeGreaterThan(40)
    expect(Math.min(...sizes)).toBeLessThanOrEqual(2)
  })

  test("keeps the same URLs when a defect is fixed", () => {
    for (const seed of seeds(60)) {
      const all = new Set(chosen(seed, origin).map((_, index) => index))
      const [broken, repaired] = [generate(seed, { origin }), generate(seed, { origin, repaired: all })]
      const secure = (url: string) => url.replace("http:", "https:")
      const known = new Set([...broken.answers.keys()].map(secure))
      const gone = [...repaired.answers.keys()].filter((url) => !known.has(secure(url)))
      expect({ seed, gone }).toEqual({ seed, gone: [] })
    }
  })

  test("makes a sound site when all defects are fixed", () => {
    for (const seed of seeds(60)) {
      const all = new Set(chosen(seed, origin).map((_, index) => index))
      const world = worldOf(generate(seed, { origin, repaired: all }), true)
      const states = new Set([...world.places.values()].map(({ health }) => health))
      states.delete("hidden")
      expect({ seed, states: [...states] }).toEqual({ seed, states: ["eligible"] })
    }
  })
})

const send = (response: ServerResponse, reply: Reply): void => {
  if ("fault" in reply) {
    // A timeout fault is a response that never arrives; the other faults cut the connection.
    if (reply.fault !== "timeout") response.socket?.destroy()
    return
  }
  const headers = Array.isArray(reply.headers) ? reply.headers : Object.entries(reply.headers ?? {})
  // On a kept connection a reset before any response is retried unseen; here every reset must be visible.
  response.shouldKeepAlive = false
  response.writeHead(reply.status ?? 200, headers.flat())
  response.end(reply.body ?? "")
}

/** A generated site on 127.0.0.1, until its scope ends. */
const serveSite = (seed: number) =>
  Effect.gen(function* () {
    let site: Site | null = null
    const server = yield* serve((origin) => (request, response, asked) => {
      if (site !== null)
        send(
          response,
          answer(site, new URL(request.url ?? "/", origin), asked, request.method === "HEAD" ? "HEAD" : "GET")
        )
    })
    site = generate(seed, { origin: server.origin })
    return site
  })

/** Pages that respond do so within this time, even on a busy machine. */
const timing = { ...shortTiming, idleTimeout: 2000, pageDeadline: 2000, robotsDeadline: 2000 }

/** The time of a real server is not part of the site's plan. */
const rules = catalogue.filter(({ id }) => id !== "response_slow")

/** Leaves out facts that only the network decides: times, and the kind of lost connection. */
const settled = ({ pages, summary, ...result }: CrawlResult) => ({
  ...result,
  summary: { ...summary, crawl: null },
  pages: pages.map((page) => ({
    ...page,
    response_ms: null,
    evidence: page.health_reason === "connection_failed" ? null : page.evidence
  }))
})

describe("over real HTTP", () => {
  for (const seed of [0, 4, 8, 12, 20, 52]) {
    it(`site ${seed} gives the same report as in memory, and both reports are true`, function* () {
      const site = yield* serveSite(seed)
      const real = yield* Effect.provide(report(site.start, { ...options, rules, timing }), loopback)
      const { result } = yield* crawlSite(site, { rules }, { seed })
      const wrong = compare(worldOf(site, true), real).filter(({ outcome }) => outcome !== "found")
      expect(wrong).toEqual([])
      expect(settled(real)).toEqual(settled(result))
    })
  }
})

const randomOf = (seed: number) => new Random(`limit ${seed}`)

/** Crawls of some seeds under different limits: every false statement, and the number of limited crawls. */
const limited = (list: ReadonlyArray<number>, own: (random: Random) => Partial<CrawlOptions>, latency: number) =>
  Effect.gen(function* () {
    const wrong: Array<string> = []
    let cut = 0
    for (const seed of list) {
      const site = generate(seed, { origin })
      const world = worldOf(site, true)
      const limits = own(randomOf(seed))
      const network = { seed, latency: (random: Random) => random.int(0, latency) }
      const crawled = yield* Effect.either(crawlSite(site, limits, network))
      // Without a response from the start page there is no report.
      if (Either.isLeft(crawled)) continue
      const lines = breaches(world, crawled.right, limits.maxPages ?? maxUrls)
      if (!crawled.right.result.summary.complete) {
        cut += 1
        lines.push(...overclaims(world, crawled.right.result))
      }
      for (const line of lines) wrong.push(`seed ${seed}, ${JSON.stringify(limits)}: ${line}`)
    }
    return { cut, wrong: wrong.slice(0, 20) }
  })

describe("a limited crawl reports nothing about unseen pages, and nothing false about seen ones, at the limit of", () => {
  it("pages", function* () {
    const { cut, wrong } = yield* limited(seeds(often(6), 1000), (random) => ({ maxPages: random.int(1, 20) }), 5)
    expect(wrong).toEqual([])
    expect(cut).toBeGreaterThanOrEqual(often(3))
  })

  it("time", function* () {
    const { cut, wrong } = yield* limited(
      seeds(often(6), 2000),
      (random) => ({ deadline: random.int(500, 8000) }),
      2000
    )
    expect(wrong).toEqual([])
    expect(cut).toBeGreaterThanOrEqual(often(3))
  })
})

/** The exact score of a seed's site with some defects fixed, and the assessed pages. */
const scoreOf = (seed: number, repaired: ReadonlySet<number>) =>
  Effect.map(crawlSite(generate(seed, { origin, repaired }), {}, { seed }), ({ result: { pages, score } }) => ({
    exact: score.has_data ? exactScore(score) : null,
    stands: pages
      .filter(({ health_state }) => health_state !== "unchecked")
      .map(({ health_state, url }) => `${health_state === "eligible" ? "failed" : health_state} ${url}`)
      .sort()
      .join("\n")
  }))

describe("the score of generated sites", () => {
  it("never falls when a planted defect is fixed without changing the assessed pages", function* () {
    const wrong: Array<string> = []
    let compared = 0
    for (const seed of seeds(often(5), 5000)) {
      const list = chosen(seed, origin)
      const random = new Random(`repair ${seed}`)
      const repaired = new Set<number>()
      let before = yield* scoreOf(seed, repaired)
      for (let step = 0; step < Math.min(3, list.length); step++) {
        const position = random.int(0, list.length - 1)
        repaired.add(position)
        const after = yield* scoreOf(seed, repaired)
        if (after.stands === before.stands && after.exact !== null && before.exact !== null) {
          compared += 1
          if (after.exact < before.exact - 1e-9)
            wrong.push(`seed ${seed}: ${before.exact} fell to ${after.exact} by repairing "${list[position]?.name}"`)
        }
        before = after
      }
    }
    expect(wrong).toEqual([])
    expect(compared).toBeGreaterThan(often(5))
  })
})

// `bun run campaign shuffled` makes any number of crawls.
it("crawls of a generated site with shuffled latencies are byte-identical", function* () {
  const { orders, pages, results } = yield* shuffled(often(5))
  expect(results).toBe(1)
  // The network did differ: no two crawls received the responses in the same order.
  expect(orders).toBe(often(5))
  expect(pages).toBeGreaterThan(20)
})
