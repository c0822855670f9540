import { describe, expect } from "bun:test"
import { SqlError } from "@effect/sql/SqlError"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Schema from "effect/Schema"
import * as TestClock from "effect/TestClock"
import * as Query from "../../../src/foundation/database/Query.ts"
import { effectWithTestClock } from "../../harness.ts"

const failure = (code: string | undefined, message: string) =>
  new SqlError({ cause: Object.assign(new Error(message), code === undefined ? {} : { code }), message: "Failed" })

/** Work that fails a number of times, then succeeds; returns its end, the number of attempts and of log lines. */
const attempts = (error: SqlError, failures: number) =>
  Effect.gen(function* () {
    let tried = 0
    let told = 0
    const work = Effect.suspend(() => (tried++ < failures ? Effect.die(error) : Effect.succeed("done")))
    const running = yield* Effect.fork(Query.repeated(() => Effect.sync(() => told++))(work))
    yield* TestClock.adjust("1 minute")
    const exit = yield* Fiber.await(running)
    return { end: Exit.isSuccess(exit) ? exit.value : "failed", told, tried }
  })

describe("work with a failed statement", () => {
  const cancelled = failure("57014", "canceling statement due to user request")
  for (const [what, error] of [
    ["was cancelled from outside", cancelled],
    ["lost its connection", failure(undefined, "Connection terminated unexpectedly")],
    ["was ended with the server", failure("57P01", "terminating connection due to administrator command")]
  ] as const) {
    effectWithTestClock(`is repeated when the statement ${what}`, function* () {
      expect(yield* attempts(error, 2)).toEqual({ end: "done", told: 2, tried: 3 })
    })
  }

  effectWithTestClock("is repeated three times at most", function* () {
    expect(yield* attempts(cancelled, 10)).toEqual({ end: "failed", told: 4, tried: 4 })
  })

  for (const [what, error] of [
    ["a time limit ended it", failure("57014", "canceling statement due to statement timeout")],
    ["the statement is wrong", failure("42P01", "relation does not exist")],
    ["the server was busy", failure("node_busy", "No database connection of this account's share was free within 5 s")]
  ] as const) {
    effectWithTestClock(`is not repeated when ${what}`, function* () {
      expect(yield* attempts(error, 1)).toEqual({ end: "failed", told: 0, tried: 1 })
    })
  }
})

describe("a statement that the database refused before it changed anything", () => {
  const refused = failure("53100", "could not extend file: No space left on device")

  /** A statement that is refused a number of times; returns its state after a minute, and the number of attempts. */
  const sent = (error: SqlError, failures: number, isPatient: boolean) =>
    Effect.gen(function* () {
      let tried = 0
      const statement = Query.none({
        Request: Schema.Void,
        execute: () => Effect.suspend(() => (tried++ < failures ? Effect.fail(error) : Effect.succeed([])))
      })
      const running = yield* Effect.fork(Effect.provideService(statement(), Query.Patience, isPatient))
      yield* TestClock.adjust("1 minute")
      const end = yield* Fiber.poll(running)
      yield* Fiber.interrupt(running)
      return { end: end._tag === "None" ? "waits" : end.value._tag, tried }
    })

  effectWithTestClock("is repeated every second by queued work until it succeeds", function* () {
    expect(yield* sent(refused, 50, true)).toEqual({ end: "Success", tried: 51 })
    expect(yield* sent(refused, 500, true)).toEqual({ end: "waits", tried: 61 })
  })

  effectWithTestClock("fails immediately in a request, and so does an error of the queued work itself", function* () {
    expect(yield* sent(refused, 1, false)).toEqual({ end: "Failure", tried: 1 })
    expect(yield* sent(failure("42P01", "relation does not exist"), 1, true)).toEqual({ end: "Failure", tried: 1 })
    expect(yield* sent(failure(undefined, "Connection terminated unexpectedly"), 1, true)).toEqual({
      end: "Failure",
      tried: 1
    })
  })

  effectWithTestClock("can be interrupted while it waits, even in an uninterruptible region", function* () {
    const statement = Query.none({ Request: Schema.Void, execute: () => Effect.fail(refused) })
    const running = yield* Effect.fork(Effect.uninterruptible(Effect.provideService(statement(), Query.Patience, true)))
    yield* TestClock.adjust("10 seconds")
    expect(Exit.isInterrupted(yield* Fiber.interrupt(running))).toBe(true)
  })
})
