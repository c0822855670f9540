import { describe, expect } from "bun:test"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Option from "effect/Option"
import * as Scope from "effect/Scope"
import * as TestClock from "effect/TestClock"
import { closeFirst, Drain } from "../../../src/app/server/ErrorEnvelope.ts"
import { Stopping } from "../../../src/foundation/http/Request.ts"
import { effectWithTestClock } from "../../harness.ts"

describe("a stop", () => {
  effectWithTestClock(
    "waits 20 s for a request that never ends, and no longer, and says what it broke off",
    function* () {
      const lines: Array<unknown> = []
      const logger = Logger.make(({ annotations, message }) => lines.push([message, Object.fromEntries(annotations)]))
      const scope = yield* Scope.make()
      yield* Effect.gen(function* () {
        const drain = yield* Drain
        yield* Layer.buildWithScope(closeFirst, scope)
        expect(drain.enter()).toBe(true)
        expect(drain.enter()).toBe(true)
        const closing = yield* Effect.fork(Scope.close(scope, Exit.void))
        yield* Effect.yieldNow()
        yield* drain.leave
        yield* TestClock.adjust("19 seconds")
        expect(Option.isNone(yield* Fiber.poll(closing))).toBe(true)
        yield* TestClock.adjust("1 second")
        yield* Fiber.join(closing)
        expect(drain.enter()).toBe(false)
      }).pipe(Effect.provide([Drain.Default, Stopping.Default, Logger.replace(Logger.defaultLogger, logger)]))
      expect(lines).toEqual([[["Requests in flight have ended"], { answered: 1, broken_off: 1 }]])
    }
  )
})
