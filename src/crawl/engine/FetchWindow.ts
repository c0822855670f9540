import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import { chainOf, namesItself } from "../analysis/Verdict.ts"
import type { UrlRecord } from "../frontier/Frontier.ts"
import type { OutOfTime } from "../politeness/HostLimiter.ts"
import { type PendingVisit, type Run, runOut } from "../run/Run.ts"
import { sameSite } from "../site/Site.ts"
import { canonicalsOf, hreflangsOf, type KeptFacts, type KeptLink, type Scripted, type Visit } from "../visit/Visit.ts"
import { visit } from "../visit/Visitor.ts"

/** Whether a URL is on the site; a known URL needs no parsing. */
const internal = (run: Run, url: string | null): url is string => {
  if (url === null) return false
  if (run.frontier.find(url) !== undefined) return true
  const parsed = URL.parse(url)
  return parsed !== null && sameSite(run.found.start, parsed)
}

const meetLinks = (run: Run, record: UrlRecord, links: ReadonlyArray<KeptLink>, followed: "link" | "rendered") => {
  const depth = record.depth === null ? null : record.depth + 1
  for (const { nofollow, target, text } of links) {
    if (!target.followable || !internal(run, target.url)) continue
    const via = nofollow ? "nofollow" : followed
    run.frontier.meet(target.url, { via, depth, from: record.url, text, hops: 0 })
  }
}

/** Meets the links of a page: those that the server sends first, and then what only its scripts add. */
const meetLinksOf = (run: Run, record: UrlRecord, { links }: KeptFacts, scripted: Scripted | null) => {
  const sent = scripted?.rawLinks ?? null
  if (sent === null) return meetLinks(run, record, links, "link")
  meetLinks(run, record, sent, "link")
  const known = new Set(sent.flatMap(({ nofollow, target }) => (target.followable && !nofollow ? [target.url] : [])))
  const added = links.filter(({ target }) => target.followable && !known.has(target.url))
  meetLinks(run, record, added, "rendered")
}

/** Meets URLs of the site in a page's head, headers or sitemap entry, because their responses are part of the verdict. */
export const meetReferences = (run: Run, from: string, urls: ReadonlyArray<string | null>) => {
  for (const url of urls) {
    if (internal(run, url)) run.frontier.meet(url, { via: "reference", depth: null, from, text: null, hops: 0 })
  }
}

/** URLs of canonicals, language versions and next pages. */
const referencesOf = (visit: Visit): ReadonlyArray<string | null> => [
  ...[...canonicalsOf(visit), ...hreflangsOf(visit), ...(visit.facts?.next ?? [])].map(({ url }) => url),
  ...(visit.headerFacts?.next ?? [])
]

/** Meets the URLs in a visit. */
const meetAll = (run: Run, record: UrlRecord, visit: Visit) => {
  const target = visit.redirect?.to ?? visit.refresh?.to ?? null
  if (internal(run, target)) {
    run.frontier.meet(target, { via: "redirect", depth: record.depth, from: null, text: null, hops: record.hops + 1 })
  }
  if (visit.facts === null) return
  meetLinksOf(run, record, visit.facts, visit.scripted)
  meetReferences(run, record.url, referencesOf(visit))
}

/**
 * Settles redirects that return to their beginning: they are no loop if one sets a cookie that changes the response of that URL (RFC 6265 §3). A browser
 * reaches this response, so it is the URL's own.
 */
const settleLoop = (run: Run, url: string) => {
  const record = run.frontier.find(url)
  const visit = run.found.withCookies.get(url)
  if (record?.visit == null || visit === undefined) return
  if (chainOf(record, (other) => run.frontier.find(other)).end !== "loop") return
  record.visit = { ...visit, attempts: record.visit.attempts }
  meetAll(run, record, record.visit)
}

/** Adds a visit to the crawl: its record, the counts, and its URLs. Called in the order of turns. */
export const recordVisit = (run: Run, record: UrlRecord, seen: Visit) => {
  const { facts, scripted } = seen
  const shared = (kept: KeptFacts) => ({ links: run.links.share(kept.links), parts: run.parts.share(kept.parts) })
  const sharedLinks = (kept: Scripted) => ({ ...kept, rawLinks: kept.rawLinks && run.links.share(kept.rawLinks) })
  const visit: Visit = {
    ...seen,
    facts: facts === null ? null : { ...facts, ...shared(facts) },
    scripted: scripted === null ? null : sharedLinks(scripted)
  }
  const isNew = record.visit === null
  record.visit = visit
  if (visit.cutBy !== null) runOut(run, visit.cutBy)
  if (isNew && visit.attempts.length > 0) {
    run.found.asked += 1
    if (visit.status === null) run.found.failed += 1
    else run.found.answered += 1
  }
  if (visit.facts !== null && namesItself(record.url, visit, run.now)) run.frontier.namesItself(record.url)
  meetAll(run, record, visit)
  for (const [url, answered] of visit.withCookies) run.found.withCookies.set(url, answered)
  for (const url of [...visit.withCookies.keys(), record.url]) settleLoop(run, url)
}

interface Hooks {
  readonly onPage: (record: UrlRecord) => Effect.Effect<void>
  /** Called after the last known link, before URLs from elsewhere are tried. */
  readonly linksRanDry: Effect.Effect<void>
}

/** Begun but unread visits per concurrent request: a slow page delays reading, not requesting. */
const ahead = 4

/**
 * Visits URLs concurrently and reads the visits in the order of their start. The next request depends only on the read visits, never on who answered first,
 * so a site gives the same pages on any network.
 */
export const drain = (run: Run, { linksRanDry, onPage }: Hooks): Effect.Effect<void, never, Scope.Scope> =>
  Effect.gen(function* () {
    const { found, frontier, options } = run
    const pending = found.underway
    const width = (options.perHost ?? 6) * ahead
    const scope = yield* Effect.scope

    const begin = (record: UrlRecord) =>
      Effect.gen(function* () {
        const visited = yield* Deferred.make<Visit, OutOfTime>()
        const turn = yield* run.rendering.turn(found.jar, false)
        const work = Effect.map(visit(run, found.start, new URL(record.url), found.jar, turn), (done) => done.visit)
        yield* Effect.forkIn(Effect.intoDeferred(work, visited), scope)
        pending.push({ record, visited })
      })

    /** Each running visit may request one page, so the crawl never exceeds the limit, and the order decides which pages the limit cuts. */
    const hasRoom = () => !found.outOfTime && pending.length < width && found.asked + pending.length < options.maxPages

    const fill = Effect.gen(function* () {
      while (hasRoom()) {
        const record = frontier.next()
        if (record === undefined) return
        yield* begin(record)
      }
    })

    const read = ({ record, visited }: PendingVisit) =>
      Deferred.await(visited).pipe(
        Effect.tap((seen) => Effect.sync(() => recordVisit(run, record, seen))),
        // Deferred: `onPage` reads the record, so it must run after the visit is recorded.
        Effect.zipRight(Effect.suspend(() => onPage(record))),
        Effect.catchTag("OutOfTime", ({ reason }) => Effect.sync(() => runOut(run, reason)))
      )

    for (;;) {
      yield* fill
      const turn = pending.shift()
      if (turn !== undefined) {
        yield* read(turn)
        continue
      }
      if (!hasRoom()) return
      yield* linksRanDry
      if (!frontier.turn()) return
    }
  })

/** At the deadline: adds finished visits that waited for an earlier one. */
export const salvage = (run: Run): Effect.Effect<void> =>
  Effect.forEach(
    run.found.underway,
    ({ record, visited }) =>
      Effect.gen(function* () {
        const done = yield* Deferred.poll(visited)
        if (Option.isNone(done)) return
        const seen = yield* Effect.exit(done.value)
        if (Exit.isSuccess(seen)) recordVisit(run, record, seen.value)
      }),
    { discard: true }
  )
