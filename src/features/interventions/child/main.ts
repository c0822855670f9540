import * as Effect from "effect/Effect"
import { watchMemory } from "../../../crawl/engine/MemoryWatch.ts"
import * as Answering from "../../../foundation/process/Answering.ts"
import * as Shown from "../Shown.ts"

Answering.run({ answer: Shown.Answer, question: Shown.Question }, (page) =>
  Effect.scoped(Effect.zipRight(watchMemory, Shown.read(page)))
)
