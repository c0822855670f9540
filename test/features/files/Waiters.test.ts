import { describe, expect } from "bun:test"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Schema from "effect/Schema"
import * as TestClock from "effect/TestClock"
import { AccountId } from "../../../src/features/accounts/Domain.ts"
import { makeWaiters } from "../../../src/features/files/Files.ts"
import { effectWithTestClock } from "../../harness.ts"

const decode = Schema.decodeSync(AccountId)
const account = decode("7f0c5c0e-3f0a-4a7e-9f43-2b8d6a1c9e11")
const other = decode("7f0c5c0e-3f0a-4a7e-9f43-2b8d6a1c9e12")

describe("a request that waits for another one with its Idempotency-Key", () => {
  effectWithTestClock("continues when the other one has ended", function* () {
    let receiving = true
    const { deadline, wait } = makeWaiters(() => Effect.sync(() => receiving))
    const waiting = yield* Effect.fork(wait(account, "key", yield* deadline))
    yield* TestClock.adjust("30 seconds")
    expect(waiting.unsafePoll()).toBeNull()
    receiving = false
    yield* TestClock.adjust("1 second")
    expect(Exit.isSuccess(yield* Fiber.await(waiting))).toBe(true)
  })

  effectWithTestClock("is refused after a minute with Retry-After, after one query per second", function* () {
    let looks = 0
    const { deadline, wait } = makeWaiters(() => Effect.sync(() => ++looks > 0))
    const waiting = yield* Effect.fork(Effect.flip(wait(account, "key", yield* deadline)))
    yield* TestClock.adjust("62 seconds")
    expect(yield* Fiber.join(waiting)).toMatchObject({ code: "conflict", headers: { "retry-after": "10" } })
    expect(looks).toBeLessThan(70)
  })

  effectWithTestClock(
    "is refused while a hundred of its account wait, and those of other accounts are not",
    function* () {
      const { deadline, wait } = makeWaiters(() => Effect.succeed(true))
      const until = yield* deadline
      const waiting = yield* Effect.replicateEffect(Effect.fork(wait(account, "key", until)), 100)
      yield* TestClock.adjust("1 second")
      expect(yield* Effect.flip(wait(account, "another", until))).toMatchObject({ code: "quota_exceeded" })
      const theirs = yield* Effect.fork(wait(other, "key", until))
      yield* TestClock.adjust("1 second")
      expect(theirs.unsafePoll()).toBeNull()
      yield* Fiber.interruptAll(waiting)
      const next = yield* Effect.fork(wait(account, "another", until))
      yield* TestClock.adjust("1 second")
      expect(next.unsafePoll()).toBeNull()
    }
  )
})
