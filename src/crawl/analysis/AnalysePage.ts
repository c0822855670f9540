import { isNeverAsked } from "../frontier/Trap.ts"
import type { UrlRecord } from "../frontier/UrlRecord.ts"
import type { Run } from "../run/Run.ts"
import { inPart, isReadInPart, unasked, type Visit } from "../visit/Visit.ts"
import { barred, shutOut } from "../visit/Visitor.ts"
import type { AnalysedPage } from "./AnalysedPage.ts"
import { whyLeftOut } from "./Endless.ts"
import { indexabilityOf, verdictOf } from "./Verdict.ts"

/** The reason of URLs that the run did not reach. */
const cutShort = ({ found }: Run) => (found.paused ? "rate_limited" : "limit_reached")

/**
 * The verdict of robots.txt on a URL that had no turn, while the run has steps left to compute it: a sitemap may name 50,000 long URLs and a robots.txt
 * hold as many rules with stars, which take hours to compare.
 */
const known = (run: Run, url: URL): Visit | null => {
  const file = run.robots.known(url)
  if (file === null || file.state === "unknown") return null
  const cost = file.cost(url.href)
  if (cost > run.found.steps) return null
  run.found.steps -= cost
  const closed = barred(file, url)
  if (closed !== null) return closed
  const line = shutOut(file, url)
  return line === null ? null : unasked("not_fetched", "blocked_by_robots", line)
}

/** Why a URL had no turn: what it is or the options kept it from one, its robots.txt may be known already, otherwise a limit stopped the run first. */
const untouched = (run: Run, record: UrlRecord): Visit => {
  const trap = record.kind?.trap ?? null
  if (isNeverAsked(trap)) return unasked("not_fetched", trap?.reason === "action_link" ? "action_link" : "excluded")
  const judged =
    run.found.judged.get(record.url) ?? known(run, new URL(record.url)) ?? unasked("not_fetched", cutShort(run))
  run.found.judged.set(record.url, judged)
  return judged
}

/** One record with its verdict as far as the run knows by now; `suspects` are soft 404s that it can confirm no more. */
export const analysedPage = (
  run: Run,
  record: UrlRecord,
  suspects: ReadonlyMap<string, string> = new Map()
): AnalysedPage => {
  const own = record.visit ?? untouched(run, record)
  const signs = run.found.soft.get(record.url) ?? null
  const suspicion = suspects.get(record.url)
  const { canonical, chain, reasons } = verdictOf(record, {
    now: run.now,
    find: (url) => run.frontier.find(url),
    isSoft: signs !== null,
    open: own.reason ?? (suspicion === undefined ? null : cutShort(run))
  })
  const [reason, ...also] = reasons
  const remark = signs ?? whyLeftOut(record) ?? (record.visit !== null && isReadInPart(record.visit) ? inPart : null)
  return {
    url: record.url,
    record,
    visit: record.visit,
    fetchState: own.fetchState,
    indexability: indexabilityOf(reason),
    reason,
    also,
    robotsLine: own.robotsLine,
    canonical,
    chain,
    note: suspicion === undefined ? remark : `not looked at again in time: ${suspicion}`
  }
}
