import type { Window } from "./Window.ts"

/** The middle value, or the mean of the two in the middle; 0 of nothing. */
export const median = (values: ArrayLike<number>): number => {
  const sorted = Float64Array.from(values).sort()
  const half = Math.floor(sorted.length / 2)
  const upper = sorted[half] ?? 0
  return sorted.length % 2 === 1 ? upper : ((sorted[half - 1] ?? 0) + upper) / 2
}

/** κ never falls below this many clicks. */
const leastClicks = 20

/**
 * The weights of the pages, w = 1 / (1 + y₀/κ) with κ = max(20, median of y₀ over the pages of both arms), y₀ being clicks before the change: a page counts in
 * proportion to its clicks up to about κ, and ever less beyond, so that no page of a long tail outweighs the others.
 */
export const weigh = ({ y0 }: Window): { readonly kappa: number; readonly weights: Float64Array } => {
  const kappa = Math.max(leastClicks, median(y0))
  return { kappa, weights: y0.map((clicks) => 1 / (1 + clicks / kappa)) }
}
