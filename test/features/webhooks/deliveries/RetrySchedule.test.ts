import { describe, expect, test } from "bun:test"
import * as Option from "effect/Option"
import * as fc from "fast-check"
import { retryDelays } from "../../../../src/features/webhooks/Domain.ts"
import * as Schedule from "../../../../src/features/webhooks/deliveries/RetrySchedule.ts"

const second = 1000
const hour = 3600 * second
const day = 24 * hour
const endedAt = Date.UTC(2026, 10, 21, 9, 30)
/** The last attempt of the schedule. */
const last = retryDelays.length + 1

const failed = (change: Partial<Schedule.FailedAttempt> = {}): Schedule.FailedAttempt => ({
  attempt: 1,
  endedAt,
  isActive: true,
  jitter: 0,
  outOfPatience: false,
  retryAfter: null,
  statusCode: 500,
  ...change
})

/** Milliseconds until the next attempt, or the final state of the delivery. */
const wait = (change: Partial<Schedule.FailedAttempt>): number | string => {
  const next = Schedule.afterFailure(failed(change))
  return next._tag === "Retry" ? next.waitMs : Option.getOrElse(next.deactivate, () => "failed")
}

test("a delivery has one attempt more than the schedule has delays, for any number of delays", () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: day }), { maxLength: 20 }), (delays) => {
      const steps = Array.from({ length: delays.length + 1 }, (_, index) =>
        Schedule.afterFailure(failed({ attempt: index + 1 }), delays)
      )
      const waits = steps.flatMap((step) => (step._tag === "Retry" ? [step.waitMs] : []))
      return waits.join() === delays.join() && steps.at(-1)?._tag === "Fail"
    })
  )
})

test("the waits without jitter are 5 s, 5 min, 30 min, 2 h, 5 h, 10 h and 14 h, and then the delivery has failed", () => {
  const waits = Array.from({ length: 8 }, (_, index) => wait({ attempt: index + 1 }))
  expect(waits).toEqual([5 * second, 300 * second, 1800 * second, 2 * hour, 5 * hour, 10 * hour, 14 * hour, "failed"])
})

test("an attempt without a response waits like any other", () => {
  expect(wait({ statusCode: null })).toBe(5 * second)
})

const attempts = fc.record({
  attempt: fc.integer({ min: 1, max: retryDelays.length }),
  endedAt: fc.integer({ min: 0, max: 4_102_444_800_000 }),
  isActive: fc.constant(true),
  jitter: fc.double({ min: 0, max: 1, noNaN: true }),
  outOfPatience: fc.boolean(),
  retryAfter: fc.option(fc.oneof(fc.nat({ max: 200_000 }).map(String), fc.string())),
  statusCode: fc.option(fc.constantFrom(301, 400, 404, 429, 500, 503))
})

const delayOf = (attempt: Schedule.FailedAttempt): number => {
  const next = Schedule.afterFailure(attempt)
  return next._tag === "Retry" ? next.waitMs : Number.NaN
}

describe("for every failed attempt", () => {
  test("the wait is never shorter than in the schedule", () => {
    fc.assert(fc.property(attempts, (a) => delayOf(a) >= (retryDelays[a.attempt - 1] ?? Number.NaN)))
  })

  test("the wait is longer by at most a tenth, or as long as the endpoint asked, up to 24 hours", () => {
    fc.assert(
      fc.property(attempts, (a) => {
        const bound = (retryDelays[a.attempt - 1] ?? Number.NaN) * 1.1 + 1
        const throttled = (a.statusCode === 429 || a.statusCode === 503) && a.retryAfter !== null
        return delayOf(a) <= (throttled ? Math.max(bound, day) : bound)
      })
    )
  })

  test("more jitter never means an earlier attempt", () => {
    fc.assert(
      fc.property(attempts, fc.double({ min: 0, max: 1, noNaN: true }), (a, jitter) => {
        const [low, high] = a.jitter < jitter ? [a.jitter, jitter] : [jitter, a.jitter]
        return delayOf({ ...a, jitter: low }) <= delayOf({ ...a, jitter: high })
      })
    )
  })

  test("a later attempt of the same delivery waits longer", () => {
    fc.assert(
      fc.property(attempts, (a) => {
        fc.pre(a.attempt < retryDelays.length)
        const calm = { ...a, retryAfter: null }
        return delayOf(calm) < delayOf({ ...calm, attempt: a.attempt + 1 })
      })
    )
  })

  test("a longer Retry-After never means an earlier attempt", () => {
    fc.assert(
      fc.property(attempts, fc.nat({ max: 200_000 }), fc.nat({ max: 200_000 }), (a, x, y) => {
        const asked = (seconds: number) => delayOf({ ...a, statusCode: 503, retryAfter: `${seconds}` })
        return asked(Math.min(x, y)) <= asked(Math.max(x, y))
      })
    )
  })

  test("jitter outside 0 to 1 is limited to it", () => {
    fc.assert(
      fc.property(attempts, fc.double({ noNaN: true }), (a, jitter) => {
        const delay = delayOf({ ...a, retryAfter: null, jitter })
        const base = retryDelays[a.attempt - 1] ?? Number.NaN
        return delay >= base && delay <= base * 1.1 + 1
      })
    )
  })
})

describe("the Retry-After of a response", () => {
  test.each([429, 503])("is obeyed for a %d, in seconds and as a date", (statusCode) => {
    expect(wait({ statusCode, retryAfter: "120" })).toBe(120 * second)
    expect(wait({ statusCode, retryAfter: "Sat, 21 Nov 2026 09:50:00 GMT" })).toBe(1200 * second)
  })

  test.each([400, 404, 500, 502, 302])("is ignored for a %d", (statusCode) => {
    expect(wait({ statusCode, retryAfter: "120" })).toBe(5 * second)
  })

  test("can only delay an attempt", () => {
    expect(wait({ statusCode: 429, retryAfter: "1" })).toBe(5 * second)
    expect(wait({ statusCode: 429, retryAfter: "Sat, 21 Nov 2026 09:00:00 GMT" })).toBe(5 * second)
  })

  test("is obeyed up to 24 hours", () => {
    expect(wait({ statusCode: 429, retryAfter: "86400" })).toBe(day)
    expect(wait({ statusCode: 429, retryAfter: "86401" })).toBe(day)
    expect(wait({ statusCode: 429, retryAfter: "9".repeat(400) })).toBe(day)
    expect(wait({ statusCode: 429, retryAfter: "Tue, 21 Nov 2028 09:30:00 GMT" })).toBe(day)
  })

  test("adds no attempt to a delivery that has used all of them", () => {
    expect(wait({ attempt: last, statusCode: 429, retryAfter: "120" })).toBe("failed")
  })
})

describe("a webhook", () => {
  test("is disabled immediately by a 410, at any attempt", () => {
    expect(wait({ statusCode: 410 })).toBe("gone")
    expect(wait({ attempt: last, statusCode: 410 })).toBe("gone")
  })

  test("keeps the schedule of its current delivery when it failed for too long, and is disabled after it", () => {
    const waits = Array.from({ length: last }, (_, index) => wait({ attempt: index + 1, outOfPatience: true }))
    expect(waits).toEqual([...retryDelays, "failing"])
  })

  test("ends its delivery at any attempt while it is disabled, and is not disabled again", () => {
    for (const statusCode of [500, 410]) {
      const ended = { _tag: "Fail" as const, deactivate: Option.none(), reason: "webhook_deactivated" as const }
      expect(Schedule.afterFailure(failed({ isActive: false, outOfPatience: true, statusCode }))).toEqual(ended)
    }
  })

  test("is disabled as gone by a 410, even if it also failed for too long", () => {
    expect(wait({ attempt: last, outOfPatience: true, statusCode: 410 })).toBe("gone")
  })

  test("stays enabled after a delivery that has finally failed", () => {
    expect(wait({ attempt: last })).toBe("failed")
  })
})
