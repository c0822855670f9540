import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { PageFacts } from "../../crawl/page/Page.ts"
import { readPage } from "../../crawl/visit/ReadAnswer.ts"
import { Base64 } from "../../foundation/process/Questions.ts"

/** A public page, and the values to look for. */
export const Question = Schema.Struct({
  body: Base64,
  headers: Schema.Array(Schema.Tuple(Schema.String, Schema.String)),
  url: Schema.String,
  values: Schema.Array(Schema.String)
})

/** The first missing value; null when the page shows all. */
export const Answer = Schema.Struct({ missing: Schema.NullOr(Schema.String) })

/** Typography that WordPress substitutes for plain characters (`wptexturize`), and blanks, count as equal. */
const folded = (text: string): string =>
  text
    .normalize("NFKC")
    .replace(/[‘’‚‛′`]/g, "'")
    .replace(/[“”„‟″]|''/g, '"')
    .replace(/[–—]|-{2,3}/g, "-")
    .replace(/×/g, "x")
    .replace(/\s+/g, " ")
    .trim()
    .toLowerCase()

/** Titles, descriptions and headings of a page. */
const saidBy = ({ canonicals, headings, metas, title }: PageFacts): ReadonlyArray<string> => [
  title ?? "",
  ...metas.map(({ content }) => content ?? ""),
  ...headings.map(({ text }) => text),
  ...canonicals.map(({ raw, url }) => url ?? raw)
]

/** Reads the page. */
export const read = ({ body, headers, url, values }: typeof Question.Type): Effect.Effect<typeof Answer.Type> =>
  Effect.map(readPage(new URL(url), headers, body), (facts) => {
    const said = saidBy(facts).map(folded)
    return { missing: values.find((value) => !said.some((text) => text.includes(folded(value)))) ?? null }
  })
