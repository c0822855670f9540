import { beforeAll, describe, expect, test } from "bun:test"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type { CrawlResult } from "../../src/crawl/Crawl.ts"
import { type FetchState, type HealthReason, healthStateOf } from "../../src/crawl/report/MeasuredPage.ts"
import { cells, hurried, keyOf, lasting, type Outcome, patient, runAll } from "./crawled.ts"
import type { FaultName } from "./faults.ts"
import { type Cell, watched } from "./matrix.ts"
import type { Role } from "./site.ts"

let full: ReadonlyMap<string, Outcome> = new Map()
let cut: ReadonlyMap<string, Outcome> = new Map()

beforeAll(async () => {
  full = await Effect.runPromise(runAll(patient))
  cut = await Effect.runPromise(runAll(() => hurried, lasting))
}, 300_000)

const outcomeOf = (outcomes: ReadonlyMap<string, Outcome>, fault: FaultName, role: Role): Outcome =>
  outcomes.get(keyOf(fault, role)) ?? expect.unreachable(`${fault} × ${role} did not run`)

const fetchStateOf = (reason: HealthReason): FetchState => {
  switch (reason) {
    case "timed_out":
    case "connection_failed":
    case "too_large":
    case "not_html":
      return reason
    case "robots_unreachable":
      return "not_fetched"
    default:
      if (reason.startsWith("redirect_")) return "redirected"
      return reason === "ok" || reason === "soft_404" ? "fetched" : "http_error"
  }
}

const isDead = (reason: HealthReason | null): boolean => reason === "http_4xx" || reason === "http_5xx"
const isOpen = (reason: HealthReason | null): boolean =>
  reason === "timed_out" || reason === "connection_failed" || reason === "rate_limited" || reason === "bot_challenge"

const statedOf = (attempts: Cell["attempts"]) =>
  attempts.map((attempt) =>
    typeof attempt === "number" ? { http_status: attempt, cause: null } : { http_status: null, cause: attempt }
  )

const failing = ({ findings }: CrawlResult): ReadonlyArray<string> =>
  findings.flatMap(({ rule, status }) => (status === "fail" && watched.includes(rule) ? [rule] : [])).sort()

const empty = new Set<FaultName>(["204 without content", "200 without content"])

/** Whether the start page is read with its links: in all roles except a seed that is no page or an empty one. */
const sawLinks = (fault: FaultName, role: Role, { reason }: Cell): boolean =>
  reason !== "robots_unreachable" && (role !== "seed" || (reason === "ok" && !empty.has(fault)))

const check = (fault: FaultName, role: Role, expected: Cell, { origin, result, seen, target }: Outcome) => {
  if (Either.isLeft(result)) return expect(result.left.code).toBe(expect.unreachable(result.left.message))
  const { pages, summary } = result.right
  const entryOf = (url: string) => pages.find((page) => page.url === url)
  const url = role === "robots" ? `${origin}/` : target

  expect(summary.termination).toBe(expected.run === "max-duration" ? "max-duration" : "complete")
  expect(summary.robots.state).toBe(expected.robots)
  expect(summary.sitemap.files[0]?.state ?? null).toBe(expected.sitemap)
  if (expected.reason !== null) {
    const entry = entryOf(url)
    expect(entry?.health_reason).toBe(expected.reason)
    expect(entry?.health_state).toBe(healthStateOf[expected.reason])
    expect(entry?.fetch_state).toBe(fetchStateOf(expected.reason))
    expect(entry?.evidence?.attempts ?? []).toEqual(statedOf(expected.attempts))
  }
  const isGoneSeen = sawLinks(fault, role, expected)
  const dead = [...(isDead(expected.reason) ? [url] : []), ...(isGoneSeen ? [`${origin}/gone`] : [])]
  if (expected.run === "complete") {
    expect(failing(result.right)).toEqual(
      [...new Set([...expected.findings, ...(isGoneSeen ? ["page_client_error"] : [])])].sort()
    )
    expect(summary.dead_links.items.map((item) => item.url).sort()).toEqual(dead.sort())
    expect(summary.dead_links.unverified).toBe(isOpen(expected.reason) ? 1 : 0)
    if (expected.robots !== "unreachable" && url !== `${origin}/ok`)
      expect(entryOf(`${origin}/ok`)?.health_reason).toBe("ok")
  }
  // Another site receives only the request for robots.txt that this one redirects to.
  if (role !== "robots") expect(seen.filter(({ host }) => host === "other.test")).toEqual([])
}

describe("the fault matrix", () => {
  for (const { expected, fault, role } of cells) {
    test(`${fault} × ${role}: ${expected.reason ?? expected.run}`, () => {
      const outcome = outcomeOf(full, fault, role)
      if (expected.run.startsWith("start_")) {
        expect(Either.isLeft(outcome.result) ? outcome.result.left.code : "a report").toBe(expected.run)
      } else check(fault, role, expected, outcome)
    })
  }
})

describe("the whole matrix, with and without enough time", () => {
  const everywhere = () => [...full.entries(), ...cut.entries()]
  const reports = () =>
    everywhere().flatMap(([key, outcome]) =>
      Either.isRight(outcome.result) ? [{ key, outcome, report: outcome.result.right }] : []
    )

  test("reports no broken link except the missing page and targets that the table calls broken", () => {
    const mayBeDead = new Set(
      cells.flatMap(({ expected, fault, role }) => (isDead(expected.reason) ? [keyOf(fault, role)] : []))
    )
    const wrong = reports().flatMap(({ key, outcome, report }) =>
      report.summary.dead_links.items.flatMap(({ url }) =>
        url === `${outcome.origin}/gone` || (url === outcome.target && mayBeDead.has(key)) ? [] : [`${key}: ${url}`]
      )
    )
    expect(wrong).toEqual([])
    expect(reports().length).toBeGreaterThan(cells.length)
  })

  test("emits the same pages during the crawl as the report lists as fetched", () => {
    const wrong = reports().flatMap(({ key, outcome, report }) =>
      outcome.told.flatMap(({ evidence, fetch_state, http_status, url }) => {
        const page = report.pages.find((entry) => entry.url === url)
        const isSame =
          page?.http_status === http_status &&
          page.fetch_state === fetch_state &&
          page.evidence?.attempts.length === evidence?.attempts.length
        return isSame ? [] : [`${key}: ${url}`]
      })
    )
    expect(wrong).toEqual([])
  })

  test("has two failing responses for every broken link", () => {
    const wrong = reports().flatMap(({ key, report }) =>
      report.summary.dead_links.items.flatMap(({ attempts, url }) =>
        attempts.length >= 2 && attempts.slice(-2).every(({ http_status }) => (http_status ?? 0) >= 400)
          ? []
          : [`${key}: ${url}`]
      )
    )
    expect(wrong).toEqual([])
  })

  test("marks crawls that ended early, and calls nothing unseen complete", () => {
    expect(cut.size).toBe(lasting.length)
    const hanging = reports().filter(({ report }) => report.summary.termination === "max-duration")
    expect(hanging.length).toBeGreaterThan(20)
    for (const { report } of hanging) {
      expect(report.summary.complete).toBe(false)
      expect(["partial", "unavailable"]).toContain(report.summary.dead_links.state)
    }
  })
})
