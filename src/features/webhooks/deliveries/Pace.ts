/** How many attempts a subscription may have under way in one process, and whether its receiver is kept apart from quick ones. */
export interface Pace {
  readonly window: number
  readonly slow: boolean
}

/** What an attempt told of its receiver. */
export interface Told {
  readonly accepted: boolean
  readonly milliseconds: number
}

/** Attempts under way at once to one subscription, however quick its receiver is. */
export const most = 64

/** An answer within this time is quick; one that takes longer than the second is slow. */
const quick = 500
export const slowAfter = 1000

/** Nothing is known of a receiver at first. */
export const initial: Pace = { slow: false, window: 1 }

/** One more after each quick acceptance, which doubles the window in a round trip; half as many after a slow answer or a failure. */
export const after = ({ window }: Pace, { accepted, milliseconds }: Told): Pace => {
  if (accepted && milliseconds <= quick) return { slow: false, window: Math.min(most, window + 1) }
  if (accepted && milliseconds <= slowAfter) return { slow: false, window }
  return { slow: true, window: Math.max(1, Math.floor(window / 2)) }
}
