import { useEffect } from "preact/hooks"
import type { Result, Run, RunWithResult } from "../api/Contract.ts"
import { useRead } from "../api/Read.ts"
import { useRules } from "../api/Rules.ts"
import { announcement } from "../Place.ts"
import { duration, plural, rounded, share } from "../parts/Formats.ts"
import { Loaded } from "../parts/Loaded.tsx"
import { Score } from "../parts/Verdict.tsx"
import { When } from "../parts/When.tsx"
import { Findings } from "./Findings.tsx"
import { Verdicts } from "./Verdicts.tsx"

const endings: Readonly<Record<Run["status"], string>> = {
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
  readonly score: Run["score"]
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

const seconds = ({ finished_at, started_at }: Run) =>
  started_at === null || finished_at === null ? null : (Date.parse(finished_at) - Date.parse(started_at)) / 1000

const Ending = ({ run }: { readonly run: Run }) => {
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
export const Finished = ({ run }: { readonly run: Run }) => {
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
