import { expect, test } from "bun:test"
import { SqlError } from "@effect/sql/SqlError"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import { errorOf } from "../../src/server/ErrorAnswer.ts"

const answerTo = (code: string) =>
  Effect.runSync(
    errorOf(Cause.die(new SqlError({ cause: { code, message: "could not extend file" }, message: "failed" }))).pipe(
      Effect.provide(Logger.remove(Logger.defaultLogger))
    )
  )

test("a full disk is told as that, a database that is away as that; both are temporary", () => {
  expect(answerTo("53100")).toMatchObject({
    code: "service_unavailable",
    message: expect.stringContaining("no disk space")
  })
  expect(answerTo("25006")).toMatchObject({
    code: "service_unavailable",
    message: expect.stringContaining("read-only")
  })
  expect(answerTo("57P01")).toMatchObject({ code: "service_unavailable", message: expect.stringContaining("is away") })
})
