import { change, none, words } from "./Formats.ts"

/** A short word that stands out; its tone is said by the word as well. */
export const Tag = ({ text, tone }: { readonly text: string; readonly tone: "bad" | "good" | "quiet" | "warn" }) => (
  <span class={`tag ${tone}`}>{text}</span>
)

const toneOf = { critical: "bad", info: "quiet", warning: "warn" } as const

export const Severity = ({ severity }: { readonly severity: keyof typeof toneOf }) => (
  <Tag text={severity} tone={toneOf[severity]} />
)

/** The verdict that belongs to a score: `good` from 90, `needs_improvement` from 50. */
export const verdictOf = (score: number) => (score >= 90 ? "good" : score >= 50 ? "needs_improvement" : "poor")

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
