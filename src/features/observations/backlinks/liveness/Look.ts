import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { type Answered, redirectTarget } from "../../../../crawl/fetch/Answer.ts"
import { confirm } from "../../../../crawl/fetch/Confirm.ts"
import * as CookieJar from "../../../../crawl/fetch/CookieJar.ts"
import type { Fetcher } from "../../../../crawl/fetch/Fetcher.ts"
import type { CrawlTiming } from "../../../../crawl/fetch/Timing.ts"
import { productToken } from "../../../../crawl/fetch/UserAgent.ts"
import { contentType } from "../../../../crawl/page/ContentType.ts"
import { headersOf } from "../../../../crawl/page/HeaderFacts.ts"
import { OutOfTime } from "../../../../crawl/politeness/HostLimiter.ts"
import * as RobotsCache from "../../../../crawl/visit/RobotsCache.ts"
import { isWeb } from "../../../../foundation/schema/WebAddress.ts"
import type { State } from "../Domain.ts"
import { isOwn } from "../files/Cells.ts"
import type { PageReader } from "./PageReader.ts"
import type { Look } from "./Standing.ts"

/** What a robots.txt file says to us, as far as a look needs it. */
interface Robots extends Pick<RobotsCache.RobotsFile, "crawlDelay" | "down" | "state" | "status"> {
  readonly allows: (url: string) => Effect.Effect<boolean>
}

/** The robots.txt files of linking hosts: their rules are read by the reader of pages, each time anew, so no more than their bytes is kept. */
export const robotsOf = (fetcher: Fetcher, timing: CrawlTiming, { rules }: Context.Tag.Service<PageReader>) =>
  RobotsCache.readBy(fetcher, timing, {
    read: (url, answer) =>
      Either.match(RobotsCache.withRules(url, answer, productToken), {
        onLeft: ({ crawlDelay, down, state, status, verdict }): Effect.Effect<Robots> =>
          Effect.succeed({
            allows: (page) => Effect.succeed(verdict(page).allowed),
            crawlDelay,
            down,
            state,
            status
          }),
        onRight: ({ body, status }) =>
          Effect.map(rules({ body, url: url.href }), ({ crawlDelay }) => ({
            allows: (page) => Effect.map(rules({ body, url: page }), ({ allowed }) => allowed),
            crawlDelay,
            down: null,
            state: "parsed",
            status
          }))
      }),
    unknown: (): Robots => ({
      allows: () => Effect.succeed(false),
      crawlDelay: null,
      down: null,
      state: "unknown",
      status: null
    })
  })

/** What a look needs: the parts of a crawl, and whose links are looked for. */
export interface Looking {
  readonly fetcher: Fetcher
  readonly robots: RobotsCache.Robots<Robots>
  readonly read: Context.Tag.Service<PageReader>["read"]
  /** Host of the site. */
  readonly site: string
  readonly pageDeadline: number
  readonly confirmAfter: number
}

const hopsAtMost = 5

const closed = new Set([401, 403, 407, 451])

const without = (state: State, httpStatus: number | null, reason = ""): Look => ({
  httpStatus,
  link: null,
  reason,
  state
})

const readAnswer = Effect.fnUntraced(function* (
  { read, site }: Looking,
  url: URL,
  { body, bytesRead, headers, overlong, status }: Answered,
  target: string | null,
  isMoved: boolean
) {
  if (!contentType(headers, body).isHtml) return without("unknown", status, "not_html")
  const isCut = overlong || bytesRead > body.length
  const { doubt, link, next } = yield* read({ body, headers, isCut, site, target, url: url.href })
  if (link !== null) return { httpStatus: status, link, reason: "", state: "live" } satisfies Look
  if (doubt !== null) return without("unknown", status, doubt)
  return next === null ? without(isMoved ? "redirected" : "link_removed", status) : new URL(next)
})

/** No answer came, and nothing says why: a caller must not learn from looks which ports of a server are open. */
const unanswered = without("unknown", null, "no_answer")

/** Whether a page links to the site, as far as one look can say: its robots.txt is obeyed, redirects are followed, a refusal is asked for twice. */
export const look = (looking: Looking, source: string, target: string | null): Effect.Effect<Look, OutOfTime> => {
  const { confirmAfter, fetcher, pageDeadline, robots, site } = looking
  const visit = (url: URL, hops: number, jar: CookieJar.CookieJar): Effect.Effect<Look, OutOfTime> =>
    Effect.gen(function* () {
      const isMoved = hops > 0
      // A page that leads to the site itself is a link to it.
      if (isMoved && isOwn(site, url.host))
        return { httpStatus: null, link: { anchor: "", rel: [], target: url.href }, reason: "", state: "live" }
      if (!isWeb(url) || hops > hopsAtMost) return without("unknown", null, "redirects")
      const file = yield* robots.of(url)
      if (file.down !== null || (file.state === "unreachable" && file.status === null)) return unanswered
      if (file.state === "unknown") return yield* new OutOfTime({ reason: "deadline" })
      if (!(yield* file.allows(url.href)))
        return without("unknown", null, file.state === "parsed" ? "robots" : "robots_unreachable")
      const cookies = CookieJar.header(jar, url)
      const ask = fetcher.get({ url, cookies, deadline: pageDeadline, pageOnly: true })
      const { answer, cutBy, unverified } = yield* confirm(ask, confirmAfter)
      if (answer._tag === "Lost") return unanswered
      const { status } = answer
      if (unverified === "bot_challenge" || unverified === "rate_limited") return without("blocked", status, unverified)
      if (cutBy !== null) return yield* new OutOfTime({ reason: cutBy })
      if (unverified !== null) return without("unknown", status, "not_confirmed")
      if (status === 404 || status === 410) return without("page_gone", status)
      if (closed.has(status)) return without("blocked", status, "refused")
      if (status >= 500) return without("unknown", status, "server_error")
      if (status >= 400 || (status >= 300 && redirectTarget(answer, url) === null))
        return without("unknown", status, "http_error")
      const kept = CookieJar.store(jar, headersOf(answer.headers, "set-cookie"), url)
      const found = redirectTarget(answer, url) ?? (yield* readAnswer(looking, url, answer, target, isMoved))
      return found instanceof URL ? yield* visit(found, hops + 1, kept) : found
    })
  return visit(new URL(source), 0, CookieJar.empty)
}
