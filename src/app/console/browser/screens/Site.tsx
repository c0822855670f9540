import { useAction } from "../api/Action.ts"
import type { Finding, HistoryPoint, Project, Run } from "../api/Contract.ts"
import { usePages } from "../api/Pages.ts"
import { useRead } from "../api/Read.ts"
import { ask } from "../api/Request.ts"
import { useRules } from "../api/Rules.ts"
import { Line } from "../chart/Line.tsx"
import { go } from "../Place.ts"
import { Failed } from "../parts/Failed.tsx"
import { count, plural, words } from "../parts/Formats.ts"
import { Outside } from "../parts/Link.tsx"
import { Empty, Loaded } from "../parts/Loaded.tsx"
import { Page } from "../parts/Page.tsx"
import { Rows } from "../parts/Rows.tsx"
import { Pages, Table } from "../parts/Table.tsx"
import { Score, Severity } from "../parts/Verdict.tsx"
import { When } from "../parts/When.tsx"
import { hashOf } from "../Routes.ts"
import { Schedule } from "./Schedule.tsx"

const CheckNow = ({ id }: { readonly id: string }) => {
  const starting = useAction(
    () => ask<Run>("POST", `/projects/${id}/site-health/runs`, { body: {} }),
    (run) => go(["runs", run.id])
  )
  return (
    <>
      <button type="button" disabled={starting.isBusy} onClick={starting.run}>
        Check now
      </button>
      {starting.failure !== null && <Failed failure={starting.failure} />}
    </>
  )
}

const rangeOf = ({ score }: HistoryPoint) =>
  score === null || score.range.low === score.range.high ? "" : `${score.range.low}–${score.range.high}`

/** The score of the newest runs, a hundred at most, with what it could be where something was not verified. */
const History = ({ history }: { readonly history: ReadonlyArray<HistoryPoint> }) => (
  <Line
    title="Score by run"
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
      caption="Score and failing rules by run"
      name="runs with a result"
      size={10}
      keyOf={({ run_id }) => run_id}
      rows={history}
      columns={[
        {
          cell: ({ finished_at, run_id }) => (
            <a href={`#/runs/${run_id}`}>
              <When at={finished_at} />
            </a>
          ),
          name: "Run"
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

/** The rules that fail in the newest result. */
const Failing = ({ run }: { readonly run: string }) => {
  const findings = usePages<Finding>(`/runs/${run}/findings?status=fail&sort=severity`)
  const ruleOf = useRules()
  return (
    <>
      <h2>Failing now</h2>
      <Loaded read={findings}>
        {(failing) =>
          failing.length === 0 ? (
            <p>No rule fails.</p>
          ) : (
            <>
              <Table
                caption="Rules that fail, the worst first"
                keyOf={({ rule }) => rule}
                rows={failing}
                columns={[
                  {
                    cell: ({ rule }) => <a href={hashOf(["runs", run], { rule })}>{ruleOf(rule).title}</a>,
                    name: "Finding"
                  },
                  { cell: ({ severity }) => <Severity severity={severity} />, name: "Severity" },
                  { cell: (finding) => count(finding.count), kind: "number", name: "Pages" }
                ]}
              />
              <Pages name="findings" pager={findings.pager} />
            </>
          )
        }
      </Loaded>
    </>
  )
}

/** The runs of the site, whatever became of them. */
const Runs = ({ id }: { readonly id: string }) => {
  const runs = usePages<Run>(`/projects/${id}/site-health/runs`, 10)
  return (
    <>
      <h2>Runs</h2>
      <Loaded read={runs}>
        {(all) => (
          <>
            <Table
              caption="Runs, the newest first"
              keyOf={({ id }) => id}
              rows={all}
              columns={[
                {
                  cell: ({ created_at, id }) => (
                    <a href={`#/runs/${id}`}>
                      <When at={created_at} />
                    </a>
                  ),
                  name: "Run"
                },
                {
                  cell: ({ request, status }) => `${request.verify === null ? "" : "verification, "}${words(status)}`,
                  name: "State"
                },
                { cell: ({ score }) => <Score score={score?.aggregate_score ?? null} />, name: "Score" },
                { cell: ({ counters }) => count(counters?.pages_fetched), kind: "number", name: "Pages read" }
              ]}
            />
            <Pages name="runs" pager={runs.pager} />
          </>
        )}
      </Loaded>
    </>
  )
}

/** One site: how its score went, what fails now, and when it is checked. */
export const Site = ({ id }: { readonly id: string }) => {
  const project = useRead<Project>(`/projects/${id}`)
  const history = useRead<ReadonlyArray<HistoryPoint>>(`/projects/${id}/site-health/history?limit=100`)
  const newest = history.data?.[0]
  return (
    <Page title={project.data?.name ?? "Site"} back={["#/sites", "Sites"]} about={<CheckNow id={id} />}>
      <Loaded read={project}>{({ url }) => <Outside href={url} />}</Loaded>
      <Loaded read={history}>
        {(points) =>
          newest === undefined ? (
            <Empty title="No result yet">“Check now” reads the site’s pages, and says what to repair first.</Empty>
          ) : (
            <>
              <p class="big">
                <Score score={newest.score?.aggregate_score ?? null} critical={newest.findings.critical} />
              </p>
              <p>
                {plural(newest.findings.critical, "critical finding")}, {plural(newest.findings.warning, "warning")} and{" "}
                {plural(newest.findings.info, "hint")} in the newest result, <When at={newest.finished_at} />.
              </p>
              <History history={points} />
              <Failing run={newest.run_id} />
            </>
          )
        }
      </Loaded>
      <Schedule id={id} />
      <Runs id={id} />
    </Page>
  )
}
