import type { ScoreStatus } from "./SiteScore.ts"

/** The rating of a score. */
export const ratingOf = (score: number): ScoreStatus =>
  score >= 90 ? "good" : score >= 50 ? "needs_improvement" : "poor"

/** The rating of a score, with another word instead of a good one while an issue is critical. */
export type ScoreVerdict = ScoreStatus | "needs_attention"

/** The one verdict on a crawl in reports, messages and the console, by its score and its number of critical issues. */
export const verdictOn = (score: number, critical: number): ScoreVerdict => {
  const rating = ratingOf(score)
  return rating === "good" && critical > 0 ? "needs_attention" : rating
}

/** Why an issue costs no points, by the title of the check that carries its score impact; null if none does. */
export const freeWords = (carrier: string | null): string =>
  carrier === null
    ? "No points lost: this issue is not part of the score."
    : `No points lost: “${carrier}” already counts this cause.`
