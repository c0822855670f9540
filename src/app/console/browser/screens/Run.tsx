import { useEffect } from "preact/hooks"
import type { HistoryPoint, Run as RunType, RunWithResult } from "../api/Contract.ts"
import { isFinal, useRead, useRules, useRun } from "../api/Read.ts"
import { ask } from "../api/Session.ts"
import { announcement, go } from "../Place.ts"
import { Act, Confirm } from "../parts/Acts.tsx"
import { hostOf } from "../parts/Formats.ts"
import { Failed, Loaded } from "../parts/Status.tsx"
import { Details, Page } from "../parts/Tables.tsx"
import { Live, Verdicts } from "./Findings.tsx"
import { Ending, kindOf, Report } from "./Report.tsx"
import { runHash } from "./SiteScreens.tsx"

/** A crawl of the site that has ended, with its report. */
const Crawl = ({ isCompared, run }: { readonly run: RunWithResult; readonly isCompared: boolean }) => {
  const history = useRead<ReadonlyArray<HistoryPoint>>(`/projects/${run.project_id}/site-health/history?limit=100`)
  return (
    <Loaded read={history}>
      {(points) => (
        <Report
          run={run}
          history={points}
          path={["sites", run.project_id, "health", run.id]}
          {...(isCompared && { view: "compare" })}
        />
      )}
    </Loaded>
  )
}

/** Deletes a crawl after a confirmation. */
const Deletion = ({ id, project_id }: RunType) => (
  <Details summary="Delete this crawl">
    {() => (
      <Confirm
        action="Delete crawl"
        name="delete"
        scope="site-health:write"
        work={() => ask("DELETE", `/runs/${id}`)}
        done={() => {
          announcement.value = "Crawl deleted."
          go(["sites", project_id, "health"])
        }}
      >
        <p>
          The crawl is deleted with its result and its rechecks. Comparisons then use the crawls that remain. The quota
          still counts this crawl.
        </p>
      </Confirm>
    )}
  </Details>
)

/** A crawl or recheck that has ended. */
const Finished = ({ isCompared, run }: { readonly run: RunType; readonly isCompared: boolean }) => {
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
          {(whole) =>
            whole.request.verify === null ? (
              <Crawl isCompared={isCompared} run={whole} />
            ) : (
              <>
                <p>
                  <a href={runHash(whole.project_id, whole.request.verify)}>Crawl that found these issues</a>
                </p>
                <Verdicts ruleOf={ruleOf} verification={whole.result?.verification ?? []} />
              </>
            )
          }
        </Loaded>
      )}
      <Deletion {...run} />
    </>
  )
}

const titleOf = (run: RunType | null) => (run === null ? "Crawl" : `${kindOf(run)} of ${hostOf(run.request.url)}`)

/** One crawl or recheck, live until it ends, then its report. */
export const Run = ({ id, isCompared }: { readonly id: string; readonly isCompared: boolean }) => {
  const { failure, reload, run } = useRun(id)
  return (
    <Page title={titleOf(run)}>
      {failure !== null && <Failed failure={failure} retry={reload} />}
      {run === null ? (
        failure === null && <p class="quiet">Loading…</p>
      ) : isFinal(run) ? (
        <Finished isCompared={isCompared} run={run} />
      ) : (
        <>
          <Live run={run} />
          <Act
            action={run.request.verify === null ? "Stop crawl" : "Stop recheck"}
            scope="site-health:write"
            work={() => ask<RunType>("POST", `/runs/${id}/cancel`)}
            done={() => {}}
          />
        </>
      )}
    </Page>
  )
}
