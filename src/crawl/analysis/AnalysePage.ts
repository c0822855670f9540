import type { Run } from "../engine/Run.ts"
import type { UrlRecord } from "../frontier/UrlRecord.ts"
import type { HealthReason } from "../report/States.ts"
import { unasked, type Visit } from "../visit/Visit.ts"
import { barred } from "../visit/Visitor.ts"
import type { AnalysedPage } from "./AnalysedPage.ts"
import { indexabilityOf, type Surroundings, verdictOf } from "./Verdict.ts"

/** Why a URL had no turn: its robots.txt may be known without asking, otherwise a limit stopped the run first. */
const untouched = (run: Run, url: URL): Visit => {
  const file = run.robots.known(url)
  const closed = file === null || file.state === "unknown" ? null : barred(file, url)
  return closed ?? unasked("not_fetched", run.found.paused ? "rate_limited" : "limit_reached")
}

/** One record with its verdict as far as the run knows by now. */
export const analysedPage = (run: Run, record: UrlRecord): AnalysedPage => {
  const own = record.visit ?? untouched(run, new URL(record.url))
  const skipped: HealthReason = own.reason ?? "limit_reached"
  const surroundings: Surroundings = {
    now: run.now,
    find: (url) => run.frontier.find(url),
    soft: run.found.soft,
    skipped
  }
  const { canonical, chain, reasons } = verdictOf(record, surroundings)
  const [reason, ...also] = reasons
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
    note: run.found.soft.get(record.url) ?? null
  }
}
