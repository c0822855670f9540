import { useSignal } from "@preact/signals"
import { useEffect } from "preact/hooks"
import type { Failure } from "../api/Send.ts"
import { isVisible } from "../Place.ts"
import { plural } from "./Formats.ts"

const headings: Readonly<Record<number, string>> = {
  0: "No answer",
  403: "This key may not do that",
  404: "Not found",
  409: "Not now",
  422: "Something is not right",
  429: "Too much at once"
}

/** Counts the seconds of a wait down, then does what was waited for as soon as the tab is seen. */
const Countdown = ({
  failure,
  seconds,
  then
}: {
  readonly failure: Failure
  readonly seconds: number
  readonly then: (() => void) | undefined
}) => {
  const left = useSignal(seconds)
  const isOver = left.value <= 0
  const isSeen = isVisible.value
  useEffect(() => {
    left.value = seconds
    const end = Date.now() + seconds * 1000
    const timer = setInterval(() => {
      left.value = Math.max(0, Math.ceil((end - Date.now()) / 1000))
    }, 250)
    return () => clearInterval(timer)
  }, [failure])
  useEffect(() => {
    if (isOver && isSeen) then?.()
  }, [isOver, isSeen])
  return (
    <p role="timer">
      {isOver
        ? "It can be tried again."
        : `${then === undefined ? "It can be tried again" : "It is tried again"} in ${plural(left.value, "second")}.`}
    </p>
  )
}

/** What went wrong, with what a support case needs: code and request id. A read can be tried again. */
export const Failed = ({ failure, retry }: { readonly failure: Failure; readonly retry?: () => void }) => {
  const { code, details, message, requestId, retryAfter, status } = failure
  return (
    <div class="failed">
      <div role="alert">
        <strong>{headings[status] ?? "The server could not do that"}</strong>
        <p>{message}</p>
        {details.length > 1 && (
          <ul>
            {details.map((problem) => (
              <li key={problem.path}>
                <code>{problem.path}</code> {problem.message}
              </li>
            ))}
          </ul>
        )}
      </div>
      {retryAfter !== null && <Countdown failure={failure} seconds={retryAfter} then={retry} />}
      <p class="quiet">
        <code>{code}</code>
        {requestId !== null && (
          <>
            {" "}
            · request <code>{requestId}</code>
          </>
        )}
      </p>
      {retry !== undefined && status !== 403 && status !== 404 && (
        <button type="button" onClick={retry}>
          Try again
        </button>
      )}
    </div>
  )
}
