import { useSignal } from "@preact/signals"
import type { ComponentChildren } from "preact"
import { useEffect, useRef } from "preact/hooks"
import type { Finding, Fix, Result, Rule, Run, RunWithResult, Verification } from "../api/Contract.ts"
import { isFinal, useAction, useRead, useRun } from "../api/Read.ts"
import { ask } from "../api/Session.ts"
import { announcement, route } from "../Place.ts"
import { absolute, count, plural, rounded } from "../parts/Formats.ts"
import { Failed, Loaded, Outside, Severity, Tag } from "../parts/Status.tsx"
import { Details, Rows } from "../parts/Tables.tsx"

const phases: Readonly<Record<Run["phase"], string>> = {
  analysing: "Analyzing pages",
  crawling: "Crawling pages",
  finished: "Finished",
  preparing: "Fetching robots.txt, the start page and sitemaps",
  queued: "Waiting for a worker"
}

/** A running crawl. Screen readers hear the phase; counts and URLs change too often for that. */
export const Live = ({ run }: { readonly run: Run }) => {
  const { counters, deadline_at, last_url, phase, request } = run
  useEffect(() => {
    announcement.value = phases[phase]
    return () => {
      announcement.value = ""
    }
  }, [phase])
  return (
    <>
      <p>
        <strong>{phases[phase]}</strong>
      </p>
      <progress
        aria-label="Pages crawled"
        max={request.max_pages}
        value={phase === "crawling" ? (counters?.pages_fetched ?? 0) : undefined}
      />
      <p>
        {counters === null
          ? `Up to ${plural(request.max_pages, "page")}`
          : `${count(counters.pages_fetched)} of up to ${plural(request.max_pages, "page")} crawled · ${count(counters.pages_discovered)} discovered · ${count(counters.pages_failed)} unreachable`}
      </p>
      <p class="quiet address">{last_url === null ? "" : `Latest URL: ${last_url}`}</p>
      {deadline_at !== null && <p class="quiet">Finishes by {absolute(Date.parse(deadline_at))} at the latest</p>}
    </>
  )
}

const verdicts = {
  fixed: { text: "fixed", tone: "good" },
  not_assessable: { text: "not checked", tone: "warn" },
  still_failing: { text: "still failing", tone: "bad" }
} as const

/** The result of a recheck: how many pages are fixed, and a row for each issue and URL. */
export const Verdicts = ({
  ruleOf,
  verification
}: {
  readonly verification: ReadonlyArray<Verification>
  readonly ruleOf: (id: string) => Rule
}) => {
  const fixed = verification.filter(({ verdict }) => verdict === "fixed").length
  return (
    <>
      <p>
        Fixed: {fixed} of {plural(verification.length, "affected page")}
      </p>
      <Rows
        caption="Results of the recheck"
        name="results"
        keyOf={({ rule, url }) => `${rule} ${url}`}
        rows={verification}
        columns={[
          { cell: ({ url }) => <Outside href={url} />, kind: "address", name: "Page" },
          { cell: ({ rule }) => ruleOf(rule).title, name: "Issue" },
          { cell: ({ verdict }) => <Tag {...verdicts[verdict]} />, name: "Result" },
          { cell: ({ detail }) => detail, kind: "address", name: "Details" }
        ]}
      />
    </>
  )
}

type Item = Finding["evidence"]["items"][number]

const evidenceSize = 10

const Evidence = ({ finding }: { readonly finding: Finding }) => (
  <>
    {finding.evidence.reason !== null && <p class="quiet">{finding.evidence.reason}</p>}
    <Rows
      caption="Affected pages"
      name="affected pages"
      size={evidenceSize}
      keyOf={({ detail, markup = "", url }: Item) => `${url} ${detail} ${markup}`}
      rows={finding.evidence.items}
      columns={[
        {
          cell: ({ shared_by, url }) => (
            <>
              <Outside href={url} />
              {shared_by !== undefined && <small>and {plural(shared_by - 1, "other page")}</small>}
            </>
          ),
          kind: "address",
          name: "Page"
        },
        {
          cell: ({ detail, markup, place, value }) => (
            <>
              {detail}
              {value !== undefined && value !== detail && (
                <>
                  {" "}
                  <code>{value}</code>
                </>
              )}
              {markup !== undefined && (
                <small>
                  {place !== undefined && `In ${place}: `}
                  <code>{markup}</code>
                </small>
              )}
            </>
          ),
          kind: "address",
          name: "Details"
        }
      ]}
    />
  </>
)

/** The prompt for a coding agent. Browsers allow writing to the clipboard on secure origins only; elsewhere the text is selected. */
export const Prompt = ({ text }: { readonly text: string }) => {
  const shown = useRef<HTMLTextAreaElement>(null)
  const said = useSignal("")
  const tell = (words: string) => {
    said.value = words
    announcement.value = words
  }
  const copy = () =>
    Promise.resolve()
      .then(() => navigator.clipboard.writeText(text))
      .then(
        () => tell("Copied."),
        () => {
          shown.current?.select()
          tell("Couldn’t copy automatically. The text is selected: press Ctrl+C (⌘C).")
        }
      )
  return (
    <>
      <p class="actions">
        <button type="button" onClick={() => void copy()}>
          Copy prompt
        </button>
        <span class="quiet">{said.value}</span>
      </p>
      <textarea ref={shown} readOnly rows={8} aria-label="Prompt for a coding agent" value={text} />
    </>
  )
}

/** Rechecks the pages of one issue, and shows the result. */
const Verify = ({ rule, run }: { readonly run: Run; readonly rule: Rule }) => {
  const started = useSignal<string | null>(null)
  const verifying = useAction(
    () => ask<Run>("POST", `/runs/${run.id}/verify`, { body: { rules: [rule.rule] } }),
    ({ id }) => {
      started.value = id
    }
  )
  const followed = useRun(started.value)
  const isOver = followed.run !== null && isFinal(followed.run)
  const read = useRead<RunWithResult>(
    isOver && followed.run?.result_available ? `/runs/${followed.run.id}?include=result` : null
  )
  return (
    <>
      <p class="actions">
        <button
          type="button"
          disabled={verifying.isBusy || (started.value !== null && !isOver)}
          onClick={verifying.run}
        >
          Recheck pages
        </button>
        <span class="quiet">Fetches the affected pages again to confirm your fix</span>
      </p>
      {verifying.failure !== null && <Failed failure={verifying.failure} />}
      {followed.failure !== null && <Failed failure={followed.failure} retry={followed.reload} />}
      {followed.run !== null && !isOver && <Live run={followed.run} />}
      {followed.run?.error && <p class="bad">{followed.run.error.message}</p>}
      {read.isBusy || read.data !== null ? (
        <Loaded read={read}>
          {({ result }) => <Verdicts ruleOf={() => rule} verification={result?.verification ?? []} />}
        </Loaded>
      ) : null}
    </>
  )
}

/** An issue: what it means, how to fix it, the affected pages, and a recheck. */
const Repair = ({ finding, rule, run }: { readonly finding: Finding; readonly rule: Rule; readonly run: Run }) => {
  const fix = useRead<Fix>(`/runs/${run.id}/fixes/fix_${rule.rule}`)
  return (
    <div>
      <p>{rule.means}</p>
      <p>{rule.fix}</p>
      {rule.source !== "" && <p class="quiet">Source: {rule.source}</p>}
      <Evidence finding={finding} />
      <Loaded read={fix}>{({ agent_prompt }) => <Prompt text={agent_prompt} />}</Loaded>
      <Verify rule={rule} run={run} />
    </div>
  )
}

const ranks = { critical: 0, info: 2, warning: 1 } as const

/** Issues by severity, then by number of affected pages. */
const worstFirst = (findings: ReadonlyArray<Finding>): ReadonlyArray<Finding> =>
  findings
    .filter(({ status }) => status === "fail")
    .toSorted((a, b) => ranks[a.severity] - ranks[b.severity] || b.count - a.count)

/** One issue in the list; opening it shows its details. */
const Entry = ({
  finding,
  points,
  rule,
  run
}: {
  readonly finding: Finding
  readonly points: number
  readonly rule: Rule
  readonly run: Run
}) => (
  <Details
    kind={`finding ${finding.severity}`}
    isAsked={route.value.query.get("rule") === finding.rule}
    summary={
      <>
        <Severity severity={finding.severity} /> {rule.title}{" "}
        <small>
          {plural(finding.count, "page")}
          {points >= 0.1 && `, −${rounded(points)} points`}
        </small>
      </>
    }
  >
    {() => <Repair finding={finding} rule={rule} run={run} />}
  </Details>
)

/** The issues of a crawl, the most severe first, and its checks without a result. */
export const Findings = ({
  result,
  ruleOf,
  run
}: {
  readonly result: Result
  readonly ruleOf: (id: string) => Rule
  readonly run: Run
}) => {
  const failing = worstFirst(result.findings)
  const open = result.findings.filter(({ status }) => status === "not_assessed")
  const passed = result.findings.length - failing.length - open.length
  const points = new Map(result.score.breakdown.lost.map(({ points, rule }) => [rule, points]))
  return (
    <>
      <h2>Issues</h2>
      <p>
        {failing.length === 0 ? "No issues" : plural(failing.length, "issue")} · {plural(passed, "check")} passed
      </p>
      {failing.map((finding) => (
        <Entry
          key={finding.rule}
          finding={finding}
          points={points.get(finding.rule) ?? 0}
          rule={ruleOf(finding.rule)}
          run={run}
        />
      ))}
      {open.length > 0 && (
        <Details summary={`${plural(open.length, "check")} without a result`}>
          {() => (
            <ul>
              {open.map(({ evidence, rule }) => (
                <li key={rule}>
                  {ruleOf(rule).title}: <span class="quiet">{evidence.reason}</span>
                </li>
              ))}
            </ul>
          )}
        </Details>
      )}
    </>
  )
}

/** One list of a comparison, left out when it is empty. */
export const Part = ({
  children,
  isOpen = false,
  size,
  title
}: {
  readonly title: string
  readonly size: number
  readonly isOpen?: boolean
  readonly children: () => ComponentChildren
}) =>
  size === 0 ? null : (
    <Details
      isOpen={isOpen}
      summary={
        <>
          {title} <small>{count(size)}</small>
        </>
      }
    >
      {children}
    </Details>
  )

/** Entries of a list on the screen; few, because several lists are open together. */
export const partSize = 10
