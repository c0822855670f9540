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

/** What was met before is of the site, and need not be parsed again. */
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

/** Meets the addresses of the site that a page names for engines, in its head, its headers or its entry in a sitemap: their answers are part of the verdict. */
export const meetReferences = (run: Run, from: string, urls: ReadonlyArray<string | null>) => {
  for (const url of urls) {
    if (internal(run, url)) run.frontier.meet(url, { via: "reference", depth: null, from, text: null, hops: 0 })
  }
}

/** Addresses of canonicals, language versions and next pages. */
const referencesOf = (visit: Visit): ReadonlyArray<string | null> => [
  ...[...canonicalsOf(visit), ...hreflangsOf(visit), ...(visit.facts?.next ?? [])].map(({ url }) => url),
  ...(visit.headerFacts?.next ?? [])
]

/** Meets the URLs that a visit names. */
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
 * Redirects that lead back to where they began are no loop when one of them sets a cookie with which that URL answers
 * otherwise (RFC 6265 §3): a browser comes to that answer, so it is the URL's own.
 */
const settleLoop = (run: Run, url: string) => {
  const record = run.frontier.find(url)
  const visit = run.found.withCookies.get(url)
  if (record?.visit == null || visit === undefined) return
  if (chainOf(record, (other) => run.frontier.find(other)).end !== "loop") return
  record.visit = { ...visit, attempts: record.visit.attempts }
  meetAll(run, record, record.visit)
}

/** Takes a visit into the run: its record, the counts, and the URLs it names. Called in the order of turns. */
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
  /** Called when every link known was followed, before URLs from elsewhere are tried. */
  readonly linksRanDry: Effect.Effect<void>
}

/** Visits begun but not yet read, for each request that may be in flight: a slow page holds up reading, not asking. */
const ahead = 4

/**
 * Visits URLs several at a time and reads the visits in the order in which they were begun. What is asked next depends only on what was
 * read, never on who answered first, so the same site gives the same pages whatever the network does.
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

    /** Each visit under way may ask for one page, so the limit is never passed, and which pages it cuts is settled by order. */
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

/** At the deadline: takes in the visits that were finished but waited for an earlier one to be read. */
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
