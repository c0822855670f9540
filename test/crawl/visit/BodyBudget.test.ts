import { expect } from "bun:test"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/TestClock"
import { pageBytes } from "../../../src/crawl/fetch/Fetcher.ts"
import * as ReadAnswer from "../../../src/crawl/visit/ReadAnswer.ts"
import { effectWithTestClock } from "../../harness.ts"

/** Twenty visits with bodies of the given size after 10 ms, each analyzed after 1 s; returns the number of requests so far. */
const visits = (bytes: number) =>
  Effect.gen(function* () {
    const bodies = yield* ReadAnswer.make
    let asked = 0
    const visit = bodies.holding((took) =>
      Effect.sync(() => void asked++).pipe(
        Effect.zipRight(Effect.sleep("10 millis")),
        Effect.zipRight(Effect.suspend(() => took(new Uint8Array(bytes)))),
        Effect.zipRight(Effect.sleep("1 second"))
      )
    )
    const all = Array.from({ length: 20 }, () => visit)
    const fiber = yield* Effect.fork(Effect.all(all, { concurrency: "unbounded", discard: true }))
    yield* TestClock.adjust(1)
    return { asked: () => asked, bodies, fiber }
  })

effectWithTestClock(
  "further pages are requested while others wait for analysis, as long as their bodies fit the budget",
  function* () {
    const { asked } = yield* visits(pageBytes / 32)
    expect(asked()).toBe(7)
    yield* TestClock.adjust(10)
    expect(asked()).toBe(13)
    yield* TestClock.adjust(10)
    expect(asked()).toBe(19)
  }
)

effectWithTestClock("seven pages of full length fit the budget", function* () {
  const { asked } = yield* visits(pageBytes)
  yield* TestClock.adjust(500)
  expect(asked()).toBe(7)
  yield* TestClock.adjust(600)
  expect(asked()).toBe(14)
})

effectWithTestClock("a completed or interrupted visit frees its part of the budget", function* () {
  const { asked, bodies, fiber } = yield* visits(pageBytes / 2)
  yield* TestClock.adjust(10)
  expect(asked()).toBe(10)
  yield* Fiber.interrupt(fiber)
  let held = 0
  const all = Effect.replicate(
    bodies.holding(() =>
      Effect.zipRight(
        Effect.sync(() => void held++),
        Effect.never
      )
    ),
    8
  )
  yield* Effect.fork(Effect.all(all, { concurrency: "unbounded" }))
  yield* TestClock.adjust(1)
  expect(held).toBe(7)
})
