import type { Finding, HistoryPoint, Run as RunRecord } from "../api/Contract.ts"
import { usePages, useRead, useRules } from "../api/Read.ts"
import { Line } from "../chart/Charts.tsx"
import { count, plural, words } from "../parts/Formats.ts"
import { Loaded, Score, Severity, When } from "../parts/Status.tsx"
import { Missing, Page, Pages, Rows, Table } from "../parts/Tables.tsx"
import { hashOf } from "../Routes.ts"
import { Compare } from "./Changes.tsx"
import { CrawlNow, Uncrawled } from "./CrawlNow.tsx"
import { Run } from "./Run.tsx"
import { runHash, type SiteProperties } from "./SiteScreens.tsx"

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
          cell: ({ findings, score }) => <Score score={score?.aggregate_score ?? null} critical={findings.critical} />,
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

/** The issues of the latest crawl. */
const Failing = ({ run, site }: { readonly run: string; readonly site: string }) => {
  const findings = usePages<Finding>(`/runs/${run}/findings?status=fail&sort=severity`)
  const ruleOf = useRules()
  return (
    <>
      <h2>Issues</h2>
      <Loaded read={findings}>
        {(failing) =>
          failing.length === 0 ? (
            <p>No issues in the latest crawl.</p>
          ) : (
            <>
              <Table
                caption="Issues, the most severe first"
                keyOf={({ rule }) => rule}
                rows={failing}
                columns={[
                  {
                    cell: ({ rule }) => (
                      <a href={hashOf(["sites", site, "health", run], { rule })}>{ruleOf(rule).title}</a>
                    ),
                    name: "Issue"
                  },
                  { cell: ({ severity }) => <Severity severity={severity} />, name: "Severity" },
                  { cell: (finding) => count(finding.count), kind: "number", name: "Affected pages" }
                ]}
              />
              <Pages name="issues" pager={findings.pager} />
            </>
          )
        }
      </Loaded>
    </>
  )
}

/** All crawls of the site, also those that failed or were stopped. */
const Runs = ({ site }: { readonly site: string }) => {
  const runs = usePages<RunRecord>(`/projects/${site}/site-health/runs`, 10)
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
                {
                  cell: ({ request, status }) => `${request.verify === null ? "" : "recheck, "}${words(status)}`,
                  name: "Status"
                },
                { cell: ({ score }) => <Score score={score?.aggregate_score ?? null} />, name: "Score" },
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

/** The health of a site: its score over time, its issues, and its crawls. */
const Latest = ({ id, name }: { readonly id: string; readonly name: string }) => {
  const history = useRead<ReadonlyArray<HistoryPoint>>(`/projects/${id}/site-health/history?limit=100`)
  const newest = history.data?.[0]
  return (
    <Page title={`Health of ${name}`} about={<CrawlNow id={id} />}>
      <Loaded read={history}>
        {(points) =>
          newest === undefined ? (
            <Uncrawled id={id} />
          ) : (
            <>
              <p class="big">
                <Score score={newest.score?.aggregate_score ?? null} critical={newest.findings.critical} />
              </p>
              <p>
                Latest crawl, <When at={newest.finished_at} />: {plural(newest.findings.critical, "critical issue")},{" "}
                {plural(newest.findings.warning, "warning")}, {plural(newest.findings.info, "info issue")}
              </p>
              <History history={points} site={id} />
              <Failing run={newest.run_id} site={id} />
            </>
          )
        }
      </Loaded>
      <Runs site={id} />
    </Page>
  )
}

/** The health of a site, one of its crawls, or the comparison of two. */
export const Health = ({ rest: [run, part, ...more], site: { id, name } }: SiteProperties) => {
  if (more.length > 0) return <Missing />
  if (run === undefined) return <Latest id={id} name={name} />
  return part === undefined ? <Run id={run} /> : part === "compare" ? <Compare id={run} /> : <Missing />
}
