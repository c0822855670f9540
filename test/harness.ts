import { afterAll, beforeAll, test } from "bun:test"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import type * as Scope from "effect/Scope"
import * as TestContext from "effect/TestContext"
import type { YieldWrap } from "effect/Utils"

// Children at their default low priority would starve beside two busy processes.
process.env.FINDABLE_CHILD_NICENESS ??= "0"

interface Options {
  readonly timeout?: number
}

/** The body of a test: the function that `Effect.gen` takes, or one that returns an effect. */
type Body<R> = () =>
  | Effect.Effect<void, unknown, R | Scope.Scope>
  | Generator<YieldWrap<Effect.Effect<unknown, unknown, R | Scope.Scope>>, void, never>

/** A test as one effect with its own scope. */
const whole = <R>(body: Body<R>) =>
  Effect.suspend(() => {
    const made = body()
    return "next" in made ? Effect.gen(() => made) : made
  }).pipe(Effect.scoped)

/** One behaviour without services: it runs in its own scope, on the real clock. */
export const it = (name: string, body: Body<never>, timeout?: number) =>
  test(name, () => Effect.runPromise(whole(body)), timeout)

/** One behaviour under Effect's test clock: time moves only by `TestClock.adjust`. */
export const effectWithTestClock = (name: string, body: Body<never>) =>
  test(name, () => Effect.runPromise(Effect.provide(whole(body), TestContext.TestContext)))

/** The tests of a file over one shared layer, built before the first and released after the last. */
export const suite = <R, E>(layer: Layer.Layer<R, E>, options: Options = {}) => {
  const runtime = ManagedRuntime.make(layer)
  // The first suite of a process starts the database server, and may wait until another process has built a program.
  beforeAll(() => runtime.runtime(), 300_000)
  afterAll(() => runtime.dispose())
  const by =
    (run: (name: string, body: () => Promise<void>, timeout?: number) => void) =>
    (name: string, body: Body<R>, timeout = options.timeout) =>
      run(
        name,
        async () => {
          const exit = await runtime.runPromiseExit(whole(body))
          if (Exit.isFailure(exit)) await Effect.runPromise(exit)
        },
        timeout
      )
  return Object.assign(by(test), {
    /** One behaviour that waits for real time: consecutive tests of this kind run concurrently. */
    concurrent: by(test.concurrent),
    runtime
  })
}
