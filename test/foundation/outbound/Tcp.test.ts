import { describe, expect } from "bun:test"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/TestClock"
import { staggered } from "../../../src/foundation/outbound/Socket.ts"
import { effectWithTestClock } from "../../harness.ts"

/** An attempt that takes so long, and says when it was made and whether it was interrupted. */
const attempts = () => {
  const log: Array<string> = []
  const make = (name: string, outcome: Effect.Effect<string, string>) =>
    Effect.flatMap(Clock.currentTimeMillis, (now) => {
      log.push(`${name} at ${now}`)
      return Effect.onInterrupt(outcome, () => Effect.sync(() => log.push(`${name} interrupted`)))
    })
  return { log, make }
}

/** The outcome when so many milliseconds have passed. */
const after = (milliseconds: number, effect: Effect.Effect<string, string>) =>
  Effect.gen(function* () {
    const fiber = yield* Effect.fork(Effect.merge(effect))
    yield* TestClock.adjust(milliseconds)
    return yield* Fiber.join(fiber)
  })

describe("staggered attempts", () => {
  effectWithTestClock("the second is not made while the first succeeds in time", function* () {
    const { log, make } = attempts()
    const first = make("first", Effect.delay(Effect.succeed("one"), 249))
    expect(yield* after(249, staggered([first, make("second", Effect.succeed("two"))]))).toBe("one")
    expect(log).toEqual(["first at 0"])
  })

  effectWithTestClock("the second is made at once when the first fails", function* () {
    const { log, make } = attempts()
    expect(yield* after(0, staggered([make("first", Effect.fail("no")), make("second", Effect.succeed("two"))]))).toBe(
      "two"
    )
    expect(log).toEqual(["first at 0", "second at 0"])
  })

  effectWithTestClock(
    "silent ones are joined by the next every 250 ms, and interrupted when one succeeds",
    function* () {
      const { log, make } = attempts()
      const all = staggered([
        make("first", Effect.never),
        make("second", Effect.never),
        make("third", Effect.succeed("three"))
      ])
      expect(yield* after(500, all)).toBe("three")
      expect(log.slice(0, 3)).toEqual(["first at 0", "second at 250", "third at 500"])
      expect(log.slice(3).toSorted()).toEqual(["first interrupted", "second interrupted"])
    }
  )

  effectWithTestClock("a slow first may still win over a later one that fails", function* () {
    const { make } = attempts()
    const first = make("first", Effect.delay(Effect.succeed("one"), 400))
    expect(yield* after(400, staggered([first, make("second", Effect.fail("no"))]))).toBe("one")
  })

  effectWithTestClock("all failing is a failure", function* () {
    const { make } = attempts()
    expect(yield* after(0, staggered([make("first", Effect.fail("no")), make("second", Effect.fail("no"))]))).toBe("no")
  })
})
