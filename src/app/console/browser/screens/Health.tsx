import { useEffect } from "preact/hooks"
import type { HistoryPoint, Run as RunRecord, RunWithResult } from "../api/Contract.ts"
import { isFinal, usePages, usePoll, useRead, useRules, useRun } from "../api/Read.ts"
import { ask } from "../api/Session.ts"
import { Line } from "../chart/Charts.tsx"
import { announcement, go, route } from "../Place.ts"
import { Act, Confirm } from "../parts/Acts.tsx"
import { count, hostOf, sentence } from "../parts/Formats.ts"
import { Empty, Failed, Loaded, Score, When } from "../parts/Status.tsx"
import { Details, Missing, Page, Pages, Rows, Table } from "../parts/Tables.tsx"
import { runHash, type SiteProperties } from "../SiteRoutes.ts"
import { Live, Progress, useHistory, useLatestCrawl } from "./Crawling.tsx"
import { CrawlNow } from "./CrawlNow.tsx"
import { FailedCrawl } from "./FailedCrawl.tsx"
import { Verdicts } from "./Repair.tsx"
import { Ending, kindOf, Report } from "./Report.tsx"

const rangeOf = ({ score }: HistoryPoint) =>
  score === null || score.range.low === score.range.high ? "" : `${score.range.low}–${score.range.high}`

/** The score of the latest crawls, up to a hundred, with its range where URLs could not be verified. */
const History = ({ history, site }: { readonly history: ReadonlyArray<HistoryPoint>; readonly site: string }) => (
  <Line
    title="Score by crawl"
    span={[0, 100]}
    series={[
      {
        name: "Score",
        points: history.toReversed().map(({ finished_at, score }) => ({
          at: Date.parse(finished_at),
          value: score?.aggregate_score ?? null,
          ...(score === null ? {} : { high: score.range.high, low: score.range.low })
        }))
      }
    ]}
  >
    <Rows
      caption="Score and issues by crawl"
      name="completed crawls"
      size={10}
      keyOf={({ run_id }) => run_id}
      rows={history}
      columns={[
        {
          cell: ({ finished_at, run_id }) => (
            <a href={runHash(site, run_id)}>
              <When at={finished_at} />
            </a>
          ),
          name: "Crawl"
        },
        {
          cell: ({ findings, score, status }) => (
            <Score
              score={score?.aggregate_score ?? null}
              critical={findings.critical}
              isPartial={status === "partial"}
            />
          ),
          name: "Score"
        },
        { cell: rangeOf, name: "Range" },
        { cell: ({ findings }) => count(findings.critical), kind: "number", name: "Critical" },
        { cell: ({ findings }) => count(findings.warning), kind: "number", name: "Warnings" },
        { cell: ({ findings }) => count(findings.info), kind: "number", name: "Info" }
      ]}
    />
  </Line>
)

/** All crawls of the site, also those that failed or were stopped. */
const Runs = ({ site }: { readonly site: string }) => {
  const runs = usePages<RunRecord>(`/projects/${site}/site-health/runs`, 10)
  usePoll(runs.reload, runs.data?.some((run) => !isFinal(run)) === true ? 5 : null)
  return (
    <>
      <h2>Crawls</h2>
      <Loaded read={runs}>
        {(all) => (
          <>
            <Table
              caption="Crawls, the latest first"
              keyOf={({ id }) => id}
              rows={all}
              columns={[
                {
                  cell: ({ created_at, id }) => (
                    <a href={runHash(site, id)}>
                      <When at={created_at} />
                    </a>
                  ),
                  name: "Crawl"
                },
                { cell: ({ request }) => (request.verify === null ? "Whole site" : "Recheck"), name: "Type" },
                { cell: ({ status }) => sentence(status), name: "Status" },
                {
                  cell: ({ findings, score }) => (
                    <Score score={score?.aggregate_score ?? null} critical={findings?.critical ?? 0} />
                  ),
                  name: "Score"
                },
                { cell: ({ counters }) => count(counters?.pages_fetched), kind: "number", name: "Pages crawled" }
              ]}
            />
            <Pages name="crawls" pager={runs.pager} />
          </>
        )}
      </Loaded>
    </>
  )
}

/** The latest completed crawl of the site. */
const Newest = ({
  history,
  point: { run_id },
  site
}: {
  readonly site: string
  readonly point: HistoryPoint
  readonly history: ReadonlyArray<HistoryPoint>
}) => {
  const read = useRead<RunWithResult>(`/runs/${run_id}?include=result`)
  const isWhole = route.value.query.get("view") === null
  return (
    <>
      <Loaded read={read}>
        {(run) => (
          <>
            <Ending run={run} />
            <Report run={run} history={history} path={["sites", site, "health"]} />
          </>
        )}
      </Loaded>
      {isWhole && <History history={history} site={site} />}
    </>
  )
}

/** The health of a site: its latest crawl, its score over time, and its crawls. */
const Latest = ({ id, name }: { readonly id: string; readonly name: string }) => {
  const latest = useLatestCrawl(id)
  const history = useHistory(id, latest, 100)
  return (
    <Page title={`Health of ${name}`} about={<CrawlNow id={id} latest={latest} />}>
      {latest !== null && !isFinal(latest) && (
        <section class="card">
          <h2>Crawling now</h2>
          <Progress run={latest} />
        </section>
      )}
      {latest?.status === "failed" && <FailedCrawl run={latest} />}
      <Loaded read={history}>
        {(points) => {
          const [newest] = points
          if (newest !== undefined) return <Newest history={points} point={newest} site={id} />
          return latest !== null && (latest.status === "failed" || !isFinal(latest)) ? null : (
            <Empty title="No completed crawl yet">Use “Crawl now” to get a score and see what to fix first.</Empty>
          )
        }}
      </Loaded>
      {route.value.query.get("view") === null && <Runs site={id} />}
    </Page>
  )
}

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
const Deletion = ({ id, project_id }: RunRecord) => (
  <Details kind="control" summary="Delete this crawl">
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
const Finished = ({ isCompared, run }: { readonly run: RunRecord; readonly isCompared: boolean }) => {
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

const titleOf = (run: RunRecord | null) => (run === null ? "Crawl" : `${kindOf(run)} of ${hostOf(run.request.url)}`)

/** One crawl or recheck, live until it ends, then its report. */
const Run = ({ id, isCompared }: { readonly id: string; readonly isCompared: boolean }) => {
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
            work={() => ask<RunRecord>("POST", `/runs/${id}/cancel`)}
            done={() => {}}
          />
        </>
      )}
    </Page>
  )
}

/** The health of a site, one of its crawls, or the comparison of two. */
export const Health = ({ rest: [run, part, ...more], site: { id, name } }: SiteProperties) => {
  if (more.length > 0 || (part !== undefined && part !== "compare")) return <Missing />
  return run === undefined ? <Latest id={id} name={name} /> : <Run id={run} isCompared={part !== undefined} />
}
