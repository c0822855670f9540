import * as Effect from "effect/Effect"
import { watchMemory } from "../../../crawl/engine/MemoryWatch.ts"
import * as Answering from "../../../foundation/process/Answering.ts"
import * as LinkingPage from "../LinkingPage.ts"

Answering.run({ answer: LinkingPage.Answer, question: LinkingPage.Question }, (page) =>
  Effect.scoped(Effect.zipRight(watchMemory, LinkingPage.read(page)))
)
