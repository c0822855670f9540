import { useSignal } from "@preact/signals"
import type { ComponentChildren } from "preact"
import { useEffect } from "preact/hooks"
import { verdictWords } from "../../../../crawl/report/Labels.ts"
import { verdictOn } from "../../../../crawl/report/ScoreVerdict.ts"
import type { Read } from "../api/Read.ts"
import type { Failure } from "../api/Send.ts"
import { isVisible, now } from "../Place.ts"
import { headingOf } from "./ErrorHeadings.ts"
import { absolute, count, none, plural, relative } from "./Formats.ts"

/** Counts down, then retries as soon as the tab is visible. */
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
        ? "You can try again now."
        : then === undefined
          ? `Try again in ${plural(left.value, "second")}.`
          : `Retrying in ${plural(left.value, "second")}…`}
    </p>
  )
}

/** An error with its code and request id for support, and a retry button if a retry helps. */
export const Failed = ({ failure, retry }: { readonly failure: Failure; readonly retry?: () => void }) => {
  const { code, details, message, requestId, retryAfter, status } = failure
  return (
    <div class="failed">
      <div role="alert">
        <strong>{headingOf(code)}</strong>
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

/** A link to another host, in a new tab without access to this one. Only web URLs become links; others stay text. */
export const Outside = ({ href, text = href }: { readonly href: string; readonly text?: string }) =>
  /^https?:\/\//.test(href) ? (
    <a href={href} target="_blank" rel="noopener noreferrer" class={text === href ? undefined : "outside"}>
      {text}
    </a>
  ) : (
    text
  )

/** The data of a read, its error, or that it is loading. Data stay on the screen when a reload fails. */
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

/** An empty list: its purpose, the next step, and the way through the API. */
export const Empty = ({
  api,
  children,
  title
}: {
  readonly title: string
  readonly children: ComponentChildren
  readonly api?: ComponentChildren
}) => (
  <div class="empty">
    <strong>{title}</strong>
    <div>{children}</div>
    {api !== undefined && <p class="quiet">Use the API: {api}</p>}
  </div>
)

/** A highlighted short word. The word itself also tells the tone. */
export const Tag = ({ text, tone }: { readonly text: string; readonly tone: "bad" | "good" | "quiet" | "warn" }) => (
  <span class={`tag ${tone}`}>{text}</span>
)

const toneOf = { critical: "bad", info: "quiet", warning: "warn" } as const

export const Severity = ({ severity }: { readonly severity: keyof typeof toneOf }) => (
  <Tag text={severity} tone={toneOf[severity]} />
)

/** A score with the verdict on its crawl, and a mark where a limit ended the crawl before every page was read. */
export const Score = ({
  critical = 0,
  isPartial = false,
  score
}: {
  readonly score: number | null
  readonly critical?: number
  readonly isPartial?: boolean
}) => {
  if (score === null) return <>{none}</>
  const verdict = verdictOn(score, critical)
  return (
    <>
      <span class={`score ${verdict}`}>
        <b>{score}</b> <small>{verdictWords[verdict]}</small>
      </span>
      {isPartial && <small class="quiet"> partial crawl</small>}
    </>
  )
}

/** A change, better when higher, with arrow and colour; the arrow has a name for screen readers. A change that is written as 0 is none. */
export const Change = ({
  by,
  format = count
}: {
  readonly by: number | null
  readonly format?: (size: number) => string
}) => {
  if (by === null) return <>{none}</>
  const size = format(Math.abs(by))
  if (size === format(0)) return <span class="quiet">no change</span>
  return (
    <span class={by > 0 ? "good" : "bad"}>
      <span role="img" aria-label={by > 0 ? "up" : "down"}>
        {by > 0 ? "▲" : "▼"}
      </span>{" "}
      {size}
    </span>
  )
}

/** A point in time, relative and absolute. */
export const When = ({ at }: { readonly at: string | null }) => {
  if (at === null) return <>{none}</>
  const time = Date.parse(at)
  return (
    <time dateTime={at}>
      {relative(time, now.value)} <small>{absolute(time)}</small>
    </time>
  )
}
