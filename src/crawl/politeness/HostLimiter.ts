import * as Clock from "effect/Clock"
import * as Data from "effect/Data"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Pace from "./Pace.ts"

/** No request can start before the run's deadline: the host asked for a longer pause, or its crawl delay leaves no room. */
export class OutOfTime extends Data.TaggedError("OutOfTime")<{
  readonly reason: "paused" | "crawl_delay" | "deadline"
}> {}

/** What an exchange says about the host. */
export type Sign =
  | { readonly _tag: "Good" }
  | { readonly _tag: "Troubled" }
  | { readonly _tag: "Throttled"; readonly wait: number | null }

/** Lets requests to one host through, first come first served, at the pace the host can bear. */
export interface HostLimiter {
  readonly through: <A, E, R>(
    exchange: Effect.Effect<A, E, R>,
    read: (answer: A) => Sign
  ) => Effect.Effect<A, E | OutOfTime, R>
  /** Starts requests at least `millis` apart from the next one on. */
  readonly space: (millis: number) => Effect.Effect<void>
}

interface Settings {
  readonly ceiling: number
  /** Epoch ms. */
  readonly deadlineAt: number
  readonly backoff: number
  /** Milliseconds between the starts of two requests, also without a word of the host; default 0. */
  readonly gap?: number
}

export const make = Effect.fnUntraced(function* ({ backoff, ceiling, deadlineAt, gap = 0 }: Settings) {
  const turnstile = yield* Effect.makeSemaphore(1)
  let pace = Pace.initial(ceiling, gap)
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
    if (sign._tag === "Throttled") pace = Pace.throttled(pace, { startedAt, now, wait: sign.wait, backoff })
    else pace = sign._tag === "Good" ? Pace.good(pace) : Pace.troubled(pace)
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
      pace = Pace.spaced(pace, millis)
    })

  return { through, space } satisfies HostLimiter
})
