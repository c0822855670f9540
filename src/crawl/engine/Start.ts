import * as Effect from "effect/Effect"
import type { Lost } from "../fetch/Answer.ts"
import * as CookieJar from "../fetch/CookieJar.ts"
import type { UrlRecord } from "../frontier/UrlRecord.ts"
import type { OutOfTime } from "../politeness/HostLimiter.ts"
import { CrawlFailed } from "../report/CrawlEvent.ts"
import type { Run } from "../run/Run.ts"
import { actionOf } from "../site/ActionLinks.ts"
import { maxHops } from "../visit/CookieRedirect.ts"
import type { Visit } from "../visit/Visit.ts"
import { visit } from "../visit/Visitor.ts"
import { recordVisit } from "./RecordVisit.ts"

/** Why there is no start page at all: its own answer never came, or its whole origin is down. */
const lossOf = (run: Run, url: URL, { lost, reason }: Visit): Lost | null =>
  lost ?? (reason === "robots_unreachable" ? (run.robots.known(url)?.down ?? null) : null)

const unreachable = (url: URL, { message }: Lost): CrawlFailed =>
  new CrawlFailed({ code: "start_unreachable", message: `${url.href} cannot be reached: ${message}` })

/** Answers by which a server turns this visitor away, whatever the page is (RFC 9110 §15.5.2, §15.5.4, §15.5.8). */
const refusals = new Set([401, 403, 407])

/** How the start page is refused to this crawler, null when it is not. Behind a refusal nothing that is seen is the site, and nothing may be said of it. */
const refusalOf = (run: Run, url: URL, { reason, robotsLine, status }: Visit): string | null => {
  if (reason === "blocked_for_us" && robotsLine !== null) {
    const { group, line, text } = robotsLine
    const token = run.robots.known(url)?.productToken ?? "this crawler"
    return `robots.txt closes it to ${token} while Googlebot may read it: line ${line}, "${text}", in the group of ${group}`
  }
  if (reason === "bot_challenge") return `it answers a bot challenge (${status ?? "no status"})`
  return reason === null && status !== null && refusals.has(status) ? `it answers ${status}` : null
}

/** Visits a URL of the start. A challenge is confirmed by a second request, as other refusals are, before it ends the run. */
const look = (run: Run, url: URL) =>
  Effect.gen(function* () {
    const first = yield* visit(run, run.found.start, url, run.found.jar)
    if (first.visit.reason !== "bot_challenge") return first
    const second = yield* Effect.delay(visit(run, run.found.start, url, first.jar), run.timing.confirmAfter)
    return { ...second, visit: { ...second.visit, attempts: [...first.visit.attempts, ...second.visit.attempts] } }
  })

/**
 * Visits the start page through its redirects. Those within the site are adopted (http→https, `www.`, a front page
 * elsewhere on the host): where they end is the start of the crawl. Cookies set on the way are the run's cookies.
 */
export const begin = (
  run: Run,
  onPage: (record: UrlRecord) => Effect.Effect<void>
): Effect.Effect<void, CrawlFailed | OutOfTime> => {
  const seen = new Set<string>()
  const step = (url: URL, hops: number): Effect.Effect<void, CrawlFailed | OutOfTime> =>
    Effect.gen(function* () {
      const meeting = { via: "start", depth: 0, from: null, text: null, hops } as const
      const record = run.frontier.meet(url.href, meeting)
      const key = `${url.href}\n${CookieJar.header(run.found.jar, url) ?? ""}`
      // Back at a URL with other cookies than before it may answer otherwise; with the same ones it is a loop.
      if (record === null || seen.has(key)) return
      seen.add(key)
      const visited = yield* look(run, url)
      const loss = lossOf(run, url, visited.visit)
      if (loss !== null) return yield* unreachable(url, loss)
      const refusal = refusalOf(run, url, visited.visit)
      if (refusal !== null) {
        const message = `${url.href} refuses this crawler: ${refusal}`
        return yield* new CrawlFailed({ code: "start_refused", message })
      }
      const hop = visited.visit.redirect ?? visited.visit.refresh
      if (hop !== null && hop.to !== null && !hop.loop && !hop.internal) {
        const message = `${url.href} leads to another site: ${hop.to}`
        return yield* new CrawlFailed({ code: "start_redirects_offsite", message })
      }
      run.found.jar = visited.jar
      const target = hop === null || hop.to === null || hop.loop || hops >= maxHops ? null : new URL(hop.to)
      const next = target === null || actionOf(target) !== null ? null : target
      if (next === null) run.found.start = url
      // The target is met as a start of its own before the redirect is read, so it takes no turn in the queue.
      else run.frontier.meet(next.href, { ...meeting, hops: hops + 1 })
      recordVisit(run, record, visited.visit)
      yield* onPage(record)
      if (next !== null) yield* step(next, hops + 1)
    })
  return step(run.found.start, 0)
}
