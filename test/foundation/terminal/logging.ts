import { writeFileSync } from "node:fs"
import * as BunRuntime from "@effect/platform-bun/BunRuntime"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import { serve } from "../../../src/app/node/Run.ts"

/** A server that logs a number of lines before and after its start, and then creates the file of the second argument. */
const [, , early = "0", late = "0", file = ""] = process.argv

const lines = (name: string, count: number) =>
  Effect.forEach(
    Array.from({ length: count }, (_, place) => place),
    (place) =>
      Effect.zipRight(
        Effect.logInfo(`${name} ${place} ${"x".repeat(100)}`),
        Effect.when(Effect.yieldNow({ priority: 1 }), () => place % 100 === 0)
      ),
    { discard: true }
  )

const program = Effect.gen(function* () {
  yield* lines("early", Number(early))
  yield* Console.log("the first key")
  yield* lines("late", Number(late))
  yield* Effect.sync(() => writeFileSync(file, ""))
  return yield* Effect.never
})

serve(program, BunRuntime.runMain)
