import { chainOf } from "../analysis/RedirectChain.ts"
import { namesItself } from "../analysis/Verdict.ts"
import type { UrlRecord } from "../frontier/UrlRecord.ts"
import { type Run, runOut } from "../run/Run.ts"
import { sameSite } from "../site/Site.ts"
import type { KeptFacts } from "../visit/KeptFacts.ts"
import { canonicalsOf, hreflangsOf, type Visit } from "../visit/Visit.ts"

/** What was met before is of the site, and need not be parsed again. */
const internal = (run: Run, url: string | null): url is string => {
  if (url === null) return false
  if (run.frontier.find(url) !== undefined) return true
  const parsed = URL.parse(url)
  return parsed !== null && sameSite(run.found.start, parsed)
}

const meetLinks = (run: Run, record: UrlRecord, facts: KeptFacts) => {
  const depth = record.depth === null ? null : record.depth + 1
  for (const { nofollow, target, text } of facts.links) {
    if (!target.followable || !internal(run, target.url)) continue
    const via = nofollow ? "nofollow" : "link"
    run.frontier.meet(target.url, { via, depth, from: record.url, text, hops: 0 })
  }
}

/** Canonical, hreflang and `rel=next` targets are requested too, after the links: their answers are part of the verdict. */
const meetReferences = (run: Run, { url: from }: UrlRecord, visit: Visit) => {
  const references = [...canonicalsOf(visit), ...hreflangsOf(visit)]
  const next = [...(visit.facts?.next ?? []), ...(visit.headerFacts?.next ?? [])]
  for (const url of [...references.map((each) => each.url), ...next]) {
    if (internal(run, url)) run.frontier.meet(url, { via: "reference", depth: null, from, text: null, hops: 0 })
  }
}

/** Meets the URLs that a visit names. */
const meetAll = (run: Run, record: UrlRecord, visit: Visit) => {
  const target = visit.redirect?.to ?? visit.refresh?.to ?? null
  if (internal(run, target)) {
    run.frontier.meet(target, { via: "redirect", depth: record.depth, from: null, text: null, hops: record.hops + 1 })
  }
  if (visit.facts === null) return
  meetLinks(run, record, visit.facts)
  meetReferences(run, record, visit)
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
  const { facts } = seen
  const shared = (kept: KeptFacts) => ({ links: run.links.share(kept.links), parts: run.parts.share(kept.parts) })
  const visit = facts === null ? seen : { ...seen, facts: { ...facts, ...shared(facts) } }
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
