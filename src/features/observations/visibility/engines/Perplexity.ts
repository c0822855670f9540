import type { Citation } from "../Domain.ts"
import { citing, type Dialect } from "./Answer.ts"
import { type Body, responses } from "./Responses.ts"

/** The results whose numbers stand in the text, as in `types.[7]` or `[1, 2]`: what was only read is not cited. */
const numbered = (body: Body, text: string): ReadonlyArray<Citation> => {
  const results = new Map(body.output.flatMap(({ results }) => results.map((result) => [result.id, result] as const)))
  const numbers = Array.from(text.matchAll(/\[(?:web:)?(\d{1,4}(?:\s*,\s*\d{1,4})*)\]/g), ([, inner = ""]) =>
    inner.split(",").map(Number)
  ).flat()
  return citing(
    numbers.flatMap((number) => {
      const found = results.get(number)
      return found === undefined ? [] : [found]
    })
  )
}

/** Perplexity's Responses API. It says what a call costs; its annotations are empty. */
export const perplexity: Dialect = {
  path: "/v1/responses",
  tool: "web_search",
  headers: (key) => ({ authorization: `Bearer ${key}` }),
  body: (model, { text }) => ({
    input: text,
    max_output_tokens: 2048,
    model,
    tools: [{ type: "web_search" }]
  }),
  read: responses({
    citations: numbered,
    searches: ({ output }) => output.filter(({ type }) => type === "search_results").length,
    usd: ({ cost }) => cost.total_cost
  })
}
