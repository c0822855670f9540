import { useSignal } from "@preact/signals"
import type { ComponentChildren } from "preact"
import { useEffect } from "preact/hooks"
import type { Read } from "../api/Read.ts"
import type { Failure } from "../api/Send.ts"
import { isVisible, now } from "../Place.ts"
import { absolute, change, none, plural, relative, words } from "./Formats.ts"

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

/** A link to another host, in a tab of its own that learns nothing of this one. Only web addresses become links; others stay text. */
export const Outside = ({ href, text = href }: { readonly href: string; readonly text?: string }) =>
  /^https?:\/\//.test(href) ? (
    <a href={href} target="_blank" rel="noopener noreferrer">
      {text}
    </a>
  ) : (
    text
  )

/** What was read, or that it is being read, or what went wrong. Data stay on the screen when they cannot be read anew. */
export const Loaded = <T,>({
  children,
  read
}: {
  readonly read: Read<T>
  readonly children: (data: T) => ComponentChildren
}) => (
  <>
    {read.failure !== null && <Failed failure={read.failure} retry={read.reload} />}
    {read.data === null ? read.isBusy && <p class="quiet">Loading…</p> : children(read.data)}
  </>
)

/** A list without entries: why, and what to do next. */
export const Empty = ({ children, title }: { readonly title: string; readonly children: ComponentChildren }) => (
  <div class="empty">
    <strong>{title}</strong>
    <div>{children}</div>
  </div>
)

/** A short word that stands out; its tone is said by the word as well. */
export const Tag = ({ text, tone }: { readonly text: string; readonly tone: "bad" | "good" | "quiet" | "warn" }) => (
  <span class={`tag ${tone}`}>{text}</span>
)

const toneOf = { critical: "bad", info: "quiet", warning: "warn" } as const

export const Severity = ({ severity }: { readonly severity: keyof typeof toneOf }) => (
  <Tag text={severity} tone={toneOf[severity]} />
)

/** The verdict that belongs to a score: `good` from 90, `needs_improvement` from 50. */
const verdictOf = (score: number) => (score >= 90 ? "good" : score >= 50 ? "needs_improvement" : "poor")

/** A score with its verdict in words. Above critical findings none is called good. */
export const Score = ({ critical = 0, score }: { readonly score: number | null; readonly critical?: number }) => {
  if (score === null) return <>{none}</>
  const verdict = verdictOf(score)
  const isFlawed = verdict === "good" && critical > 0
  return (
    <span class={`score ${isFlawed ? "needs_improvement" : verdict}`}>
      <b>{score}</b> <small>{isFlawed ? "with critical findings" : words(verdict)}</small>
    </span>
  )
}

/** A change that is better when it is higher: sign, arrow and colour say the same. */
export const Change = ({ by }: { readonly by: number | null }) => {
  if (by === null) return <>{none}</>
  if (by === 0) return <span class="quiet">no change</span>
  return (
    <span class={by > 0 ? "good" : "bad"}>
      <span aria-hidden="true">{by > 0 ? "▲" : "▼"}</span> {change(by)}
    </span>
  )
}

/** A point in time: how far it is, and when it is. */
export const When = ({ at }: { readonly at: string | null }) => {
  if (at === null) return <>{none}</>
  const time = Date.parse(at)
  return (
    <time dateTime={at}>
      {relative(time, now.value)} <small>{absolute(time)}</small>
    </time>
  )
}
