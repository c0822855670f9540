import { describe, expect } from "bun:test"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Scope from "effect/Scope"
import * as TestClock from "effect/TestClock"
import { closeFirst, Drain } from "../../../src/app/server/Drain.ts"
import { Stopping } from "../../../src/foundation/http/ServerContext.ts"
import { effectWithTestClock } from "../../harness.ts"

describe("a stop", () => {
  effectWithTestClock("waits 20 s for a request that never ends, and no longer", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      yield* Effect.gen(function* () {
        const drain = yield* Drain
        yield* Layer.buildWithScope(closeFirst, scope)
        expect(drain.enter()).toBe(true)
        const closing = yield* Effect.fork(Scope.close(scope, Exit.void))
        yield* TestClock.adjust("19 seconds")
        expect(Option.isNone(yield* Fiber.poll(closing))).toBe(true)
        yield* TestClock.adjust("1 second")
        yield* Fiber.join(closing)
        expect(drain.enter()).toBe(false)
      }).pipe(Effect.provide([Drain.Default, Stopping.Default]))
    })
  )
})
