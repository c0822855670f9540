import { describe, expect } from "bun:test"
import * as Effect from "effect/Effect"
import type { CrawlResult } from "../../src/crawl/Crawl.ts"
import type { HealthReason } from "../../src/crawl/report/MeasuredPage.ts"
import { it } from "../harness.ts"
import { virtualClock } from "./generator/VirtualClock.ts"
import { report } from "./site/Crawled.ts"
import { html } from "./site/Html.ts"
import { memoryOutbound, type Reply } from "./site/MemoryOutbound.ts"

const gone: Reply = { status: 404 }
const never: Reply = { delay: 60_000 }
const page: Reply = { body: html({ title: "Page" }) }
const disguised: Reply = { body: "<!doctype html><title>Not found</title><h1>Not found</h1>" }
const unhurried: Reply = { headers: { "content-type": "text/plain" }, body: "User-agent: *\nCrawl-delay: 10" }

interface Plan {
  /** What `/x`, to which the start page links, answers in turn; the last for ever. */
  readonly x: ReadonlyArray<Reply>
  /** What a second page answers, if there is one. */
  readonly y?: Reply
  readonly robots?: Reply
}

/** A run of 25 seconds with the waits of a real one, which take no time under the virtual clock. */
const crawled = ({ robots = gone, x, y }: Plan) => {
  const outbound = memoryOutbound(({ pathname }, _, asked) => {
    if (pathname === "/") return { body: html({ title: "Home", links: y === undefined ? ["/x"] : ["/x", "/y"] }) }
    if (pathname === "/robots.txt") return robots
    if (pathname === "/x") return x[Math.min(asked, x.length - 1)] ?? gone
    return pathname === "/y" ? (y ?? gone) : gone
  })
  return report("http://site.test/", { deadline: "25 seconds", timing: {} }).pipe(
    Effect.provide(outbound),
    Effect.withClock(virtualClock())
  )
}

const entryOf = ({ pages }: CrawlResult) => pages.find(({ url }) => url === "http://site.test/x")
const attemptsOf = (result: CrawlResult) =>
  entryOf(result)?.evidence?.attempts.map(({ cause, http_status }) => http_status ?? cause)
const statusOf = ({ findings }: CrawlResult, rule: string) => findings.find((finding) => finding.rule === rule)?.status

/** Neither passed nor failed anywhere in the report. */
const expectOpen = (result: CrawlResult, reason: HealthReason, rules: ReadonlyArray<string>) => {
  expect(entryOf(result)).toMatchObject({
    health_state: "unchecked",
    health_reason: reason,
    indexability_state: "unknown"
  })
  expect(result.summary.dead_links).toMatchObject({ found: 0, items: [] })
  expect(rules.map((rule) => [rule, statusOf(result, rule)])).toEqual(rules.map((rule) => [rule, "not_assessed"]))
  expect(result.summary.inventory.eligible).toBe(1)
  expect(result.score.range.low).toBeLessThan(result.score.aggregate_score ?? 0)
}

describe("a refusal that the deadline left unconfirmed is no verdict:", () => {
  const rules = ["page_client_error", "page_server_error", "broken_link"]

  for (const status of [404, 410, 403, 500]) {
    it(`${status}, and the second answer did not come`, function* () {
      const result = yield* crawled({ x: [{ status }, never] })
      expect(result.summary.termination).toBe("max-duration")
      expectOpen(result, "limit_reached", rules)
    })

    it(`${status}, and no second request could start`, function* () {
      const result = yield* crawled({ x: [{ status }], robots: unhurried })
      expect(result.summary.termination).toBe("max-duration")
      expectOpen(result, "limit_reached", rules)
      expect(entryOf(result)).toMatchObject({ http_status: status, fetch_state: "http_error" })
      expect(attemptsOf(result)).toEqual([status])
      expect(result.summary.dead_links).toMatchObject({ state: "partial", checked: 1, unverified: 1 })
    })
  }
})

describe("a suspected soft 404 is open when", () => {
  const cut = [
    ["the second look did not end in time", { x: [disguised, never] }],
    ["another page kept the run until its end", { x: [disguised], y: never }],
    ["no second request could start", { x: [disguised], robots: unhurried }]
  ] as const

  for (const [name, plan] of cut) {
    it(name, function* () {
      const result = yield* crawled(plan)
      expect(result.summary).toMatchObject({ termination: "max-duration", dead_links: { unverified: 1 } })
      expectOpen(result, "limit_reached", ["soft_404"])
      expect(entryOf(result)).toMatchObject({ http_status: 200, fetch_state: "fetched" })
      expect(entryOf(result)?.evidence?.note).toStartWith("not looked at again in time: title or heading says")
    })
  }

  it("the second look timed out", function* () {
    const result = yield* crawled({ x: [disguised, { fault: "timeout" }] })
    expect(result.summary).toMatchObject({ termination: "complete", dead_links: { unverified: 1 } })
    expectOpen(result, "timed_out", ["soft_404", "broken_link"])
    expect(attemptsOf(result)).toEqual([200, "timeout"])
  })
})

describe("a suspected soft 404 is settled when", () => {
  it("it says 404 itself the next times", function* () {
    const result = yield* crawled({ x: [disguised, gone] })
    expect(entryOf(result)).toMatchObject({ http_status: 404, health_reason: "http_4xx" })
    expect(attemptsOf(result)).toEqual([200, 404, 404])
    expect(result.summary.dead_links.items.map(({ url }) => url)).toEqual(["http://site.test/x"])
    expect(statusOf(result, "soft_404")).toBe("pass")
  })

  it("the second look shows a page", function* () {
    const result = yield* crawled({ x: [disguised, page] })
    expect(entryOf(result)).toMatchObject({ health_reason: "ok", evidence: { note: null } })
    expect(statusOf(result, "soft_404")).toBe("pass")
  })
})

it("that there is no soft 404 is not claimed of a site whose answer to an impossible path is unknown", function* () {
  const robots = { headers: { "content-type": "text/plain" }, body: "User-agent: *\nDisallow: /findable-probe" }
  const result = yield* crawled({ x: [page], robots })
  expect(result.summary.termination).toBe("complete")
  expect(statusOf(result, "soft_404")).toBe("not_assessed")
})
