import * as Effect from "effect/Effect"
import { type Answer, type Answered, redirectTarget } from "../../../../crawl/fetch/Answer.ts"
import { confirm } from "../../../../crawl/fetch/Confirm.ts"
import * as CookieJar from "../../../../crawl/fetch/CookieJar.ts"
import type { Fetcher } from "../../../../crawl/fetch/Fetcher.ts"
import { contentType } from "../../../../crawl/page/ContentType.ts"
import { headersOf } from "../../../../crawl/page/HeaderFacts.ts"
import type { PageFacts } from "../../../../crawl/page/PageFacts.ts"
import { OutOfTime } from "../../../../crawl/politeness/HostLimiter.ts"
import { resolve } from "../../../../crawl/site/Site.ts"
import { readPage } from "../../../../crawl/visit/ReadPage.ts"
import type { RobotsCache } from "../../../../crawl/visit/RobotsCache.ts"
import { isWeb } from "../../../../foundation/schema/WebAddress.ts"
import type { State } from "../Domain.ts"
import { isOwn } from "../files/Cells.ts"
import type { Look } from "./Standing.ts"

/** What a look needs: the parts of a crawl, and whose links are looked for. */
export interface Looking {
  readonly fetcher: Fetcher
  readonly robots: RobotsCache
  /** Host of the site. */
  readonly site: string
  readonly pageDeadline: number
  readonly confirmAfter: number
}

const hopsAtMost = 5

/** A document that scripts are to fill: next to no text of its own. */
const shellWords = 15

const marks = ["nofollow", "ugc", "sponsored"] as const
const closed = new Set([401, 403, 407, 451])

const without = (state: State, httpStatus: number | null, reason = ""): Look => ({
  httpStatus,
  link: null,
  reason,
  state
})

/** The link to the site: to the target that is known, else the first one. */
const linkIn = ({ links }: PageFacts, site: string, target: string | null): Look["link"] => {
  const found = links.flatMap(({ kind, rel, target, text }) =>
    (kind === "a" || kind === "area") && target.followable && isOwn(site, new URL(target.url).host)
      ? [{ anchor: text, rel: marks.filter((mark) => rel.includes(mark)), target: target.url }]
      : []
  )
  return found.find((link) => link.target === target) ?? found[0] ?? null
}

/** Why the absence of a link on a page proves nothing; null when it does. */
const doubt = (facts: PageFacts, { body, bytesRead, overlong }: Answered): string | null => {
  if (overlong || bytesRead > body.length || !facts.parsedWholly || facts.linkCount > facts.links.length)
    return "too_large"
  const isShell =
    facts.scripts > 0 && (facts.text.words < shellWords || (facts.asksForScripts && facts.links.length === 0))
  return isShell ? "needs_javascript" : null
}

const readAnswer = Effect.fnUntraced(function* (
  { site }: Looking,
  url: URL,
  answer: Answered,
  target: string | null,
  isMoved: boolean
) {
  const { body, headers, status } = answer
  if (!contentType(headers, body).isHtml) return without("unknown", status, "not_html")
  const facts = yield* readPage(url, headers, body)
  const link = linkIn(facts, site, target)
  if (link !== null) return { httpStatus: status, link, reason: "", state: "live" } satisfies Look
  const reason = doubt(facts, answer)
  if (reason !== null) return without("unknown", status, reason)
  const { refresh } = facts
  const next = refresh !== null && refresh.url !== null && refresh.delay === 0 ? resolve(refresh.url, url) : null
  return next ?? without(isMoved ? "redirected" : "link_removed", status)
})

const lost = (answer: Answer): string =>
  answer._tag === "Lost" && answer.cause === "timeout" ? "timed_out" : "connection_failed"

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
      if (file.down !== null) return without("unknown", null, lost(file.down))
      if (file.state === "unknown") return yield* new OutOfTime({ reason: "deadline" })
      if (!file.verdict(url.href).allowed)
        return without("unknown", null, file.state === "parsed" ? "robots" : "robots_unreachable")
      const cookies = CookieJar.header(jar, url)
      const ask = fetcher.get({ url, cookies, deadline: pageDeadline, pageOnly: true })
      const { answer, cutBy, unverified } = yield* confirm(ask, confirmAfter)
      if (answer._tag === "Lost") return without("unknown", null, lost(answer))
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
