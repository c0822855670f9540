import { useAction } from "../api/Action.ts"
import type { Run as RunType } from "../api/Contract.ts"
import { isFinal, useRun } from "../api/Follow.ts"
import { ask } from "../api/Request.ts"
import { Failed } from "../parts/Failed.tsx"
import { hostOf } from "../parts/Formats.ts"
import { Page } from "../parts/Page.tsx"
import { Finished } from "./Finished.tsx"
import { Live } from "./Live.tsx"

const Stop = ({ id }: { readonly id: string }) => {
  const stopping = useAction(
    () => ask<RunType>("POST", `/runs/${id}/cancel`),
    () => {}
  )
  return (
    <>
      <button type="button" disabled={stopping.isBusy} onClick={stopping.run}>
        Stop
      </button>
      {stopping.failure !== null && <Failed failure={stopping.failure} />}
    </>
  )
}

const titleOf = (run: RunType | null) =>
  run === null ? "Run" : `${run.request.verify === null ? "Run" : "Verification"} of ${hostOf(run.request.url)}`

/** One run, from the moment at which it is asked for until what it found. */
export const Run = ({ id }: { readonly id: string }) => {
  const { failure, reload, run } = useRun(id)
  return (
    <Page title={titleOf(run)} back={run === null ? undefined : [`#/sites/${run.project_id}`, "The site"]}>
      {failure !== null && <Failed failure={failure} retry={reload} />}
      {run === null ? (
        failure === null && <p class="quiet">Loading…</p>
      ) : isFinal(run) ? (
        <Finished run={run} />
      ) : (
        <>
          <Live run={run} />
          <Stop id={id} />
        </>
      )}
    </Page>
  )
}
