import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import { confirm } from "../../crawl/fetch/Confirm.ts"
import * as CookieJar from "../../crawl/fetch/CookieJar.ts"
import { type Answered, type CrawlTiming, type Fetcher, redirectTarget } from "../../crawl/fetch/Fetcher.ts"
import { productToken } from "../../crawl/fetch/Headers.ts"
import { contentType, headersOf } from "../../crawl/page/Headers.ts"
import { OutOfTime } from "../../crawl/politeness/HostLimiter.ts"
import * as RobotsCache from "../../crawl/visit/RobotsCache.ts"
import * as Child from "../../foundation/process/Child.ts"
import * as Questions from "../../foundation/process/Questions.ts"
import { isWeb } from "../../foundation/schema/Scalars.ts"
import { shortLived } from "../../foundation/terminal/ShortLived.ts"
import { isOwn } from "./BacklinkFile.ts"
import type { Rel, State } from "./Domain.ts"
import * as LinkingPage from "./LinkingPage.ts"

/** Platform adapter: the program of the process that reads linking pages, next to this file. */

/** Reads linking pages and their hosts' robots.txt files: a port, because a hostile file must not slow down the process that answers requests. */
export class PageReader extends Context.Tag("backlinks/PageReader")<
  PageReader,
  {
    /** The links of a page, or too large if a usual page's memory and time do not suffice. */
    readonly read: (page: LinkingPage.Page) => Effect.Effect<LinkingPage.Found>
    /** The rules of a robots.txt file for a page; null when memory and time do not suffice. */
    readonly rules: (file: LinkingPage.Robots) => Effect.Effect<LinkingPage.Rules | null>
  }
>() {}

const script = new URL("child/main.ts", import.meta.url)

/** Maximum bytes for reading a page: three times the need of the costliest pages. */
const memory = 512 * 2 ** 20

const tooLarge = { doubt: "too_large", link: null, next: null }

/** Reads pages in a separate process. */
export const layer = Layer.scoped(
  PageReader,
  Effect.gen(function* () {
    const environment = { ...shortLived, ...(yield* Child.inherited([])) }
    const ask = yield* Questions.make(
      { answer: LinkingPage.Answer, question: LinkingPage.Question },
      { deadline: "5 minutes", environment, memory, script }
    )
    return PageReader.of({
      read: (page) =>
        ask(page).pipe(
          Effect.filterOrFail((answer) => "link" in answer),
          Effect.orElseSucceed(() => tooLarge)
        ),
      rules: (file) =>
        ask(file).pipe(
          Effect.filterOrFail((answer) => "allowed" in answer),
          Effect.orElseSucceed(() => null)
        )
    })
  })
)

/** The result of checking a linking page. */
export interface Look {
  readonly state: State
  /** Why the state is `blocked` or `unknown`. */
  readonly reason: string
  readonly httpStatus: number | null
  /** The link on a live page; null for others. */
  readonly link: { readonly target: string; readonly anchor: string; readonly rel: ReadonlyArray<Rel> } | null
}

/** Results of earlier checks; times are epoch milliseconds. */
export interface Standing {
  readonly rel: ReadonlyArray<Rel>
  readonly lastLiveAt: number | null
  /** The first check without the link since the last live one. */
  readonly goneSince: number | null
  readonly lostAt: number | null
}

/** A change of a link by a check. */
type Change = "lost" | "recovered" | "rel_changed"

/** States that certainly have no link. */
const without: ReadonlySet<State> = new Set(["page_gone", "link_removed", "redirected"])

const isSame = (one: ReadonlyArray<Rel>, other: ReadonlyArray<Rel>) => one.join() === other.join()

/**
 * The link's status after a check. A link that we once saw live is lost when two checks without it are at least `lossAfter` ms apart and no check between
 * them saw it; a check without a clear result changes nothing.
 */
export const after = (
  standing: Standing,
  look: Look,
  at: number,
  lossAfter: number
): { readonly standing: Standing; readonly change: Change | null } => {
  const { goneSince, lastLiveAt, lostAt, rel } = standing
  if (look.state === "live" && look.link !== null) {
    const isOther = lastLiveAt !== null && !isSame(rel, look.link.rel)
    return {
      change: lostAt !== null ? "recovered" : isOther ? "rel_changed" : null,
      standing: { goneSince: null, lastLiveAt: at, lostAt: null, rel: look.link.rel }
    }
  }
  if (!without.has(look.state)) return { change: null, standing }
  const since = goneSince ?? at
  const isLost = lastLiveAt !== null && lostAt === null && at - since >= lossAfter
  return {
    change: isLost ? "lost" : null,
    standing: { goneSince: since, lastLiveAt, lostAt: isLost ? at : lostAt, rel }
  }
}

const day = 86_400_000

/** Milliseconds until the next check: a month, a week for high authority, or less to confirm a loss. */
export const pace = (
  { goneSince, lastLiveAt, lostAt }: Standing,
  isHigh: boolean,
  at: number,
  lossAfter: number
): number => {
  const usual = (isHigh ? 7 : 30) * day
  const isDoubtful = lastLiveAt !== null && goneSince !== null && lostAt === null
  return isDoubtful ? Math.max(0, Math.min(usual, goneSince + lossAfter - at)) : usual
}

/** With fewer hosts a round says nothing about our own network. */
const hostsAtLeast = 5

/** Whether so many hosts of a round gave no HTTP response that our own network is down. */
export const isOutage = (hosts: number, failed: number): boolean => hosts >= hostsAtLeast && 2 * failed > hosts

/** A robots.txt file, as far as a check needs it. */
interface Robots extends Pick<RobotsCache.RobotsFile, "crawlDelay" | "down" | "state" | "status"> {
  readonly allows: (url: string) => Effect.Effect<boolean>
}

/** A file out of reach blocks all pages. */
const silent = { allows: () => Effect.succeed(false), crawlDelay: null, down: null }

/** The robots.txt files of linking hosts: the page reader applies their rules to each page, so only their bytes are kept. */
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
          Effect.map(rules({ body, url: url.href }), (found) =>
            found === null
              ? { ...silent, state: "unreachable", status }
              : {
                  allows: (page) => Effect.map(rules({ body, url: page }), (of) => of?.allowed ?? false),
                  crawlDelay: found.crawlDelay,
                  down: null,
                  state: "parsed",
                  status
                }
          )
      }),
    unknown: (): Robots => ({ ...silent, state: "unknown", status: null })
  })

/** The parts of a check: a crawl's parts, and the linked site. */
interface Looking {
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

const unseen = (state: State, httpStatus: number | null, reason = ""): Look => ({
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
  if (!contentType(headers, body).isHtml) return unseen("unknown", status, "not_html")
  const isCut = overlong || bytesRead > body.length
  const { doubt, link, next } = yield* read({ body, headers, isCut, site, target, url: url.href })
  if (link !== null) return { httpStatus: status, link, reason: "", state: "live" } satisfies Look
  if (doubt !== null) return unseen("unknown", status, doubt)
  return next === null ? unseen(isMoved ? "redirected" : "link_removed", status) : new URL(next)
})

/** No response came, with no further reason: callers must not learn from checks which ports of a server are open. */
const unanswered = unseen("unknown", null, "no_answer")

/** Whether a page links to the site, by one check: it obeys robots.txt, follows redirects, and repeats a refused request. */
export const look = (looking: Looking, source: string, target: string | null): Effect.Effect<Look, OutOfTime> => {
  const { confirmAfter, fetcher, pageDeadline, robots, site } = looking
  const visit = (url: URL, hops: number, jar: CookieJar.CookieJar): Effect.Effect<Look, OutOfTime> =>
    Effect.gen(function* () {
      const isMoved = hops > 0
      // A page that redirects to the site counts as a link to it.
      if (isMoved && isOwn(site, url.host))
        return { httpStatus: null, link: { anchor: "", rel: [], target: url.href }, reason: "", state: "live" }
      if (!isWeb(url) || hops > hopsAtMost) return unseen("unknown", null, "redirects")
      const file = yield* robots.of(url)
      if (file.down !== null || (file.state === "unreachable" && file.status === null)) return unanswered
      if (file.state === "unknown") return yield* new OutOfTime({ reason: "deadline" })
      if (!(yield* file.allows(url.href)))
        return unseen("unknown", null, file.state === "parsed" ? "robots" : "robots_unreachable")
      const cookies = CookieJar.header(jar, url)
      const ask = fetcher.get({ url, cookies, deadline: pageDeadline, pageOnly: true })
      const { answer, cutBy, unverified } = yield* confirm(ask, confirmAfter)
      if (answer._tag === "Lost") return unanswered
      const { status } = answer
      if (unverified === "bot_challenge" || unverified === "rate_limited") return unseen("blocked", status, unverified)
      if (cutBy !== null) return yield* new OutOfTime({ reason: cutBy })
      if (unverified !== null) return unseen("unknown", status, "not_confirmed")
      if (status === 404 || status === 410) return unseen("page_gone", status)
      if (closed.has(status)) return unseen("blocked", status, "refused")
      if (status >= 500) return unseen("unknown", status, "server_error")
      if (status >= 400 || (status >= 300 && redirectTarget(answer, url) === null))
        return unseen("unknown", status, "http_error")
      const kept = CookieJar.store(jar, headersOf(answer.headers, "set-cookie"), url)
      const found = redirectTarget(answer, url) ?? (yield* readAnswer(looking, url, answer, target, isMoved))
      return found instanceof URL ? yield* visit(found, hops + 1, kept) : found
    })
  return visit(new URL(source), 0, CookieJar.empty)
}
