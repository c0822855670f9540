import { describe, expect, test } from "bun:test"
import * as Effect from "effect/Effect"
import { limited, StatementLimit } from "../../../src/foundation/database/Connection.ts"

describe("a statement with a time limit", () => {
  test("may end before it is registered, as one does whose pool is closed", async () => {
    const ended = Effect.withFiberRuntime<string>((fiber) =>
      limited<string, never>(fiber, (resume) => {
        resume(Effect.succeed("refused"))
        return Effect.void
      })
    )
    expect(await Effect.runPromise(Effect.provideService(ended, StatementLimit, 1000))).toBe("refused")
  })
})
