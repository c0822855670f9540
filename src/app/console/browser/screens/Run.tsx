import { useEffect } from "preact/hooks"
import type { HistoryPoint, Result, Run as RunRecord, Run as RunType, RunWithResult } from "../api/Contract.ts"
import { isFinal, useAction, useRead, useRules, useRun } from "../api/Read.ts"
import { ask } from "../api/Session.ts"
import { announcement } from "../Place.ts"
import { duration, hostOf, plural, rounded, share } from "../parts/Formats.ts"
import { Failed, Loaded, Score, When } from "../parts/Status.tsx"
import { Page } from "../parts/Tables.tsx"
import { Findings, Live, Verdicts } from "./Findings.tsx"
import { RenderedPages, RenderingSummary } from "./Rendering.tsx"
import { runHash } from "./SiteScreens.tsx"

const endings: Readonly<Record<RunRecord["status"], string>> = {
  cancelled: "stopped. No report was saved.",
  completed: "complete.",
  failed: "failed.",
  partial: "stopped at the page or time limit. Only crawled pages count.",
  queued: "waiting for a worker.",
  running: "in progress."
}

/** A run is a crawl of a site, or a recheck of the issues of an earlier one. */
const kindOf = ({ request }: RunRecord) => (request.verify === null ? "Crawl" : "Recheck")

/** Reasons that lower the score of the whole site. */
const factors: Readonly<Record<string, string>> = {
  mostly_hidden: "More than half of the pages are hidden from search engines",
  needs_javascript: "The pages are empty without JavaScript",
  no_eligible_page: "No page is indexable",
  start_blocked: "The start page is blocked for search engines",
  start_unavailable: "The start page is unavailable or hidden from search engines"
}

/** Issues listed one by one in the score impact; the rest is one line. */
const mostCosts = 6

/** The score with its impact by issue, its range and its coverage. */
const ScoreCard = ({
  result,
  score,
  titleOf
}: {
  readonly result: Result
  readonly score: RunRecord["score"]
  readonly titleOf: (rule: string) => string
}) => {
  if (score === null) return <p class="card">No score: no page could be crawled.</p>
  const { aggregate_score, coverage, provisional, range } = score
  const critical = result.findings.filter(({ severity, status }) => status === "fail" && severity === "critical").length
  const costs = result.score.breakdown.lost.toSorted((a, b) => b.points - a.points)
  const rest = costs.slice(mostCosts).reduce((sum, { points }) => sum + points, 0)
  return (
    <div class="card">
      <p class="big">
        <Score score={aggregate_score} critical={critical} />
      </p>
      <p>
        {range.low !== range.high &&
          `Score range ${range.low}–${range.high}, because some URLs could not be verified. `}
        {provisional && "Provisional score: unverified URLs may change the rating. "}
        Coverage: {share(coverage)} of pages checked.
      </p>
      {costs.length > 0 && (
        <>
          <h2>Score impact (points lost)</h2>
          <ul class="costs">
            {costs.slice(0, mostCosts).map(({ points, rule }) => (
              <li key={rule}>
                <b>−{rounded(points)}</b> {factors[rule] ?? titleOf(rule)}
              </li>
            ))}
            {costs.length > mostCosts && (
              <li>
                <b>−{rounded(rest)}</b> {plural(costs.length - mostCosts, "other issue")}
              </li>
            )}
          </ul>
        </>
      )}
    </div>
  )
}

const seconds = ({ finished_at, started_at }: RunRecord) =>
  started_at === null || finished_at === null ? null : (Date.parse(finished_at) - Date.parse(started_at)) / 1000

const Ending = ({ run }: { readonly run: RunRecord }) => {
  const { counters, error, finished_at, status } = run
  const took = seconds(run)
  return (
    <>
      <p>
        {kindOf(run)} {endings[status]}{" "}
        {error !== null && (
          <>
            {error.message} (<code>{error.code}</code>)
          </>
        )}
      </p>
      <p class="quiet">
        <When at={finished_at} />
        {took !== null && ` · ${duration(took)}`}
        {counters !== null && ` · ${plural(counters.pages_fetched, "page")} crawled`}
      </p>
    </>
  )
}

/** The report of a crawl that has ended. */
const Finished = ({ run }: { readonly run: RunRecord }) => {
  const read = useRead<RunWithResult>(run.result_available ? `/runs/${run.id}?include=result` : null)
  const ruleOf = useRules()
  const points = run.score?.aggregate_score
  useEffect(() => {
    announcement.value = points === undefined ? "Finished" : `Finished: score ${points} of 100`
  }, [points])
  return (
    <>
      <Ending run={run} />
      {run.result_available && (
        <Loaded read={read}>
          {({ result }) =>
            result &&
            (run.request.verify === null ? (
              <>
                <ScoreCard result={result} score={run.score} titleOf={(rule) => ruleOf(rule).title} />
                <RenderingSummary of={result.summary.rendering} />
                <Comparison run={run} />
                <Findings result={result} ruleOf={ruleOf} run={run} />
                <RenderedPages pages={result.pages} />
              </>
            ) : (
              <>
                <p>
                  <a href={runHash(run.project_id, run.request.verify ?? "")}>Crawl that found these issues</a>
                </p>
                <Verdicts ruleOf={ruleOf} verification={result.verification ?? []} />
              </>
            ))
          }
        </Loaded>
      )}
    </>
  )
}

/** The comparison with an earlier crawl, which the first crawl of a site has not. */
const Comparison = ({ run }: { readonly run: RunRecord }) => {
  const history = useRead<ReadonlyArray<HistoryPoint>>(`/projects/${run.project_id}/site-health/history?limit=100`)
  const hasEarlier = history.data?.some(({ finished_at }) => finished_at < (run.finished_at ?? "")) === true
  return hasEarlier ? (
    <p>
      <a href={runHash(run.project_id, run.id, "compare")}>Compare with previous crawl</a>
    </p>
  ) : null
}

const Stop = ({ run: { id, request } }: { readonly run: RunType }) => {
  const stopping = useAction(
    () => ask<RunType>("POST", `/runs/${id}/cancel`),
    () => {}
  )
  return (
    <>
      <button type="button" disabled={stopping.isBusy} onClick={stopping.run}>
        {request.verify === null ? "Stop crawl" : "Stop recheck"}
      </button>
      {stopping.failure !== null && <Failed failure={stopping.failure} />}
    </>
  )
}

const titleOf = (run: RunType | null) => (run === null ? "Crawl" : `${kindOf(run)} of ${hostOf(run.request.url)}`)

/** One crawl or recheck, live until it ends, then its report. */
export const Run = ({ id }: { readonly id: string }) => {
  const { failure, reload, run } = useRun(id)
  return (
    <Page title={titleOf(run)}>
      {failure !== null && <Failed failure={failure} retry={reload} />}
      {run === null ? (
        failure === null && <p class="quiet">Loading…</p>
      ) : isFinal(run) ? (
        <Finished run={run} />
      ) : (
        <>
          <Live run={run} />
          <Stop run={run} />
        </>
      )}
    </Page>
  )
}
