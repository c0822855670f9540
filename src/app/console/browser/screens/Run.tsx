import { useEffect } from "preact/hooks"
import type { Result, Run as RunRecord, Run as RunType, RunWithResult } from "../api/Contract.ts"
import { isFinal, useAction, useRead, useRules, useRun } from "../api/Read.ts"
import { ask } from "../api/Session.ts"
import { announcement } from "../Place.ts"
import { duration, hostOf, plural, rounded, share } from "../parts/Formats.ts"
import { Failed, Loaded, Score, When } from "../parts/Status.tsx"
import { Page } from "../parts/Tables.tsx"
import { Findings, Live, Verdicts } from "./Findings.tsx"

const endings: Readonly<Record<RunRecord["status"], string>> = {
  cancelled: "This run was stopped: there is no result.",
  completed: "This run is complete.",
  failed: "This run failed.",
  partial: "A limit ended this run: what it could not read is not judged.",
  queued: "This run waits for a worker.",
  running: "This run goes on."
}

/** What each kind of factor says to a reader. */
const factors: Readonly<Record<string, string>> = {
  mostly_hidden: "More than half of the known pages are hidden from search engines",
  needs_javascript: "The pages are empty without JavaScript",
  no_eligible_page: "No page may be indexed",
  start_blocked: "Search engines may not read the start page",
  start_unavailable: "The start page is hidden or down"
}

/** Costs that are told one by one; what is left is told as one. */
const mostCosts = 6

/** The score with what it cost, and how sure it is. */
const ScoreCard = ({
  result,
  score,
  titleOf
}: {
  readonly result: Result
  readonly score: RunRecord["score"]
  readonly titleOf: (rule: string) => string
}) => {
  if (score === null) return <p class="card">There is no score: nothing could be measured.</p>
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
        {range.low !== range.high && `Between ${range.low} and ${range.high} with what could not be verified. `}
        {provisional && "What could not be verified may change the verdict. "}
        {share(coverage)} of the pages could be assessed.
      </p>
      {costs.length > 0 && (
        <>
          <h2>What it cost</h2>
          <ul class="costs">
            {costs.slice(0, mostCosts).map(({ points, rule }) => (
              <li key={rule}>
                <b>−{rounded(points)}</b> {factors[rule] ?? titleOf(rule)}
              </li>
            ))}
            {costs.length > mostCosts && (
              <li>
                <b>−{rounded(rest)}</b> {plural(costs.length - mostCosts, "other rule")}
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
        {endings[status]}{" "}
        {error !== null && (
          <>
            {error.message} (<code>{error.code}</code>)
          </>
        )}
      </p>
      <p class="quiet">
        <When at={finished_at} />
        {took !== null && `, it took ${duration(took)}`}
        {counters !== null && `, ${plural(counters.pages_fetched, "page")} read`}
      </p>
    </>
  )
}

/** What a run that has ended found. */
const Finished = ({ run }: { readonly run: RunRecord }) => {
  const read = useRead<RunWithResult>(run.result_available ? `/runs/${run.id}?include=result` : null)
  const ruleOf = useRules()
  const points = run.score?.aggregate_score
  useEffect(() => {
    announcement.value = points === undefined ? "Finished" : `Finished: ${points} of 100`
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
                <p>
                  <a href={`#/runs/${run.id}/compare`}>Compare with the run before</a>
                </p>
                <Findings result={result} ruleOf={ruleOf} run={run} />
              </>
            ) : (
              <>
                <p>
                  <a href={`#/runs/${run.request.verify}`}>The run whose findings were verified</a>
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

const Stop = ({ id }: { readonly id: string }) => {
  const stopping = useAction(
    () => ask<RunType>("POST", `/runs/${id}/cancel`),
    () => {}
  )
  return (
    <>
      <button type="button" disabled={stopping.isBusy} onClick={stopping.run}>
        Stop
      </button>
      {stopping.failure !== null && <Failed failure={stopping.failure} />}
    </>
  )
}

const titleOf = (run: RunType | null) =>
  run === null ? "Run" : `${run.request.verify === null ? "Run" : "Verification"} of ${hostOf(run.request.url)}`

/** One run, from the moment at which it is asked for until what it found. */
export const Run = ({ id }: { readonly id: string }) => {
  const { failure, reload, run } = useRun(id)
  return (
    <Page title={titleOf(run)} back={run === null ? undefined : [`#/sites/${run.project_id}`, "The site"]}>
      {failure !== null && <Failed failure={failure} retry={reload} />}
      {run === null ? (
        failure === null && <p class="quiet">Loading…</p>
      ) : isFinal(run) ? (
        <Finished run={run} />
      ) : (
        <>
          <Live run={run} />
          <Stop id={id} />
        </>
      )}
    </Page>
  )
}
