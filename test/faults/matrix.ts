import type { CrawlFailed } from "../../src/crawl/Crawl.ts"
import type { RobotsState, SitemapFile } from "../../src/crawl/report/CrawlResult.ts"
import type { HealthReason, NoAnswerCause, Termination } from "../../src/crawl/report/MeasuredPage.ts"
import type { FaultName } from "./faults.ts"
import type { Role } from "./site.ts"

/** The expected result of a crawl with one fault in one role. */
export interface Cell {
  /** The end of the crawl: a report, or the reason for none. */
  readonly run: Termination | CrawlFailed["code"]
  /** The state of the target as a page, and the GETs that led to it. */
  readonly reason: HealthReason | null
  readonly attempts: ReadonlyArray<number | NoAnswerCause>
  readonly robots: RobotsState
  /** The state of the sitemap file; null without a request. */
  readonly sitemap: SitemapFile["state"] | null
  /** Failed checks besides the broken link of every site. */
  readonly findings: ReadonlyArray<string>
}

export type Row = Readonly<Record<Role, Cell>>

/** The check that reports a state; missing states have none. */
const findingOf: Partial<Readonly<Record<HealthReason, string>>> = {
  timed_out: "page_timed_out",
  connection_failed: "connection_lost",
  rate_limited: "rate_limited",
  bot_challenge: "bot_challenge",
  http_4xx: "page_client_error",
  http_5xx: "page_server_error",
  soft_404: "soft_404",
  redirect_loop: "redirect_loop",
  redirect_offsite: "redirect_offsite",
  redirect_temporary: "redirect_temporary"
}

/** The checks in the matrix: each must fail exactly where it is named. */
export const watched: ReadonlyArray<string> = [
  ...Object.values(findingOf),
  "robots_unreachable",
  "robots_truncated",
  "sitemap_invalid",
  "sitemap_missing",
  "sitemap_named_but_absent"
]

const sound: Cell = { run: "complete", reason: null, attempts: [], robots: "parsed", sitemap: "read", findings: [] }

/** No report: the start URL does not respond, or leads to another site. */
const fails = (run: CrawlFailed["code"]): Cell => ({ ...sound, run })

/** The target has this state after these GETs; everything else is as expected. */
const is = (reason: HealthReason, ...attempts: ReadonlyArray<number | NoAnswerCause>): Cell => {
  const finding = findingOf[reason]
  return { ...sound, reason, attempts, findings: finding === undefined ? [] : [finding] }
}

/** The site without robots.txt, or with one that allows everything. */
const robots = (state: "parsed" | "absent", ...findings: ReadonlyArray<string>): Cell => ({
  ...sound,
  robots: state,
  sitemap: "read",
  findings
})

/** Nothing is requested or reported: 429, 5xx and a lost response block everything (RFC 9309 §2.3.1.4). */
const shut: Cell = {
  ...sound,
  reason: "robots_unreachable",
  robots: "unreachable",
  sitemap: "unreachable",
  findings: ["robots_unreachable"]
}

const sitemap = (state: SitemapFile["state"], ...findings: ReadonlyArray<string>): Cell => ({
  ...sound,
  sitemap: state,
  findings
})

/** The pause outlasts the crawl: it ends immediately, and unseen pages are not assessed. */
const paused = (cell: Cell): Cell => ({ ...cell, run: "max-duration" })

const unreachable = fails("start_unreachable")
const lostSitemap = sitemap("unreachable")

/** No complete response in time. */
const late: Row = {
  seed: unreachable,
  page: is("timed_out", "timeout"),
  link: is("timed_out", 404, "timeout"),
  robots: shut,
  sitemap: lostSitemap
}

/** No complete response on the connection: requested once more, then unverified. */
const dropped = (cause: NoAnswerCause): Row => ({
  seed: unreachable,
  page: is("connection_failed", cause, cause),
  link: is("connection_failed", 404, cause, cause),
  robots: shut,
  sitemap: lostSitemap
})

/** The host itself cannot be trusted or reached: without robots.txt there is no start page either. */
const down = (cause: NoAnswerCause, again: boolean): Row => ({
  seed: unreachable,
  page: again ? is("connection_failed", cause, cause) : is("connection_failed", cause),
  link: again ? is("connection_failed", 404, cause, cause) : is("connection_failed", 404, cause),
  robots: unreachable,
  sitemap: lostSitemap
})

/** Read up to the limit only. */
const oversized: Row = {
  seed: is("too_large", 200),
  page: is("too_large", 200),
  link: is("too_large", 404, 200),
  robots: robots("parsed", "robots_truncated"),
  sitemap: sitemap("unreadable", "sitemap_invalid")
}

const loop: Row = {
  seed: is("redirect_loop", 302),
  page: is("redirect_loop", 302),
  link: is("redirect_loop", 404, 302),
  robots: robots("absent"),
  sitemap: sitemap("unreachable", "sitemap_invalid")
}

const throttled: Row = {
  seed: is("rate_limited", 429, 429, 429),
  page: is("rate_limited", 429, 429, 429),
  link: is("rate_limited", 404, 429, 429),
  robots: shut,
  sitemap: lostSitemap
}

const failing = (status: number): Row => ({
  seed: is("http_5xx", status, status),
  page: is("http_5xx", status, status),
  link: is("http_5xx", 404, status, status),
  robots: shut,
  sitemap: sitemap("unreachable", "sitemap_invalid")
})

const recovering = (status: number): Row => ({
  seed: is("ok", status, 200),
  page: is("ok", status, 200),
  link: is("ok", 404, status, 200),
  robots: robots("parsed"),
  sitemap: sound
})

const odd = (page: HealthReason, seed: HealthReason, status: number): Row => ({
  seed: is(seed, status),
  page: is(page, status),
  link: is(page, 404, status),
  robots: robots("parsed"),
  sitemap: sitemap("unreadable", "sitemap_invalid")
})

/** Every fault in every role. The tests run it, and the README's table is printed from it. */
export const matrix: Readonly<Record<FaultName, Row>> = {
  "headers byte by byte (slow-loris)": late,
  "body byte by byte (slow-loris)": late,
  "silence before the answer": late,
  "silence after the headers": late,
  "reset before the answer": dropped("reset"),
  "reset within the body": dropped("reset"),
  "body shorter than Content-Length": dropped("protocol"),
  "body shorter than Content-Length, kept open": late,
  "body longer than Content-Length": {
    seed: is("ok", 200),
    page: is("ok", 200),
    link: is("ok", 404, 200),
    robots: robots("parsed"),
    sitemap: sitemap("read", "sitemap_invalid")
  },
  "chunks without the last one": dropped("protocol"),
  "gzip bomb (64 MiB)": oversized,
  "brotli bomb (64 MiB)": oversized,
  "11 MiB": oversized,
  "broken gzip": dropped("protocol"),
  "headers without end": dropped("protocol"),
  "1xx without end": dropped("protocol"),
  "not HTTP at all": dropped("protocol"),
  "TLS: expired": down("tls", false),
  "TLS: self-signed": down("tls", false),
  "TLS: another name": down("tls", false),
  "DNS: NXDOMAIN": down("dns", true),
  "DNS: flips to a private address": down("blocked_address", false),
  "connection refused": down("connect", true),
  "redirect to itself": loop,
  "redirect loop": loop,
  "redirect chain of 12": {
    ...loop,
    seed: { ...loop.seed, findings: ["redirect_loop", "redirect_temporary"] },
    page: { ...loop.page, findings: ["redirect_loop", "redirect_temporary"] },
    link: { ...loop.link, findings: ["redirect_loop", "redirect_temporary"] }
  },
  "cookie loop": loop,
  "cookie of another value for ever": loop,
  "cookie redirect": { ...loop, seed: is("ok", 302), page: is("ok", 302), link: is("ok", 404, 302) },
  "redirect to a private address": {
    seed: fails("start_redirects_offsite"),
    page: is("redirect_offsite", 302),
    link: is("redirect_offsite", 404, 302),
    robots: shut,
    sitemap: sitemap("skipped")
  },
  "redirect to the own name at a private address": {
    seed: unreachable,
    page: is("redirect_temporary", 302),
    link: is("redirect_temporary", 404, 302),
    robots: shut,
    sitemap: lostSitemap
  },
  "redirect to another site": {
    seed: fails("start_redirects_offsite"),
    page: is("redirect_offsite", 302),
    link: is("redirect_offsite", 404, 302),
    robots: robots("parsed"),
    sitemap: sitemap("skipped")
  },
  "429, Retry-After in seconds": throttled,
  "429, Retry-After as a date": throttled,
  "429 without Retry-After": throttled,
  "429, Retry-After beyond the run": {
    seed: paused({ ...is("rate_limited", 429), sitemap: null }),
    page: paused(is("rate_limited", 429)),
    link: paused(is("rate_limited", 404, 429)),
    robots: { ...shut, sitemap: "unreachable" },
    sitemap: paused(lostSitemap)
  },
  "429 once": recovering(429),
  "503 for ever": failing(503),
  "503 once": recovering(503),
  "500 for ever": failing(500),
  "bot challenge": {
    seed: fails("start_refused"),
    page: is("bot_challenge", 403),
    link: is("bot_challenge", 404, 403),
    robots: robots("absent"),
    sitemap: sitemap("absent", "sitemap_missing", "sitemap_named_but_absent")
  },
  "204 without content": odd("soft_404", "ok", 204),
  "200 without content": odd("soft_404", "ok", 200),
  "not HTML": odd("not_html", "not_html", 200)
}
