import * as Schema from "effect/Schema"
import { Base64 } from "../../../src/foundation/process/Questions.ts"

/** The questions that `answers.ts` answers. */
export const kind = {
  answer: Schema.Struct({ sum: Schema.Number }),
  question: Schema.Struct({ bytes: Base64, word: Schema.String })
}
