import { type Dialect, regionOf } from "./Answer.ts"
import { annotated, type Body, responses } from "./Responses.ts"

/** Tokens that a model may write, its reasoning included, and tools that it may use: they bound what a call costs. */
const most = { tokens: 8192, tools: 6 } as const

const isSearch = ({ action, type }: Body["output"][number]) =>
  type === "web_search_call" && (action.type === "search" || action.type === "")

/** OpenAI's Responses API with its web search: https://platform.openai.com/docs/guides/tools-web-search */
export const openai: Dialect = {
  path: "/v1/responses",
  tool: "web_search",
  headers: (key) => ({ authorization: `Bearer ${key}` }),
  body: (model, { locale, text }) => {
    const country = regionOf(locale)
    return {
      include: ["web_search_call.action.sources"],
      input: text,
      max_output_tokens: most.tokens,
      max_tool_calls: most.tools,
      model,
      store: false,
      tool_choice: { type: "web_search" },
      tools: [
        {
          search_context_size: "medium",
          type: "web_search",
          ...(country === undefined ? {} : { user_location: { country, type: "approximate" } })
        }
      ]
    }
  },
  // Opened pages cost no search: https://platform.openai.com/docs/pricing
  read: responses({
    citations: annotated,
    searches: ({ output }) => output.filter(isSearch).length,
    usd: () => null
  })
}

/** xAI's Responses API, which says in units of 10⁻¹⁰ dollars what a call costs. */
export const xai: Dialect = {
  path: "/v1/responses",
  tool: "web_search",
  headers: openai.headers,
  body: (model, { text }) => ({
    input: [{ content: text, role: "user" }],
    max_output_tokens: most.tokens,
    model,
    store: false,
    tools: [{ type: "web_search" }]
  }),
  read: responses({
    citations: annotated,
    searches: ({ output }) => output.filter(({ type }) => type === "web_search_call").length,
    usd: ({ cost_in_usd_ticks: ticks }) => (ticks === null ? null : ticks / 1e10)
  })
}
