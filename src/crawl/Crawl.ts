import * as Cause from "effect/Cause"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Mailbox from "effect/Mailbox"
import * as Option from "effect/Option"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import type { Outbound } from "../foundation/outbound/Outbound.ts"
import { version } from "../foundation/schema/Scalars.ts"
import { unhurried } from "../foundation/schema/Steps.ts"
import { steadily } from "../foundation/schema/unsafe.ts"
import { analyse, analysedPage } from "./analysis/Analyse.ts"
import { crawlSite } from "./engine/CrawlSite.ts"
import { salvage } from "./engine/FetchWindow.ts"
import { watchMemory } from "./engine/MemoryWatch.ts"
import { userAgentOf } from "./fetch/Headers.ts"
import { type CrawlEvent, CrawlFailed } from "./report/CrawlResult.ts"
import { pageEntry, reportOf } from "./reporting/Report.ts"
import { catalogue } from "./rules/Catalogue.ts"
import type { Rule } from "./rules/Rule.ts"
import { countersOf, newRun } from "./run/Run.ts"
import { type RunOptions, WrittenOptions } from "./run/RunOptions.ts"

export type { CrawlEvent } from "./report/CrawlResult.ts"
export { Counters, CrawlFailed, CrawlResult } from "./report/CrawlResult.ts"

/** Options of a crawl, with the checks that it applies. */
export interface CrawlOptions extends RunOptions {
  /** Checks in the order of the report and the score; default is the catalogue. */
  readonly rules?: ReadonlyArray<Rule>
}

const perform = (seed: URL, options: CrawlOptions, emit: (event: CrawlEvent) => Effect.Effect<unknown>) =>
  Effect.gen(function* () {
    yield* checked(options)
    const started = yield* DateTime.now
    yield* emit({ _tag: "Phase", phase: "preparing" })
    const run = yield* newRun(seed, options)
    const field = crawlSite(run, {
      onCrawling: emit({ _tag: "Phase", phase: "crawling" }),
      onPage: (record) => {
        const page = pageEntry(analysedPage(run, record))
        return emit({ _tag: "Page", page, counters: countersOf(run) })
      }
    })
    // Disconnected, so that no slow finaliser of a fetch can push the report past the deadline.
    const ended = yield* Effect.scoped(field).pipe(Effect.disconnect, Effect.timeoutOption(run.deadlineMillis))
    yield* emit({ _tag: "Phase", phase: "analysing" })
    if (Option.isNone(ended)) yield* salvage(run)
    const { browser, mode, requests } = run.rendering
    const renderer = { ...(yield* mode), browser: yield* browser, requests: yield* requests }
    const site = yield* unhurried(analyse(run, Option.isNone(ended) && !run.found.hasSeenPages, renderer))
    const record = {
      started_at: DateTime.formatIso(started),
      duration_ms: DateTime.distance(started, yield* DateTime.now),
      version,
      user_agent: userAgentOf(options)
    }
    const report = yield* unhurried(reportOf(site, record, options.rules ?? catalogue))
    yield* emit({ _tag: "Finished", report })
  })

const decodeWritten = Schema.validate(WrittenOptions, { onExcessProperty: "ignore" })

/** Refuses invalid options before the first request. */
const checked = (options: CrawlOptions): Effect.Effect<void, CrawlFailed> =>
  Effect.asVoid(
    Effect.mapError(decodeWritten(options), (error) => {
      const [problem] = ParseResult.ArrayFormatter.formatErrorSync(error)
      const message = `The crawl cannot start: ${problem?.path.join(".") ?? "options"} ${problem?.message ?? ""}`
      return new CrawlFailed({ code: "crawl_failed", message })
    })
  )

/** A defect ends the stream as a failure: a crawl never takes its host process down. */
const broken = (cause: Cause.Cause<CrawlFailed>) =>
  Cause.isInterruptedOnly(cause) || Option.isSome(Cause.failureOption(cause))
    ? Effect.failCause(cause)
    : Effect.zipRight(
        Effect.logError("A crawl failed with an internal error", cause),
        new CrawlFailed({
          code: "crawl_failed",
          message:
            "The crawl failed because of an internal error. Start a new crawl; if it fails again, report the error."
        })
      )

/**
 * Crawls one site within its bounds: `url, options → measured pages → report`. The last event is `Finished`; at the deadline everything under way is
 * interrupted and the report covers what was measured. Pages come in a fixed order.
 *
 * Where the contract is silent this crawl does the following.
 * - The site is one host, with or without `www.`, over http and https; a subdomain or another port is another site.
 * - `maxPages` counts every URL requested, a redirect as well as a page; confirmations, robots.txt, sitemaps and the probe for soft 404s do not count. The
 *   start page and its redirects are always measured.
 * - A redirect's target has its own entry and verdict; the crawl requests no URL twice to follow a chain.
 * - nofollow links are followed, after all others, because nofollow is about credit and robots.txt about access. Frames are followed like links.
 * - Canonical and hreflang targets and sitemap URLs are requested after the links, files (by extension) after the pages, parameter sets last.
 * - The crawl never requests URLs that act (carts, log-outs, replies), except the start URL.
 * - The start navigation fills the run's cookies, which then stay fixed, so no page depends on another's cookies.
 * - A start page that returns an error is a measured page. `start_unreachable` means that no response came, `start_refused` that its confirmed response is
 *   401, 403, 407 or a bot challenge, or that robots.txt blocks this crawler and not Googlebot: a site that shuts the crawler out is not measured.
 * - A requested page without a confirmation in time is unchecked, never failed.
 * - When a host asks for a pause that ends after the deadline, the crawl ends immediately as `max-duration`.
 * - Crawl-delay is obeyed even when that means fewer pages; the report says how many requests it leaves room for.
 * - An immediate refresh to another URL is a permanent redirect; a canonical that redirects back is the page's own.
 * - Behind the start page 401 and 403 are confirmed and failed like other 4xx; 429, 430 and challenges are unchecked.
 */
export const crawl = (seed: URL, options: CrawlOptions): Stream.Stream<CrawlEvent, CrawlFailed, Outbound> =>
  Stream.unwrapScoped(
    Effect.gen(function* () {
      const mailbox = yield* Mailbox.make<CrawlEvent, CrawlFailed>()
      yield* watchMemory
      yield* perform(seed, options, (event) => mailbox.offer(event)).pipe(
        steadily,
        Effect.catchAllCause(broken),
        Mailbox.into(mailbox),
        Effect.forkScoped
      )
      return Mailbox.toStream(mailbox)
    })
  )
