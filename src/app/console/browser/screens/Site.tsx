import { useSignal } from "@preact/signals"
import { useId } from "preact/hooks"
import type { Finding, HistoryPoint, Project, Run, Schedule as ScheduleType } from "../api/Contract.ts"
import { useAction, usePages, useRead, useRules } from "../api/Read.ts"
import { ask } from "../api/Session.ts"
import { Line } from "../chart/Charts.tsx"
import { go } from "../Place.ts"
import { count, plural, sentence, words } from "../parts/Formats.ts"
import { Empty, Failed, Loaded, Outside, Score, Severity, When } from "../parts/Status.tsx"
import { Page, Pages, Rows, Table } from "../parts/Tables.tsx"
import { hashOf } from "../Routes.ts"
import { RenderChoice } from "./Rendering.tsx"
import { useFailedCrawl } from "./Sites.tsx"

const intervals = {
  "6h": "every 6 hours",
  "12h": "every 12 hours",
  "1d": "every day",
  "7d": "every week",
  "30d": "every 30 days"
}

const wordsOf = (every: string) => Object.entries(intervals).find(([value]) => value === every)?.[1] ?? `every ${every}`

const Entry = ({ changed, schedule }: { readonly schedule: ScheduleType; readonly changed: () => void }) => {
  const { every, id, last_skipped, max_pages, next_at, project_id, render, url } = schedule
  const removing = useAction(() => ask("DELETE", `/projects/${project_id}/site-health/schedules/${id}`), changed)
  return (
    <li>
      {sentence(wordsOf(every))} from <span class="address">{url}</span>
      {max_pages !== null && `, up to ${plural(max_pages, "page")}`}
      {render !== "auto" && `, ${render === "always" ? "all pages rendered" : "without rendering"}`}, next crawl{" "}
      <When at={next_at} />{" "}
      <button type="button" disabled={removing.isBusy} onClick={removing.run}>
        Remove schedule
      </button>
      {last_skipped !== null && (
        <p class="warn">
          Skipped <When at={last_skipped.at} />: {last_skipped.reason}
        </p>
      )}
      {removing.failure !== null && <Failed failure={removing.failure} />}
    </li>
  )
}

const Add = ({ added, id }: { readonly id: string; readonly added: () => void }) => {
  const field = useId()
  const every = useSignal("1d")
  const render = useSignal<Run["request"]["render"]>("auto")
  const adding = useAction(
    () => ask("POST", `/projects/${id}/site-health/schedules`, { body: { every: every.value, render: render.value } }),
    added
  )
  return (
    <form
      class="field"
      onSubmit={(event) => {
        event.preventDefault()
        adding.run()
      }}
    >
      <label for={field}>Crawl this site</label>
      <div>
        <select
          id={field}
          value={every.value}
          onChange={({ currentTarget }) => {
            every.value = currentTarget.value
          }}
        >
          {Object.entries(intervals).map(([value, text]) => (
            <option key={value} value={value}>
              {text}
            </option>
          ))}
        </select>
        <RenderChoice render={render} />
        <button type="submit" disabled={adding.isBusy}>
          Add schedule
        </button>
      </div>
      {adding.failure !== null && <Failed failure={adding.failure} />}
    </form>
  )
}

/** When the site is crawled automatically. */
const Schedule = ({ id }: { readonly id: string }) => {
  const schedules = useRead<ReadonlyArray<ScheduleType>>(`/projects/${id}/site-health/schedules?limit=25`)
  return (
    <>
      <h2>Schedule</h2>
      <Loaded read={schedules}>
        {(all) =>
          all.length === 0 ? (
            <Add id={id} added={schedules.reload} />
          ) : (
            <ul>
              {all.map((schedule) => (
                <Entry key={schedule.id} schedule={schedule} changed={schedules.reload} />
              ))}
            </ul>
          )
        }
      </Loaded>
    </>
  )
}

const CheckNow = ({ id }: { readonly id: string }) => {
  const render = useSignal<Run["request"]["render"]>("auto")
  const starting = useAction(
    () => ask<Run>("POST", `/projects/${id}/site-health/runs`, { body: { render: render.value } }),
    (run) => go(["runs", run.id])
  )
  return (
    <>
      <RenderChoice render={render} />
      <button type="button" disabled={starting.isBusy} onClick={starting.run}>
        Crawl now
      </button>
      {starting.failure !== null && <Failed failure={starting.failure} />}
    </>
  )
}

const rangeOf = ({ score }: HistoryPoint) =>
  score === null || score.range.low === score.range.high ? "" : `${score.range.low}–${score.range.high}`

/** The score of the latest crawls, up to a hundred, with its range where URLs could not be verified. */
const History = ({ history }: { readonly history: ReadonlyArray<HistoryPoint> }) => (
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
            <a href={`#/runs/${run_id}`}>
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
const Failing = ({ run }: { readonly run: string }) => {
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
                    cell: ({ rule }) => <a href={hashOf(["runs", run], { rule })}>{ruleOf(rule).title}</a>,
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
const Runs = ({ id }: { readonly id: string }) => {
  const runs = usePages<Run>(`/projects/${id}/site-health/runs`, 10)
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
                    <a href={`#/runs/${id}`}>
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

/** A site without a completed crawl: why, and what to do. */
const Uncrawled = ({ id }: { readonly id: string }) => {
  const failed = useFailedCrawl(id)
  return (
    <Empty title="No completed crawl yet">
      {failed !== null && <p class="bad">{failed}</p>}
      Use “Crawl now” to get a score and see what to fix first.
    </Empty>
  )
}

/** One site: its score over time, its issues, its schedule and its crawls. */
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
