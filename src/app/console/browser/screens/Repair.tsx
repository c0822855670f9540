import { useSignal } from "@preact/signals"
import type { Finding, Fix, Rule, Run, RunWithResult, Verification } from "../api/Contract.ts"
import { isFinal, useAction, useRead, useRun } from "../api/Read.ts"
import { ask, may } from "../api/Session.ts"
import { announcement } from "../Place.ts"
import { Download, Lacks } from "../parts/Acts.tsx"
import { useCopy } from "../parts/Copy.ts"
import { count, pathOf, plural } from "../parts/Formats.ts"
import { Failed, Loaded, Outside, Tag } from "../parts/Status.tsx"
import { Details, Rows } from "../parts/Tables.tsx"
import { Live } from "./Crawling.tsx"

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

/** The affected pages of an issue, with the whole list as a file. */
const Evidence = ({
  finding,
  run,
  title
}: {
  readonly finding: Finding
  readonly run: string
  readonly title: string
}) => (
  <>
    <div class="toolbar">
      <h4>Affected pages ({count(finding.count)})</h4>
      <Download
        action="Export CSV"
        name={`${finding.rule}.csv`}
        path={`/runs/${run}/findings?rows=url&rule=${finding.rule}`}
      />
    </div>
    {finding.evidence.reason !== null && <p class="quiet">There may be more: {finding.evidence.reason}.</p>}
    <Rows
      caption="Affected pages"
      name={`affected pages: ${title}`}
      size={evidenceSize}
      keyOf={({ detail, markup = "", url }: Item) => `${url} ${detail} ${markup}`}
      rows={finding.evidence.items}
      columns={[
        {
          cell: ({ shared_by, url }) => (
            <>
              <Outside href={url} text={pathOf(url)} />
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

/** The prompt for a coding agent, with a button that copies it. */
export const Prompt = ({ text }: { readonly text: string }) => {
  const { copy, field, said } = useCopy<HTMLTextAreaElement>(
    text,
    "Couldn’t copy automatically. The text is selected: press Ctrl+C (⌘C).",
    (words) => {
      announcement.value = words
    }
  )
  return (
    <>
      <p class="actions">
        <button type="button" onClick={copy}>
          Copy prompt
        </button>
        <span class="quiet">{said}</span>
      </p>
      <textarea ref={field} readOnly rows={8} aria-label="Prompt for a coding agent" value={text} />
    </>
  )
}

const scope = "site-health:write"

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
          class="main"
          disabled={verifying.isBusy || (started.value !== null && !isOver) || !may(scope)}
          onClick={verifying.run}
        >
          Recheck pages
        </button>
        <Lacks scope={scope} />
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

/** An issue: what it means, why it matters, how to fix it, the affected pages, a prompt, and a recheck. */
export const Repair = ({
  finding,
  rule,
  run
}: {
  readonly finding: Finding
  readonly rule: Rule
  readonly run: Run
}) => {
  const fix = useRead<Fix>(`/runs/${run.id}/fixes/fix_${rule.rule}`)
  return (
    <div>
      <p>{rule.means}</p>
      <Loaded read={fix}>{({ why_it_matters }) => <p>{why_it_matters}</p>}</Loaded>
      <p>
        <strong>How to fix:</strong> {rule.fix}
        {rule.source !== "" && <small class="quiet"> Source: {rule.source}</small>}
      </p>
      <Evidence finding={finding} run={run.id} title={rule.title} />
      {fix.data !== null && (
        <Details summary="Prompt for a coding agent">{() => <Prompt text={fix.data?.agent_prompt ?? ""} />}</Details>
      )}
      <Verify rule={rule} run={run} />
    </div>
  )
}
