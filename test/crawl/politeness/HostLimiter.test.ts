import { expect, test } from "bun:test"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/TestClock"
import * as fc from "fast-check"
import * as HostLimiter from "../../../src/crawl/politeness/HostLimiter.ts"
import { effectWithTestClock } from "../../harness.ts"

const good: HostLimiter.Sign = { _tag: "Good" }
const throttled = (wait: number | null): HostLimiter.Sign => ({ _tag: "Throttled", wait })

/** The limiter of a host, with requests of 10 ms that record their start. */
const limiter = (deadlineAt = 1_000_000, gap = 0) =>
  Effect.map(HostLimiter.make({ ceiling: 4, deadlineAt, gap, backoff: 1000 }), (host) => {
    const starts: Array<number> = []
    const ask = (sign: HostLimiter.Sign = good) =>
      host.through(
        Effect.zipRight(
          Effect.map(Clock.currentTimeMillis, (now) => void starts.push(now)),
          Effect.sleep(10)
        ),
        () => sign
      )
    return { ask, host, starts }
  })

const many = <A, E>(count: number, one: Effect.Effect<A, E>) =>
  Effect.forEach(Array.from({ length: count }), () => one, { concurrency: "unbounded", discard: true })

effectWithTestClock("the number of concurrent requests to a host reaches the ceiling and no more", function* () {
  const { ask, starts } = yield* limiter()
  const fiber = yield* Effect.fork(many(8, ask()))
  yield* TestClock.adjust(1)
  expect(starts.length).toBe(4)
  yield* TestClock.adjust(30)
  yield* Fiber.join(fiber)
  expect(starts.length).toBe(8)
})

effectWithTestClock(
  "a throttled response pauses all requests until its time, and then they start one at a time",
  function* () {
    const { ask, starts } = yield* limiter()
    const first = yield* Effect.fork(ask(throttled(5000)))
    yield* TestClock.adjust(10)
    yield* Fiber.join(first)
    const rest = yield* Effect.fork(many(3, ask()))
    yield* TestClock.adjust(4990)
    expect(starts.length).toBe(1)
    yield* TestClock.adjust(15)
    expect(starts).toEqual([0, 5010])
    yield* TestClock.adjust(100)
    yield* Fiber.join(rest)
    expect(starts.length).toBe(4)
  }
)

effectWithTestClock(
  "throttled responses without a time double the pause twice, and a good response resets it",
  function* () {
    const { ask, starts } = yield* limiter()
    const fiber = yield* Effect.fork(
      Effect.forEach([null, null, null, null].map(throttled), (sign) => ask(sign)).pipe(
        Effect.zipRight(ask()),
        Effect.zipRight(ask(throttled(null))),
        Effect.zipRight(ask())
      )
    )
    yield* TestClock.adjust(60_000)
    yield* Fiber.join(fiber)
    const gaps = starts.slice(1).map((start, index) => start - (starts[index] ?? 0) - 10)
    expect(gaps).toEqual([1000, 2000, 4000, 4000, 0, 1000])
  }
)

effectWithTestClock("a pause beyond the deadline ends the waiting requests immediately", function* () {
  const { ask } = yield* limiter(10_000)
  const first = yield* Effect.fork(ask(throttled(60_000)))
  yield* TestClock.adjust(10)
  yield* Fiber.join(first)
  const late = yield* Effect.flip(ask())
  expect(late).toMatchObject({ _tag: "OutOfTime", reason: "paused" })
})

effectWithTestClock(
  "a crawl delay separates the starts of requests, and ends requests whose start would be too late",
  function* () {
    const { ask, host, starts } = yield* limiter(2500)
    yield* host.space(1000)
    const fiber = yield* Effect.fork(Effect.either(many(4, ask())))
    yield* TestClock.adjust(5000)
    const ended = yield* Fiber.join(fiber)
    expect(starts).toEqual([0, 1000, 2000])
    expect(ended).toMatchObject({ _tag: "Left", left: { reason: "crawl_delay" } })
  }
)

effectWithTestClock(
  "the rate of a crawl separates the starts of requests, and a longer crawl delay of the host takes precedence",
  function* () {
    for (const [delay, gap] of [
      [0, 300],
      [200, 300],
      [500, 500]
    ] as const) {
      const { ask, host, starts } = yield* limiter(Number.POSITIVE_INFINITY, 300)
      if (delay > 0) yield* host.space(delay)
      const fiber = yield* Effect.fork(many(4, ask()))
      yield* TestClock.adjust(5000)
      yield* Fiber.join(fiber)
      const apart = starts.slice(1).map((start, at) => start - (starts[at] ?? 0))
      expect([delay, apart]).toEqual([delay, [gap, gap, gap]])
    }
  }
)

effectWithTestClock("an interrupted request releases its slot", function* () {
  const { ask, host, starts } = yield* limiter()
  const hanging = yield* Effect.fork(
    many(
      4,
      host.through(Effect.never, () => good)
    )
  )
  yield* TestClock.adjust(1)
  yield* Fiber.interrupt(hanging)
  const fiber = yield* Effect.fork(ask())
  yield* TestClock.adjust(10)
  yield* Fiber.join(fiber)
  expect(starts.length).toBe(1)
})

test("the limit stays between one and the ceiling for any responses", () => {
  const step = fc.oneof(
    fc.constant(HostLimiter.good),
    fc.constant(HostLimiter.troubled),
    fc
      .record({ startedAt: fc.nat(100), now: fc.nat(100), wait: fc.option(fc.nat(1000)) })
      .map((seen) => (pace: HostLimiter.Pace) => HostLimiter.throttled(pace, { ...seen, backoff: 10 }))
  )
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), fc.integer({ min: 1, max: 10 }), (steps, ceiling) => {
      const limits: Array<number> = []
      steps.reduce((pace, step) => {
        const next = step(pace)
        limits.push(next.limit)
        return next
      }, HostLimiter.initial(ceiling))
      expect(limits.every((limit) => limit >= 1 && limit <= ceiling)).toBe(true)
    })
  )
})

test("responses to requests from before a pause do not lengthen the next pause", () => {
  const once = HostLimiter.throttled(HostLimiter.initial(6), { startedAt: 0, now: 10, wait: null, backoff: 1000 })
  const twice = HostLimiter.throttled(once, { startedAt: 5, now: 12, wait: null, backoff: 1000 })
  expect(twice).toMatchObject({ pausedUntil: 1010, pauses: 1, limit: 1 })
})
