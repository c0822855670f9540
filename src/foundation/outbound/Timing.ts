import type * as Clock from "effect/Clock"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Time from "../schema/Time.ts"
import type { Timings } from "./Outbound.ts"

/** An exchange with a deadline. */
interface Timed {
  /** Remaining milliseconds. */
  readonly left: () => number
  readonly end: () => void
}

/** How late a deadline may be noticed. */
const accuracy = "20 millis"

/** Ends exchanges that pass their deadlines. One fiber watches all exchanges, because a race of fibers for each would cost more than the exchange. */
export const make = () => {
  const all = new Set<Timed>()
  let exchanges = 0
  let looking = false

  const look = Effect.sync(() => {
    for (const timed of all) if (timed.left() <= 0) timed.end()
    looking = exchanges > 0
  })
  const looks = Effect.forkDaemon(Effect.repeat(Effect.delay(look, accuracy), { while: () => looking }))

  const begin = Effect.suspend(() => {
    exchanges += 1
    if (looking) return Effect.void
    looking = true
    return looks
  })
  const finish = Effect.sync(() => {
    exchanges -= 1
  })

  return {
    add: (timed: Timed) => all.add(timed),
    remove: (timed: Timed) => all.delete(timed),
    /** Keeps the watch running during the exchange, which may add its deadline late. */
    during: <A, E, R>(exchange: Effect.Effect<A, E, R>) =>
      Effect.acquireUseRelease(
        begin,
        () => exchange,
        () => finish
      )
  }
}
export type Deadlines = ReturnType<typeof make>

const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
const month = `(?<month>${months.join("|")})`
const time = "(?<hours>[01]\\d|2[0-3]):(?<minutes>[0-5]\\d):(?<seconds>[0-5]\\d|60)"
const shortDay = "(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)"
const longDay = "(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day"

const preferred = new RegExp(`^${shortDay}, (?<day>\\d\\d) ${month} (?<year>\\d{4}) ${time} GMT$`)
const rfc850 = new RegExp(`^${longDay}, (?<day>\\d\\d)-${month}-(?<year>\\d\\d) ${time} GMT$`)
const asctime = new RegExp(`^${shortDay} ${month} (?<day>[ \\d]\\d) ${time} (?<year>\\d{4})$`)

/** A two-digit year more than 50 years ahead is of the previous century (RFC 9110 §5.6.7). */
const fullYear = (digits: string, now: number): number => {
  if (digits.length === 4) return Number(digits)
  const year = 2000 + Number(digits)
  const isAhead = Option.exists(DateTime.make(now), (today) => year > DateTime.getPartUtc(today, "year") + 50)
  return isAhead ? year - 100 : year
}

/**
 * Reads an HTTP-date in any of its three forms (RFC 9110 §5.6.7) to epoch milliseconds; `now` resolves two-digit years. None for other text and for days that
 * their month does not have.
 */
export const parseHttpDate = (text: string, now: number): Option.Option<number> => {
  const parts = [preferred, rfc850, asctime]
    .map((form) => form.exec(text)?.groups)
    .find((groups) => groups !== undefined)
  if (parts === undefined) return Option.none()
  const { hours, minutes, month = "", seconds, year = "" } = parts
  const day = Number(parts.day)
  return DateTime.make({ year: fullYear(year, now), month: months.indexOf(month) + 1, day }).pipe(
    Option.filter((midnight) => DateTime.getPartUtc(midnight, "day") === day),
    Option.map(
      (midnight) =>
        DateTime.toEpochMillis(midnight) + ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000
    )
  )
}

const seconds = /^\d+$/

/**
 * The wait that a `Retry-After` (RFC 9110 §10.2.3) requests, in milliseconds; none if it is absent or malformed. A date counts from the response's `Date`, if
 * any, else from `now`, so a server with a wrong clock gets the wait that it meant.
 */
export const waitOf = (retryAfter: string | null, date: string | null, now: number): Option.Option<number> => {
  const text = retryAfter?.trim() ?? ""
  if (seconds.test(text)) return Option.some(Number(text) * 1000)
  const from = Option.getOrElse(parseHttpDate(date?.trim() ?? "", now), () => now)
  return Option.map(parseHttpDate(text, now), (until) => Math.max(0, until - from))
}

/** The phases of an exchange, in their order. */
type Phase = Exclude<keyof Timings, "reused" | "totalMs">

/** Times the phases of one exchange, even if it fails. */
export interface Stopwatch {
  /** Ends a phase and starts the next. An ended phase keeps its first time. */
  readonly lap: (phase: Phase) => void
  /** Records whether the exchange uses a kept-alive connection. */
  readonly reuses: (reused: boolean) => void
  /** Milliseconds since the start. */
  readonly elapsed: () => number
  /** The ended phases, and the time since the start, in milliseconds with one decimal. */
  readonly timings: () => Timings
}

const milliseconds = (from: number, to: number) => Math.round((to - from) * 10) / 10

/** A stopwatch that runs from now. */
export const start = (clock: Clock.Clock): Stopwatch => {
  const begin = Time.of(clock)
  let last = begin
  let reused = false
  const phases: Record<Phase, number | null> = {
    dnsMs: null,
    connectMs: null,
    tlsMs: null,
    firstByteMs: null,
    bodyMs: null
  }
  return {
    elapsed: () => Time.of(clock) - begin,
    lap: (phase) => {
      if (phases[phase] !== null) return
      const now = Time.of(clock)
      phases[phase] = milliseconds(last, now)
      last = now
    },
    reuses: (now) => {
      reused = now
    },
    timings: () => ({ ...phases, totalMs: milliseconds(begin, Time.of(clock)), reused })
  }
}
