import * as Clock from "effect/Clock"
import * as Data from "effect/Data"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

/** Requests a second to one host, at most. */
export const RequestRate = Schema.Number.pipe(Schema.filter((rate) => rate > 0 && rate <= 1000)).annotations({
  message: () => ({ message: "must be a number above 0 and at most 1000, such as 2 or 0.5", override: true })
})

/** The pace of requests to one host: an immutable state, changed by the host's responses. */
export interface Pace {
  /** Requests that may be in flight now. */
  readonly limit: number
  /** Requests that may be in flight without trouble. */
  readonly ceiling: number
  /** Milliseconds between the starts of two requests (the longer of Crawl-delay and the crawl's own gap). */
  readonly gap: number
  /** No request starts before this moment (epoch ms). */
  readonly pausedUntil: number
  /** Start of the last pause; responses to older requests do not lengthen the next one. */
  readonly pausedAt: number
  /** Pauses in a row without a good response between them. */
  readonly pauses: number
  /** Good responses since the limit last changed. */
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

/** A good response resets the pauses; `limit` good responses in a row add one concurrent request. */
export const good = (pace: Pace): Pace => {
  const streak = pace.streak + 1
  const grows = pace.limit < pace.ceiling && streak >= pace.limit
  return { ...pace, pauses: 0, streak: grows ? 0 : streak, limit: grows ? pace.limit + 1 : pace.limit }
}

/** A lost or late response halves the limit. */
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
const spaced = (pace: Pace, gap: number): Pace => ({
  ...pace,
  gap: Math.max(pace.gap, gap),
  ceiling: 1,
  limit: 1
})

/** No request can start before the crawl's deadline: the host asked for a longer pause, or its crawl delay leaves no room. */
export class OutOfTime extends Data.TaggedError("OutOfTime")<{
  readonly reason: "paused" | "crawl_delay" | "deadline"
}> {}

/** Feedback of an exchange about the host. */
export type Sign =
  | { readonly _tag: "Good" }
  | { readonly _tag: "Troubled" }
  | { readonly _tag: "Throttled"; readonly wait: number | null }

/** Runs requests to one host, first come first served, at the pace that the host can bear. */
export interface HostLimiter {
  readonly through: <A, E, R>(
    exchange: Effect.Effect<A, E, R>,
    read: (answer: A) => Sign
  ) => Effect.Effect<A, E | OutOfTime, R>
  /** Starts requests at least `millis` apart, from the next one on. */
  readonly space: (millis: number) => Effect.Effect<void>
}

interface Settings {
  readonly ceiling: number
  /** Epoch ms. */
  readonly deadlineAt: number
  readonly backoff: number
  /** Minimum milliseconds between the starts of two requests; default 0. */
  readonly gap?: number
}

export const make = Effect.fnUntraced(function* ({ backoff, ceiling, deadlineAt, gap = 0 }: Settings) {
  const turnstile = yield* Effect.makeSemaphore(1)
  let pace = initial(ceiling, gap)
  let inFlight = 0
  let lastStart = Number.NEGATIVE_INFINITY
  let left = yield* Deferred.make<void>()

  const outOfTime = (now: number): OutOfTime | null => {
    if (pace.pausedUntil >= deadlineAt) return new OutOfTime({ reason: "paused" })
    if (lastStart + pace.gap >= deadlineAt) return new OutOfTime({ reason: "crawl_delay" })
    return now >= deadlineAt ? new OutOfTime({ reason: "deadline" }) : null
  }

  const ready: Effect.Effect<number, OutOfTime> = Effect.flatMap(Clock.currentTimeMillis, (now) => {
    const late = outOfTime(now)
    if (late !== null) return late
    const opensAt = Math.max(pace.pausedUntil, lastStart + pace.gap)
    if (opensAt > now) return Effect.zipRight(Effect.sleep(opensAt - now), ready)
    if (inFlight >= pace.limit) return Effect.zipRight(Deferred.await(left), ready)
    inFlight += 1
    lastStart = now
    return Effect.succeed(now)
  })

  const leave = Effect.flatMap(Deferred.make<void>(), (next) => {
    inFlight -= 1
    const gone = left
    left = next
    return Deferred.succeed(gone, undefined)
  })

  const heed = (sign: Sign, startedAt: number, now: number) => {
    if (sign._tag === "Throttled") pace = throttled(pace, { startedAt, now, wait: sign.wait, backoff })
    else pace = sign._tag === "Good" ? good(pace) : troubled(pace)
  }

  const through: HostLimiter["through"] = (exchange, read) =>
    Effect.acquireUseRelease(
      Effect.interruptible(turnstile.withPermits(1)(ready)),
      (startedAt) =>
        exchange.pipe(
          Effect.tap((answer) => Effect.map(Clock.currentTimeMillis, (now) => heed(read(answer), startedAt, now)))
        ),
      () => leave
    )

  const space = (millis: number) =>
    Effect.sync(() => {
      pace = spaced(pace, millis)
    })

  return { through, space } satisfies HostLimiter
})
