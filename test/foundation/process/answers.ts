import * as Effect from "effect/Effect"
import * as Answering from "../../../src/foundation/process/Answering.ts"
import { kind } from "./questions.ts"

/** Answers with the sum of the bytes; the word "end" ends the process, "fill" fills its memory, and "wait" is never answered. */
Answering.run(kind, ({ bytes, word }) =>
  Effect.suspend(() => {
    if (word === "end") process.exit(0)
    if (word === "wait") return Effect.never
    const filled = word === "fill" ? new Uint8Array(1_000_000_000).fill(1) : bytes
    return Effect.as(Effect.sleep(word === "fill" ? "5 seconds" : 0), {
      sum: filled.reduce((sum, byte) => sum + byte, 0)
    })
  })
)
