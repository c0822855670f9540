import type { ComponentChildren } from "preact"
import { effortWords } from "../../../../crawl/report/Labels.ts"
import type { HistoryPoint, Result, Rule, Run, RunWithResult } from "../api/Contract.ts"
import { useRules } from "../api/Read.ts"
import { route } from "../Place.ts"
import { Download } from "../parts/Acts.tsx"
import { count, duration, plural, points as pointWords, rounded, share } from "../parts/Formats.ts"
import { Change, Score, When } from "../parts/Status.tsx"
import { Tabs } from "../parts/Tables.tsx"
import { hashOf } from "../Routes.ts"
import { Compare } from "./Changes.tsx"
import { Access, CrawledPages, Links } from "./Crawled.tsx"
import { secondsOf } from "./CrawlWords.ts"
import { FailedCrawl } from "./FailedCrawl.tsx"
import { Issues } from "./Findings.tsx"

/** A run is a crawl of a site, or a recheck of the issues of an earlier one. */
export const kindOf = ({ request }: Run) => (request.verify === null ? "Crawl" : "Recheck")

const endings: Readonly<Record<Run["status"], string>> = {
  cancelled: "stopped. No report was saved.",
  completed: "complete.",
  failed: "failed.",
  partial: "ended at a limit.",
  queued: "waiting for a worker.",
  running: "in progress."
}

/** How and when a crawl ended. */
export const Ending = ({ run }: { readonly run: Run }) => {
  const { counters, finished_at, status } = run
  if (status === "failed") return <FailedCrawl run={run} />
  const took = secondsOf(run)
  return (
    <p>
      {kindOf(run)} {endings[status]}{" "}
      <span class="quiet">
        <When at={finished_at} />
        {took !== null && ` · ${duration(took)}`}
        {counters !== null && ` · ${plural(counters.pages_fetched, "page")} crawled`}
      </span>
    </p>
  )
}

/** Why a partial crawl did not cover the whole site; null for a complete one. */
const partialWords = ({ limits, pages, robots, termination }: Result["summary"]): string | null => {
  if (termination === "complete") return null
  const limit =
    termination === "max-pages"
      ? `the limit of ${plural(limits.max_pages, "page")}`
      : `the time limit of ${duration(limits.deadline_seconds)}`
  const { crawl_delay_allows, crawl_delay_seconds } = robots
  const delay =
    crawl_delay_seconds === null || crawl_delay_allows === null
      ? ""
      : ` robots.txt sets a Crawl-delay of ${duration(crawl_delay_seconds)}, which allows ${plural(crawl_delay_allows, "request")}.`
  return `Partial crawl: stopped at ${limit}. ${plural(pages.skipped, "discovered URL")} not crawled; only crawled pages count.${delay}`
}

/** Fixes that are offered beside the score. */
const mostFixes = 5

/** The fixes that raise the score most: the points of each, its pages, and its effort. */
const TopFixes = ({
  path,
  result,
  titleOf
}: {
  readonly path: ReadonlyArray<string>
  readonly result: Result
  readonly titleOf: (rule: string) => string
}) => {
  const lost = result.score.breakdown.lost.toSorted((a, b) => b.points - a.points)
  const found = new Map(result.findings.map((finding) => [finding.rule, finding]))
  if (lost.length === 0) return null
  return (
    <div>
      <h2>Top fixes</h2>
      <ol class="costs">
        {lost.slice(0, mostFixes).map(({ points, rule }) => {
          const finding = found.get(rule)
          return (
            <li key={rule}>
              <b class="good">+{rounded(points)}</b>
              <span>
                {finding?.status === "fail" ? <a href={hashOf(path, { rule })}>{titleOf(rule)}</a> : titleOf(rule)}{" "}
                {finding && (
                  <small class="quiet">
                    {plural(finding.count, "page")}
                    {finding.effort && ` · ${effortWords[finding.effort]}`}
                  </small>
                )}
              </span>
            </li>
          )
        })}
      </ol>
      {lost.length > mostFixes && (
        <p class="quiet">
          +{rounded(lost.slice(mostFixes).reduce((sum, { points }) => sum + points, 0))} points from{" "}
          {plural(lost.length - mostFixes, "other issue")}
        </p>
      )}
    </div>
  )
}

/** The score with its range, its change and the fixes that raise it most. */
const ScoreCard = ({
  earlier,
  path,
  result,
  run: { findings, score },
  titleOf
}: {
  readonly earlier: HistoryPoint | undefined
  readonly path: ReadonlyArray<string>
  readonly result: Result
  readonly run: Run
  readonly titleOf: (rule: string) => string
}) => {
  if (score === null) return <p class="card">No score: no page could be crawled.</p>
  const { aggregate_score, coverage, provisional, range } = score
  const before = earlier?.score?.aggregate_score
  return (
    <div class="card split">
      <div>
        <p class="big">
          <Score score={aggregate_score} critical={findings?.critical ?? 0} />
        </p>
        {before !== undefined && (
          <p>
            <Change by={aggregate_score - before} format={pointWords} /> vs. previous crawl ({before})
          </p>
        )}
        {findings !== null && (
          <p>
            {plural(findings.critical, "critical issue")} · {plural(findings.warning, "warning")} · {findings.info} info
          </p>
        )}
        {range.low !== range.high && (
          <p>
            Score range {range.low}–{range.high}, because some URLs could not be verified.
            {provisional && " Provisional: these URLs may change the rating."}
          </p>
        )}
        <p class="quiet">Coverage: {share(coverage)} of pages checked</p>
      </div>
      <TopFixes path={path} result={result} titleOf={titleOf} />
    </div>
  )
}

interface ViewProperties {
  readonly run: RunWithResult
  readonly result: Result
  readonly ruleOf: (id: string) => Rule
  readonly earlier: ReadonlyArray<HistoryPoint>
}

interface View {
  readonly name: string
  readonly value: string
  readonly show: (properties: ViewProperties) => ComponentChildren
  readonly size?: (result: Result) => number
}

const failing = ({ findings }: Result) => findings.filter(({ status }) => status === "fail").length

/** The parts of a report, in the order of their tabs. */
const views: ReadonlyArray<View> = [
  {
    name: "Issues",
    show: ({ result, ruleOf, run }) => <Issues result={result} ruleOf={ruleOf} run={run} />,
    size: failing,
    value: ""
  },
  {
    name: "Pages",
    show: ({ result, run }) => <CrawledPages run={run.id} summary={result.summary} />,
    size: ({ pages }) => pages.length,
    value: "pages"
  },
  {
    name: "Links",
    show: ({ result, run }) => <Links run={run.id} summary={result.summary} />,
    size: ({ summary }) => summary.dead_links.found + summary.external_links.found,
    value: "links"
  },
  { name: "Access", show: ({ result }) => <Access summary={result.summary} />, value: "access" },
  { name: "Compare", show: ({ earlier, run }) => <Compare earlier={earlier} run={run.id} />, value: "compare" }
]

/** The report of a crawl: its score, and its parts as tabs. */
export const Report = ({
  history,
  path,
  run,
  view = route.value.query.get("view") ?? ""
}: {
  readonly run: RunWithResult
  readonly history: ReadonlyArray<HistoryPoint>
  /** The path of the screen, for links to its parts. */
  readonly path: ReadonlyArray<string>
  readonly view?: string
}) => {
  const ruleOf = useRules()
  const { finished_at, result } = run
  if (!result) return null
  const earlier = history.filter((point) => point.finished_at < (finished_at ?? ""))
  const shown = views.find(({ value }) => value === view) ?? views[0]
  const partial = partialWords(result.summary)
  return (
    <>
      {partial !== null && <p class="note">{partial}</p>}
      <ScoreCard earlier={earlier[0]} path={path} result={result} run={run} titleOf={(rule) => ruleOf(rule).title} />
      <div class="toolbar">
        <Tabs
          label="Parts of the report"
          of={views
            .filter(({ value }) => value !== "compare" || earlier.length > 0)
            .map(({ name, size, value }) => ({
              href: hashOf(path, { view: value }),
              isCurrent: value === shown?.value,
              name: size === undefined ? name : `${name} ${count(size(result))}`
            }))}
        />
        <Download
          action="Download report"
          accept="text/html"
          name={`crawl-${(finished_at ?? "").slice(0, 10)}.html`}
          path={`/runs/${run.id}/report`}
        />
      </div>
      {shown?.show({ earlier, result, ruleOf, run })}
    </>
  )
}
