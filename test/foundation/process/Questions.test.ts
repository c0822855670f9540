import { describe, expect } from "bun:test"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Questions from "../../../src/foundation/process/Questions.ts"
import { suite } from "../../harness.ts"
import { kind } from "./questions.ts"

const it = suite(Layer.empty, { timeout: 60_000 })

const program = (deadline: Duration.DurationInput = "50 seconds") =>
  Questions.make(kind, {
    deadline,
    environment: {},
    memory: 700_000_000,
    script: new URL("answers.ts", import.meta.url)
  })

const bytes = new Uint8Array(300_000).fill(2)

describe("a process that answers questions", () => {
  it("answers each of several concurrent questions with its own answer", () =>
    Effect.gen(function* () {
      const ask = yield* program()
      const asked = Array.from({ length: 12 }, (_, at) => ask({ bytes: bytes.subarray(at), word: "" }))
      const sums = yield* Effect.all(asked, { concurrency: "unbounded" })
      expect(sums).toEqual(Array.from({ length: 12 }, (_, at) => ({ sum: 600_000 - 2 * at })))
    }).pipe(Effect.scoped))

  it("fails a question that ends it or exceeds its memory, and the next question starts a new process", () =>
    Effect.gen(function* () {
      const ask = yield* program()
      for (const word of ["end", "fill"]) {
        expect((yield* Effect.exit(ask({ bytes, word })))._tag).toBe("Failure")
        expect(yield* ask({ bytes, word: "" })).toEqual({ sum: 600_000 })
      }
    }).pipe(Effect.scoped))

  it("fails a question at its deadline", () =>
    Effect.gen(function* () {
      const ask = yield* program("2 seconds")
      expect((yield* Effect.exit(ask({ bytes, word: "wait" })))._tag).toBe("Failure")
    }).pipe(Effect.scoped))
})
