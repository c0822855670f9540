import { expect, test } from "bun:test"
import { SqlError } from "@effect/sql/SqlError"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import { errorOf } from "../../../src/app/server/ErrorAnswer.ts"

const answerTo = (code: string) =>
  Effect.runSync(
    errorOf(Cause.die(new SqlError({ cause: { code, message: "could not extend file" }, message: "failed" }))).pipe(
      Effect.provide(Logger.remove(Logger.defaultLogger))
    )
  )

test("a full disk, a read-only database and an unreachable database have a temporary error with a message of their own", () => {
  const told = { "53100": "disk is full", "25006": "read-only", "57P01": "cannot reach its database" }
  for (const [state, words] of Object.entries(told)) {
    const { code, message } = answerTo(state)
    expect(code).toBe("service_unavailable")
    expect(message).toContain(words)
  }
})
