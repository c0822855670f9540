import type { Keyword } from "../api/Contract.ts"
import { wordsOf } from "./RankingWords.ts"

const tones = { climbing: "good", dropping: "bad", lost: "bad", new: "good", stable: "quiet" } as const
const signs = { climbing: "▲", dropping: "▼", lost: "▼", new: "▲", stable: "" } as const

/** How a query moved: positions, sign and word say it, the colour as well. */
export const Movement = ({ of }: { readonly of: Keyword }) => (
  <span class={tones[of.ranking_status]}>
    <span aria-hidden="true">{signs[of.ranking_status]}</span> {wordsOf(of)}
  </span>
)
