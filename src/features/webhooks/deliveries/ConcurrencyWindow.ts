/** How many attempts a process may have under way to one subscription, and whether its receiver is kept apart from quick ones. */
export interface ConcurrencyWindow {
  readonly size: number
  readonly slow: boolean
}

/** One attempt, as it bears on the window. */
export interface AttemptResult {
  readonly accepted: boolean
  readonly milliseconds: number
}

/** Attempts under way at once to one subscription at most, however quick its receiver is. */
export const most = 64

/** An answer within this time is quick; one that takes longer than the second is slow. */
const quick = 500
export const slowAfter = 1000

/** A receiver that is not known yet gets one attempt. */
export const initial: ConcurrencyWindow = { size: 1, slow: false }

/** One more after each quick acceptance, which doubles the window in a round trip; half as many after a slow answer or a failure. */
export const after = ({ size }: ConcurrencyWindow, { accepted, milliseconds }: AttemptResult): ConcurrencyWindow => {
  if (accepted && milliseconds <= quick) return { size: Math.min(most, size + 1), slow: false }
  if (accepted && milliseconds <= slowAfter) return { size, slow: false }
  return { size: Math.max(1, Math.floor(size / 2)), slow: true }
}
