import { afterAll, beforeAll, test } from "bun:test"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import type * as Scope from "effect/Scope"
import * as TestContext from "effect/TestContext"

// Children at their usual priority would stand still beside two busy processes.
process.env.FINDABLE_CHILD_NICENESS ??= "0"

interface Options {
  readonly timeout?: number
}

/** One behaviour that needs no services: the effect runs in its own scope, on the real clock. */
export const effect = <E>(name: string, body: () => Effect.Effect<void, E, Scope.Scope>, options: Options = {}) =>
  test(name, () => Effect.runPromise(Effect.scoped(Effect.suspend(body))), options.timeout)

/** The same under Effect's test clock: time moves only by `TestClock.adjust`. */
export const effectWithTestClock = <E>(name: string, body: () => Effect.Effect<void, E, Scope.Scope>) =>
  test(name, () => Effect.runPromise(Effect.scoped(Effect.suspend(body)).pipe(Effect.provide(TestContext.TestContext))))

/** A file's worth of behaviours over one shared layer, built before the first and released after the last. */
export const suite = <R, E>(layer: Layer.Layer<R, E>, options: Options = {}) => {
  const runtime = ManagedRuntime.make(layer)
  beforeAll(() => runtime.runtime(), options.timeout ?? 60_000)
  afterAll(() => runtime.dispose())
  const by =
    (run: (name: string, body: () => Promise<void>, timeout?: number) => void) =>
    <E2>(name: string, body: () => Effect.Effect<void, E2, R | Scope.Scope>, own: Options = {}) =>
      run(
        name,
        async () => {
          const exit = await runtime.runPromiseExit(Effect.scoped(Effect.suspend(body)))
          if (Exit.isFailure(exit)) await Effect.runPromise(exit)
        },
        own.timeout ?? options.timeout
      )
  return {
    /** One behaviour that waits for real time: neighbours of this kind wait beside one another. */
    concurrent: by(test.concurrent),
    effect: by(test),
    runtime
  }
}
