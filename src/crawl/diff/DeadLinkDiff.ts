import type { MeasuredPage } from "../report/MeasuredPage.ts"
import { inPart } from "../visit/Visit.ts"
import type { Cause, CrawlDiff, DeadLinkUnit, Side } from "./CrawlDiff.ts"
import { sorted } from "./FourLists.ts"
import { type RunView, silenceOn, wasRead } from "./RunView.ts"

type Lists = CrawlDiff["dead_links"]

const keyOf = ({ linked_from, url }: DeadLinkUnit): string => `${url}\n${linked_from}`

const unitsOf = ({ deadLinks }: RunView): ReadonlyMap<string, DeadLinkUnit> =>
  new Map(deadLinks.map((unit) => [keyOf(unit), unit]))

const answers = ({ page }: RunView, url: string): boolean => {
  const entry = page(url)
  return (
    entry !== undefined && entry.health_state !== "unchecked" && entry.http_status !== null && entry.http_status < 400
  )
}

/** Whether the run met every link of a page that it read, whatever else it did not see. */
const knowsLinks = ({ finding, result }: RunView, linker: MeasuredPage): boolean =>
  linker.evidence?.note !== inPart &&
  result.summary.limits.unlisted_urls === 0 &&
  finding("needs_javascript")?.status !== "fail"

/**
 * Whether a link that `run` does not name is not there, or leads to a page that answers: null when so, else why that is open. A link that may have led through a
 * redirect is only gone for a run that saw where all redirects lead.
 */
const isGone = (run: RunView, { linked_from, url }: DeadLinkUnit, mayRedirect: boolean): Cause | null => {
  if (answers(run, url)) return null
  const silence = silenceOn(run, linked_from)
  if (silence !== null) return silence
  const linker = run.page(linked_from)
  if (linker === undefined || !wasRead(linker)) return "rule_not_assessed"
  if (run.result.summary.dead_links.state !== "complete" && !knowsLinks(run, linker)) return run.gap ?? "limit_reached"
  if (mayRedirect && run.gap !== null) return run.gap
  const target = run.page(url)
  // A page that was read names its links: a target that was not met is not linked, and of a dead one all links are known.
  if (target === undefined || target.health_state === "failed") return null
  return silenceOn(run, url) ?? "rule_not_assessed"
}

const causeOf = (run: RunView, other: RunView, unit: DeadLinkUnit, side: Side): Cause | null => {
  if (!run.isRecorded || !other.isRecorded) return "not_recorded"
  if (run.seed !== other.seed || !other.checksLinks) return "options_differ"
  const cause = isGone(other, unit, run.redirectTargets.has(unit.url))
  return side === "after" && cause === "not_reached" ? null : cause
}

/**
 * Of a page that `run` names under `broken_link` and `other` does not: why `other` leaves open whether its dead links are gone, null when all of them are, and
 * undefined when `run` kept none of them.
 */
export const brokenLinkCause = (run: RunView, other: RunView, url: string, side: Side): Cause | null | undefined => {
  const links = run.deadLinksOf(url)
  if (links.length === 0) return undefined
  const there = new Set(other.deadLinksOf(url).map(keyOf))
  const causes = links.map((link) => (there.has(keyOf(link)) ? "rule_not_assessed" : causeOf(run, other, link, side)))
  return causes.find((cause) => cause !== null) ?? null
}

/** Sorts every dead link that either run names, a target with a page that links to it, into exactly one of the four lists. */
export const deadLinkDiff = (before: RunView, after: RunView): Lists => {
  const [old, now] = [unitsOf(before), unitsOf(after)]
  return sorted(
    {
      named: [...old.values()],
      open: (unit) => (now.has(keyOf(unit)) ? undefined : causeOf(before, after, unit, "before"))
    },
    {
      named: [...now.values()],
      open: (unit) => (old.has(keyOf(unit)) ? undefined : causeOf(after, before, unit, "after"))
    }
  )
}
