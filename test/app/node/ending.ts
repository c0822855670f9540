import * as BunRuntime from "@effect/platform-bun/BunRuntime"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import { run } from "../../../src/app/node/Run.ts"

/** Programs that end in every possible way; the first argument chooses. */
const programs = {
  /** Its stop lasts until its input ends. */
  closing: Effect.zipRight(Console.log("waiting"), Effect.never).pipe(
    Effect.onInterrupt(() =>
      Console.log("closing").pipe(
        Effect.zipRight(Effect.promise(() => Bun.stdin.text())),
        Effect.zipRight(Console.log("closed"))
      )
    )
  ),
  defect: Effect.die(new Error("a defect")),
  failure: Effect.fail({ message: "a failure" }),
  interruption: Effect.interrupt,
  success: Effect.void,
  waiting: Effect.zipRight(Console.log("waiting"), Effect.never)
}

const chosen =
  Object.entries(programs).find(([name]) => name === process.argv[2])?.[1] ?? Effect.dieMessage("no choice")

run<void, unknown>(chosen, BunRuntime.runMain)
