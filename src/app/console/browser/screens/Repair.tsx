import { useSignal } from "@preact/signals"
import { useRef } from "preact/hooks"
import { useAction } from "../api/Action.ts"
import type { Finding, Fix, Rule, Run, RunWithResult } from "../api/Contract.ts"
import { isFinal, useRun } from "../api/Follow.ts"
import { useRead } from "../api/Read.ts"
import { ask } from "../api/Request.ts"
import { announcement } from "../Place.ts"
import { Failed } from "../parts/Failed.tsx"
import { plural } from "../parts/Formats.ts"
import { Outside } from "../parts/Link.tsx"
import { Loaded } from "../parts/Loaded.tsx"
import { Rows } from "../parts/Rows.tsx"
import { Live } from "./Live.tsx"
import { Verdicts } from "./Verdicts.tsx"

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
      <p>{rule.fix}</p>
      {rule.source !== "" && <p class="quiet">Source: {rule.source}</p>}
      <Evidence finding={finding} />
      <Loaded read={fix}>{({ agent_prompt }) => <Prompt text={agent_prompt} />}</Loaded>
      <Verify rule={rule} run={run} />
    </div>
  )
}
