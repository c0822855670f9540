import type { Run } from "../engine/Run.ts"
import type { UrlRecord } from "../frontier/UrlRecord.ts"
import { unasked, type Visit } from "../visit/Visit.ts"
import { barred } from "../visit/Visitor.ts"
import type { AnalysedPage } from "./AnalysedPage.ts"
import { indexabilityOf, verdictOf } from "./Verdict.ts"

/** Why what the run did not come to is open. */
const cutShort = ({ found }: Run) => (found.paused ? "rate_limited" : "limit_reached")

/** Why a URL had no turn: its robots.txt may be known without asking, otherwise a limit stopped the run first. */
const untouched = (run: Run, url: URL): Visit => {
  const file = run.robots.known(url)
  const closed = file === null || file.state === "unknown" ? null : barred(file, url)
  return closed ?? unasked("not_fetched", cutShort(run))
}

/** One record with its verdict as far as the run knows by now; `suspects` are soft 404s that it can confirm no more. */
export const analysedPage = (
  run: Run,
  record: UrlRecord,
  suspects: ReadonlyMap<string, string> = new Map()
): AnalysedPage => {
  const own = record.visit ?? untouched(run, new URL(record.url))
  const signs = run.found.soft.get(record.url) ?? null
  const suspicion = suspects.get(record.url)
  const { canonical, chain, reasons } = verdictOf(record, {
    now: run.now,
    find: (url) => run.frontier.find(url),
    isSoft: signs !== null,
    open: own.reason ?? (suspicion === undefined ? null : cutShort(run))
  })
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
    note: suspicion === undefined ? signs : `not looked at again in time: ${suspicion}`
  }
}
