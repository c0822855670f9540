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
  analysing: "Judging what was read",
  crawling: "Reading pages",
  finished: "Finished",
  preparing: "Reading robots.txt, the start page and sitemaps",
  queued: "Waiting for a worker"
}

/** A run on its way. The phase is announced; counts and addresses change too often for that. */
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
        aria-label="Pages read"
        max={request.max_pages}
        value={phase === "crawling" ? (counters?.pages_fetched ?? 0) : undefined}
      />
      <p>
        {counters === null
          ? `At most ${plural(request.max_pages, "page")}.`
          : `${plural(counters.pages_fetched, "page")} read of at most ${count(request.max_pages)}, ${count(counters.pages_discovered)} found, ${count(counters.pages_failed)} without an answer.`}
      </p>
      <p class="quiet address">{last_url === null ? "" : `Last read: ${last_url}`}</p>
      {deadline_at !== null && <p class="quiet">It is over at the latest {absolute(Date.parse(deadline_at))}.</p>}
    </>
  )
}

const verdicts = {
  fixed: { text: "repaired", tone: "good" },
  not_assessable: { text: "cannot be judged", tone: "warn" },
  still_failing: { text: "still failing", tone: "bad" }
} as const

/** What became of faults: how many are repaired, and a row for each rule and URL. */
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
        Repaired: {fixed} of {plural(verification.length, "fault")}.
      </p>
      <Rows
        caption="What became of each fault"
        name="faults"
        keyOf={({ rule, url }) => `${rule} ${url}`}
        rows={verification}
        columns={[
          { cell: ({ url }) => <Outside href={url} />, kind: "address", name: "Page" },
          { cell: ({ rule }) => ruleOf(rule).title, name: "Finding" },
          { cell: ({ verdict }) => <Tag {...verdicts[verdict]} />, name: "Verdict" },
          { cell: ({ detail }) => detail, kind: "address", name: "What is seen now" }
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
      caption="Evidence"
      name="pages with evidence"
      size={evidenceSize}
      keyOf={({ detail, markup = "", url }: Item) => `${url} ${detail} ${markup}`}
      rows={finding.evidence.items}
      columns={[
        {
          cell: ({ shared_by, url }) => (
            <>
              <Outside href={url} />
              {shared_by !== undefined && <small>and {plural(shared_by - 1, "other page")} with the same</small>}
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
          name: "What is seen"
        }
      ]}
    />
  </>
)

/** The instruction for a coding agent, to be copied. Browsers let pages write to the clipboard on secure origins alone: elsewhere the text is selected. */
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
          tell("It is selected: copy it with Ctrl+C.")
        }
      )
  return (
    <>
      <p class="actions">
        <button type="button" onClick={() => void copy()}>
          Copy the prompt
        </button>
        <span class="quiet">{said.value}</span>
      </p>
      <textarea ref={shown} readOnly rows={8} aria-label="Prompt for a coding agent" value={text} />
    </>
  )
}

/** Checks the faults of one rule again, and says what became of them. */
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
          Verify
        </button>
        <span class="quiet">checks these pages again, after a repair</span>
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

/** What a failing rule means, what it rests on, how to repair it, and whether it is repaired. */
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

/** Failing rules, the worst first: by severity, of one severity those on most pages. */
const worstFirst = (findings: ReadonlyArray<Finding>): ReadonlyArray<Finding> =>
  findings
    .filter(({ status }) => status === "fail")
    .toSorted((a, b) => ranks[a.severity] - ranks[b.severity] || b.count - a.count)

/** One failing rule, with what it rests on and what to do when it is opened. */
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

/** What a run found, the worst first, and what it could not judge. */
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
      <h2>Findings</h2>
      <p>
        {failing.length === 0 ? "No rule fails" : `${plural(failing.length, "rule fails", "rules fail")}`}, {passed}{" "}
        pass.
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
        <Details summary={`${plural(open.length, "rule")} could not be judged`}>
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

/** One list of a comparison: closed where it matters less, and left out where it is empty. */
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

/** Entries of such a list on the screen at a time: several lists are open at once. */
export const partSize = 10
