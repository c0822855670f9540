import * as Schema from "effect/Schema"

/** Requests a second to one host, at most. */
export const RequestRate = Schema.Number.pipe(Schema.filter((rate) => rate > 0 && rate <= 1000)).annotations({
  message: () => ({ message: "must be a number above 0 and at most 1000, such as 2 or 0.5", override: true })
})

/** The pace of requests to one host: an immutable state, changed by the host's answers. */
export interface Pace {
  /** Requests that may be in flight now. */
  readonly limit: number
  /** Requests that may be in flight when all is well. */
  readonly ceiling: number
  /** Milliseconds between the starts of two requests (Crawl-delay, or the rate of the run where that is slower). */
  readonly gap: number
  /** Nothing starts before this moment (epoch ms). */
  readonly pausedUntil: number
  /** When the last pause began; answers to older requests do not lengthen the next one. */
  readonly pausedAt: number
  /** Pauses in a row without a good answer in between. */
  readonly pauses: number
  /** Good answers since the limit last changed. */
  readonly streak: number
}

export const initial = (ceiling: number, gap = 0): Pace => ({
  limit: ceiling,
  ceiling,
  gap,
  pausedUntil: 0,
  pausedAt: -1,
  pauses: 0,
  streak: 0
})

/** A good answer ends the row of pauses; a round of them makes room for one more request. */
export const good = (pace: Pace): Pace => {
  const streak = pace.streak + 1
  const grows = pace.limit < pace.ceiling && streak >= pace.limit
  return { ...pace, pauses: 0, streak: grows ? 0 : streak, limit: grows ? pace.limit + 1 : pace.limit }
}

/** A lost or late answer halves what may be in flight. */
export const troubled = (pace: Pace): Pace => ({ ...pace, streak: 0, limit: Math.max(1, Math.floor(pace.limit / 2)) })

interface Throttle {
  readonly startedAt: number
  readonly now: number
  /** `Retry-After` in milliseconds, null when absent. */
  readonly wait: number | null
  /** The first pause when the host names no time; it doubles twice. */
  readonly backoff: number
}

/** 429, 430 and 503 pause the whole host and leave one request in flight afterwards. */
export const throttled = (pace: Pace, { backoff, now, startedAt, wait }: Throttle): Pace => {
  const known = startedAt < pace.pausedAt
  const own = known ? 0 : backoff * 2 ** Math.min(pace.pauses, 2)
  const until = now + (wait ?? own)
  return {
    ...pace,
    limit: 1,
    streak: 0,
    pausedUntil: Math.max(pace.pausedUntil, until),
    pausedAt: known ? pace.pausedAt : now,
    pauses: known ? pace.pauses : pace.pauses + 1
  }
}

/** Crawl-delay: one request at a time, their starts at least this far apart. */
export const spaced = (pace: Pace, gap: number): Pace => ({
  ...pace,
  gap: Math.max(pace.gap, gap),
  ceiling: 1,
  limit: 1
})
