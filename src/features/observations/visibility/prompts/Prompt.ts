import * as Schema from "effect/Schema"
import { field } from "../../../../foundation/schema/Field.ts"
import { Text } from "../../../../foundation/schema/Scalars.ts"
import { Timestamp } from "../../../../foundation/schema/Timestamp.ts"
import { PromptId } from "../Domain.ts"

/** Prompts of a project. */
export const promptsAtMost = 200

/** A language, with or without a region. */
const Locale = Schema.String.pipe(
  Schema.filter((text) => /^[a-z]{2,3}(-[A-Z]{2})?$/.test(text), {
    message: () => "must be a language, with or without a region, such as en or de-AT"
  })
)

/** A question that AI engines are asked for a project. */
export const Prompt = Schema.Struct({
  id: PromptId.annotations({ description: "UUID of the prompt" }),
  text: Schema.String.annotations({ description: "What the engines are asked, word for word" }),
  locale: Schema.String.annotations({
    description: "Language, with or without a region: `de-AT` has engines that can search as from Austria"
  }),
  created_at: field(Timestamp, "When it was made")
}).annotations({ identifier: "GeoPrompt", description: "A question that AI engines are asked for a project" })
export type Prompt = typeof Prompt.Type

/** The fields of a new prompt. */
export const NewPrompt = Schema.Struct({
  text: Text(1000).annotations({ description: "What the engines are asked, word for word, 1 to 1,000 characters" }),
  locale: Schema.optionalWith(Locale, { default: () => "en-US", exact: true }).annotations({
    description: "Language, with or without a region; `en-US` by default"
  })
}).annotations({ identifier: "NewGeoPrompt", description: "What the engines are asked" })
export type NewPrompt = typeof NewPrompt.Type
