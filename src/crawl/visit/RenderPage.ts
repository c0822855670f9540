import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import type * as CookieJar from "../fetch/CookieJar.ts"
import type { CrawlTiming, Fetcher } from "../fetch/Fetcher.ts"
import { headerForbidsIndexing, metaForbidsIndexing } from "../page/Meta.ts"
import { identity, parseUrl } from "../page/UrlIdentity.ts"
import * as Choice from "../render/Choice.ts"
import { type Differences, differencesOf, effective } from "../render/Differences.ts"
import { type Rendered, Renderer, type RenderFailed } from "../render/Rendering.ts"
import type { PageRendering, Render, RenderingOffReason, RenderingReason } from "../report/Rendering.ts"
import { sameSite } from "../site/Site.ts"
import { type Assets, make as makeAssets, type PageAssets } from "./Assets.ts"
import { type AfterReading, type RawPage, readRendered } from "./ReadAnswer.ts"
import type { RobotsCache } from "./RobotsCache.ts"
import { keptFacts, type RedirectTarget, type Scripted, type Visit } from "./Visit.ts"
import type { Scope as CrawlScope, VisitTurn } from "./Visitor.ts"

/** The rendering of a crawl, with its part of the summary. */
export interface Rendering {
  /** A turn after all earlier ones. */
  readonly turn: (jar: CookieJar.CookieJar, isStart: boolean) => Effect.Effect<VisitTurn>
  /** The turn of a second visit, which renders like the first one. */
  readonly again: (visit: Visit | null, jar: CookieJar.CookieJar) => VisitTurn
  /** The `Content-Length` of a URL that rendered pages loaded, null without one; undefined for other URLs. */
  readonly loaded: Assets["loaded"]
  readonly mode: Effect.Effect<Mode>
  readonly requests: Effect.Effect<number>
  readonly browser: Effect.Effect<string | null>
}

/** The requested mode, or the reason for none. */
export interface Mode {
  readonly mode: Render | "off"
  readonly reason: RenderingOffReason | null
}

interface Settings {
  readonly fetcher: Fetcher
  readonly robots: RobotsCache
  readonly timing: CrawlTiming
  readonly scope: CrawlScope
  readonly render: Render
  readonly pages: number
  readonly userAgent: string
  /** Epoch ms by which `unavailable_after` is judged. */
  readonly now: number
  /** Milliseconds of the whole crawl, and its end in epoch ms. */
  readonly deadlineMillis: number
  readonly deadlineAt: number
}

/** The share of the crawl's time for rendering, and the share at its end without rendering, in which fetched pages are recorded. */
const ofRun = 0.5
const atEnd = 0.05

const without: Omit<PageRendering, "reason" | "state"> = {
  differences: [],
  errors: [],
  links_only_rendered: 0,
  redirect: null,
  refused: [],
  requests: 0
}

const maxListed = 50
const maxAddress = 2048

const unchanged: Omit<Scripted, "isShell" | "report" | "template"> = {
  blocked: [],
  failed: [],
  isNoindexRemoved: false,
  linksOnlyRaw: [],
  linksOnlyRendered: [],
  nofollowRemoved: [],
  rawLinks: null,
  typesOnlyRendered: [],
  wordsOnlyRendered: 0
}

const shown = (address: string): string => address.slice(0, maxAddress)

/** The target of a script on the site, which engines treat as a permanent redirect (Google, Redirects and Google Search); null for another site. */
const redirectOf = (page: RawPage, rendered: Rendered): RedirectTarget | null => {
  const target = rendered.redirect === null ? null : parseUrl(rendered.redirect, page.url.href)
  if (target === null || !/^https?:$/.test(target.protocol) || !sameSite(page.url, target)) return null
  const to = identity(target)
  if (to === identity(page.url)) return null
  return { fragment: null, hasCredentials: false, internal: true, loop: false, permanent: true, to }
}

/** Renders nothing: pages with scripts say why. */
const idle = (mode: Mode, reason: RenderingReason): Rendering => {
  const after: AfterReading = (page) => Effect.succeed(notRendered(page, { reason, state: "not_rendered" }))
  const turn: VisitTurn = { ...Choice.settled("render"), after: (line) => whyNot(line, after) }
  return {
    again: () => turn,
    browser: Effect.succeed(null),
    loaded: () => undefined,
    mode: Effect.succeed(mode),
    requests: Effect.succeed(0),
    turn: () => Effect.succeed(turn)
  }
}

/** A visit that may render its page. */
interface Place {
  readonly turn: Choice.Turn
  readonly jar: CookieJar.CookieJar
  /** Whether it may be the start page. */
  readonly isStart: boolean
}

/** The results of a page's scripts: the report, and the given findings. */
const scriptedBy = ({ facts }: RawPage, report: PageRendering, findings: Partial<typeof unchanged> = {}): Scripted => ({
  ...unchanged,
  ...findings,
  isShell: Choice.isShell(facts),
  report,
  template: Choice.templateOf(facts)
})

const notRendered = (
  page: RawPage,
  { reason, state }: { readonly state: "failed" | "not_rendered"; readonly reason: RenderingReason },
  seen: Partial<PageRendering> = {},
  findings: Partial<typeof unchanged> = {}
): Visit => ({ ...page.visit, scripted: scriptedBy(page, { ...without, ...seen, reason, state }, findings) })

/** Leaves pages without scripts as they are, and gives the reason on pages that no engine renders. */
const whyNot =
  (line: unknown, render: AfterReading): AfterReading =>
  (page) => {
    const { facts, visit } = page
    if (facts.scripts === 0) return Effect.succeed(visit)
    const not = (reason: RenderingReason) => Effect.succeed(notRendered(page, { reason, state: "not_rendered" }))
    if (visit.status !== 200 || visit.refresh !== null) return not("not_200")
    if (line !== null) return not("blocked")
    return visit.cut ? not("too_large") : render(page)
  }

const seenOf = ({ errors, refused, requests }: Pick<Rendered, "errors" | "refused" | "requests">) => ({
  errors: errors.map((error) => error.slice(0, 300)),
  refused: refused.slice(0, maxListed).map(({ url, why }) => ({ url: shown(url), why })),
  requests
})

const ofRendered = (rendered: Rendered): PageRendering => ({
  ...without,
  ...seenOf(rendered),
  reason: null,
  redirect: rendered.redirect === null ? null : shown(rendered.redirect),
  state: "rendered"
})

/** The changes by the scripts of a page. */
const changesOf = (page: RawPage, differences: Differences): Partial<typeof unchanged> => ({
  linksOnlyRaw: differences.linksOnlyRaw.slice(0, maxListed),
  linksOnlyRendered: differences.linksOnlyRendered.slice(0, maxListed),
  nofollowRemoved: differences.nofollowRemoved.slice(0, maxListed),
  rawLinks: page.visit.facts.links,
  typesOnlyRendered: differences.typesOnlyRendered,
  wordsOnlyRendered: differences.wordsOnlyRendered
})

/** Shows fetched pages to the browser. */
interface Screen {
  readonly renderer: typeof Renderer.Service
  readonly userAgent: string
}

const shownBy = ({ renderer, userAgent }: Screen, { answer, url }: RawPage, { fetch }: PageAssets) => {
  const { body, headers, status } = answer
  return renderer.render({ body, headers, status, url, userAgent }, fetch)
}

/** Renders a page; its visit has the facts that engines index. */
const show = (screen: Screen, page: RawPage, assets: PageAssets): Effect.Effect<Visit, RenderFailed> =>
  Effect.gen(function* () {
    const rendered = yield* shownBy(screen, page, assets)
    const ofAssets = { blocked: yield* assets.blocked, failed: yield* assets.failed }
    const report = ofRendered(rendered)
    if (rendered.redirect !== null) {
      return { ...page.visit, refresh: redirectOf(page, rendered), scripted: scriptedBy(page, report, ofAssets) }
    }
    const after = yield* readRendered(page.facts, rendered.html)
    const differences = differencesOf(page.facts, after)
    return {
      ...page.visit,
      facts: keptFacts(effective(page.facts, after)),
      scripted: scriptedBy(
        page,
        { ...report, differences: differences.list, links_only_rendered: differences.linksOnlyRendered.length },
        { ...ofAssets, ...changesOf(page, differences) }
      )
    }
  })

/** Whether a script removes the noindex of a page. */
const takesBack = (screen: Screen, page: RawPage, assets: PageAssets, now: number) =>
  Effect.gen(function* () {
    const rendered = yield* shownBy(screen, page, assets)
    if (rendered.redirect !== null) return false
    const facts = yield* readRendered(page.facts, rendered.html)
    return !metaForbidsIndexing(facts.robots, now)
  }).pipe(Effect.orElseSucceed(() => false))

/** The outcome for later pages of the template. */
const outcomeOf = ({ scripted }: Visit): Choice.Outcome => ({
  differs:
    scripted !== null &&
    (scripted.report.differences.length > 0 || scripted.report.redirect !== null || scripted.report.errors.length > 0)
})

/** The rendering of a crawl; none if it is turned off or lacks a browser. */
export const make = (settings: Settings): Effect.Effect<Rendering, never, Scope.Scope> =>
  Effect.gen(function* () {
    const { deadlineAt, deadlineMillis, now, pages, render, userAgent } = settings
    const found = yield* Effect.serviceOption(Renderer)
    if (render === "never") return idle({ mode: "never", reason: null }, "off")
    if (Option.isNone(found)) return idle({ mode: "off", reason: "off" }, "off")
    const renderer = found.value
    const screen = { renderer, userAgent }
    const assets: Assets = yield* makeAssets({ ...settings, store: renderer.store })
    const choice = Choice.make({ millis: deadlineMillis * ofRun, mode: render, pages, width: renderer.width })
    const lastAt = deadlineAt - deadlineMillis * atEnd
    let missing: RenderingOffReason | null = null
    let hasRendered = false

    const decided = ({ isStart, jar, turn }: Place, page: RawPage): Effect.Effect<Visit> =>
      Effect.gen(function* () {
        const noindex = (findings: Partial<typeof unchanged> = {}) =>
          notRendered(page, { reason: "noindex", state: "not_rendered" }, {}, findings)
        if (headerForbidsIndexing(page.visit.headerFacts?.robotsTags ?? [], now)) return noindex()
        const isForbidden = metaForbidsIndexing(page.facts.robots, now)
        const template = Choice.templateOf(page.facts)
        const isFirst = isStart || Choice.isShell(page.facts)
        const decision = yield* turn.decide({
          isFirst: isFirst && !isForbidden,
          template: isForbidden ? `noindex ${template}` : template
        })
        if (decision !== "render") return isForbidden ? noindex() : notRendered(page, decision)
        const own = assets.of(jar)
        if (isForbidden) {
          const isNoindexRemoved = yield* takesBack(screen, page, own, now)
          yield* turn.tell({ differs: isNoindexRemoved })
          return noindex({ isNoindexRemoved })
        }
        const shownPage = yield* Effect.either(show(screen, page, own))
        if (Either.isRight(shownPage)) {
          hasRendered = true
          yield* turn.tell(outcomeOf(shownPage.right))
          return shownPage.right
        }
        const { left } = shownPage
        yield* turn.tell({ failed: left.reason })
        if (left.reason !== "no_browser")
          return notRendered(page, { reason: left.reason, state: "failed" }, seenOf(left))
        missing ??= left.lack
        return notRendered(page, { reason: "no_browser", state: "not_rendered" })
      })

    /** Ends rendering before the crawl, so that no fetched page is lost. */
    const inTime = (place: Place, page: RawPage): Effect.Effect<Visit> =>
      Effect.flatMap(Clock.currentTimeMillis, (at) =>
        decided(place, page).pipe(
          Effect.timeoutTo({
            duration: Duration.millis(Math.max(0, lastAt - at)),
            onSuccess: (visit) => visit,
            onTimeout: () => notRendered(page, { reason: "budget", state: "not_rendered" })
          })
        )
      )

    const turnOf = (place: Place): VisitTurn => ({
      ...place.turn,
      after: (line) => whyNot(line, (page) => inTime(place, page))
    })

    return {
      again: (visit, jar) => {
        const report = visit?.scripted?.report
        const decision =
          report === undefined || report.state === "rendered"
            ? "render"
            : { reason: report.reason ?? "off", state: report.state }
        return turnOf({ isStart: false, jar, turn: Choice.settled(decision) })
      },
      browser: renderer.browser,
      loaded: assets.loaded,
      mode: Effect.sync(
        (): Mode =>
          missing !== null && !hasRendered ? { mode: "off", reason: missing } : { mode: render, reason: null }
      ),
      requests: assets.requests,
      turn: (jar, isStart) => Effect.map(choice.turn, (turn) => turnOf({ isStart, jar, turn }))
    }
  })
