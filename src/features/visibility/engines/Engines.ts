import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { Citation } from "../Domain.ts"
import {
  Amount,
  type Answer,
  Count,
  citing,
  type Dialect,
  lenient,
  named,
  type Paused,
  regionOf,
  type Unusable,
  unmarked,
  unreadable,
  used,
  written
} from "./Answer.ts"
import type { Usage } from "./Prices.ts"

const text = lenient(Schema.String, () => "")
const none = lenient(Count, () => 0)

const Failed = Schema.Struct({ type: Schema.Literal("web_search_tool_result_error"), error_code: text })
const Block = Schema.Struct({
  type: text,
  text,
  citations: lenient(Schema.Array(Schema.Struct({ type: text, url: text, title: text })), () => []),
  /** Results of a search, or its error: both have status 200. */
  content: Schema.optionalWith(Schema.Unknown, { exact: true })
})
const MessagesBody = Schema.Struct({
  model: Schema.optionalWith(Schema.NullOr(Schema.String), { default: () => null }),
  stop_reason: text,
  content: Schema.Array(Block),
  usage: Schema.Unknown
})
const Told = Schema.Struct({
  input_tokens: Count,
  cache_creation_input_tokens: none,
  cache_read_input_tokens: none,
  output_tokens: Count,
  server_tool_use: lenient(Schema.Struct({ web_search_requests: lenient(Schema.NullOr(Count), () => null) }), () => ({
    web_search_requests: null
  }))
})
const decodeTold = Schema.decodeUnknownOption(Told)
const decode = Schema.decodeUnknownEither(MessagesBody)
const isFailed = Schema.is(Failed)
const isFound = Schema.is(Schema.Array(Schema.Unknown))

/** The messages of a request; after a pause the engine's earlier text follows. */
const Asked = Schema.Struct({ messages: Schema.Array(Schema.Unknown) })
const decodeAsked = Schema.decodeUnknownEither(Asked, { onExcessProperty: "preserve" })
const decodeContent = Schema.decodeUnknownEither(Schema.Struct({ content: Schema.Array(Schema.Unknown) }))
const decodeEarlier = Schema.decodeUnknownEither(
  Schema.Struct({ content: Schema.Array(Block), role: Schema.Literal("assistant") })
)

const goOn = (asked: object, json: unknown) =>
  Either.map(Either.all([decodeAsked(asked), decodeContent(json)]), ([{ messages }, { content }]) => ({
    ...asked,
    messages: [...messages, { content, role: "assistant" }]
  }))

/** The engine's text before its pause. */
const earlier = (asked: object) =>
  Either.match(decodeAsked(asked), {
    onLeft: () => [],
    onRight: ({ messages }) => messages.flatMap((message) => Either.getOrNull(decodeEarlier(message))?.content ?? [])
  })

const isSearch = ({ type }: typeof Block.Type) => type === "web_search_tool_result"

/** The usage of a request; uncounted searches are counted by their results. */
const usageOf = ({ content, usage }: typeof MessagesBody.Type): Usage | null =>
  Option.match(decodeTold(usage), {
    onNone: () => null,
    onSome: (told) =>
      used({
        input: told.input_tokens + told.cache_creation_input_tokens + told.cache_read_input_tokens,
        output: told.output_tokens,
        searches: told.server_tool_use.web_search_requests ?? content.filter(isSearch).length,
        usd: null
      })
  })

const read = (json: unknown, asked: object): Either.Either<Answer | Paused, Unusable> => {
  const decoded = decode(json)
  if (Either.isLeft(decoded)) return Either.left(unreadable)
  const { model, stop_reason } = decoded.right
  const usage = usageOf(decoded.right)
  const content = [...earlier(asked), ...decoded.right.content]
  if (stop_reason === "pause_turn")
    return Either.mapBoth(goOn(asked, json), {
      onLeft: () => unreadable,
      onRight: (next) => ({ _tag: "Paused", next, usage })
    })
  const isRefusal = stop_reason === "refusal"
  const text = written(content.map(({ text }) => text))
  const searches = content.filter(isSearch)
  const searched = searches.some(({ content }) => isFound(content))
  const failure = searches.map(({ content }) => content).find(isFailed)
  if (failure !== undefined && !searched)
    return Either.left({
      _tag: "Unusable",
      code: "search_failed",
      message: `The engine's search failed: ${/^[a-z_]{1,40}$/.test(failure.error_code) ? failure.error_code : "no reason given"}`,
      usage
    })
  if (stop_reason === "max_tokens" || (text === "" && !isRefusal))
    return Either.left({
      _tag: "Unusable",
      code: "incomplete",
      message: "The AI assistant did not finish its answer",
      usage
    })
  const citations = citing(
    content.flatMap(({ citations }) => citations).filter(({ type }) => type === "web_search_result_location")
  )
  return Either.right({ _tag: "Answer", citations, isRefusal, model: named(model), searched, text, usage })
}

/** Anthropic's Messages API with its web search: https://docs.anthropic.com/en/docs/agents-and-tools/tool-use/web-search-tool */
export const anthropic: Dialect = {
  path: "/v1/messages",
  tool: "web_search_20250305",
  headers: (key) => ({ "anthropic-version": "2023-06-01", "x-api-key": key }),
  body: (model, { locale, text }) => {
    const country = regionOf(locale)
    return {
      max_tokens: 4096,
      messages: [{ content: text, role: "user" }],
      model,
      tools: [
        {
          max_uses: 2,
          name: "web_search",
          type: "web_search_20250305",
          ...(country === undefined ? {} : { user_location: { country, type: "approximate" } })
        }
      ]
    }
  },
  read
}

const lenientText = lenient(Schema.String, () => "")
const list = <A, I>(item: Schema.Schema<A, I>) => lenient(Schema.Array(item), () => [])

const Annotation = Schema.Struct({ type: lenientText, url: lenientText, title: lenientText })
const Content = Schema.Struct({
  type: lenientText,
  text: lenientText,
  refusal: lenientText,
  annotations: list(Annotation)
})
const Result = Schema.Struct({ id: lenient(Schema.Number, () => -1), url: lenientText, title: lenientText })
const Item = Schema.Struct({
  type: lenientText,
  action: lenient(Schema.Struct({ type: lenientText }), () => ({ type: "" })),
  content: list(Content),
  results: list(Result)
})

/** The used parts of the Responses format: OpenAI's, and the variants of Perplexity and xAI. New fields and kinds are skipped. */
const Body = Schema.Struct({
  model: Schema.optionalWith(Schema.NullOr(Schema.String), { default: () => null }),
  status: lenientText,
  output: Schema.Array(Item),
  usage: Schema.Unknown
})
type Body = typeof Body.Type

const decodeResponse = Schema.decodeUnknownEither(Body)

const absent = () => null
const ResponseUsage = Schema.Struct({
  input_tokens: lenient(Schema.NullOr(Count), absent),
  output_tokens: lenient(Schema.NullOr(Count), absent),
  cost_in_usd_ticks: lenient(Schema.NullOr(Amount), absent),
  cost: lenient(Schema.Struct({ total_cost: lenient(Schema.NullOr(Amount), absent) }), () => ({ total_cost: null }))
})
const decodeUsage = Schema.decodeUnknownOption(ResponseUsage)

/** The usage of a call: the engine's own cost, or both its token counts. */
const responseUsage = (told: typeof ResponseUsage.Type, searches: number, usd: number | null): Usage | null => {
  const { input_tokens: input, output_tokens: output } = told
  if (usd === null && (input === null || output === null)) return null
  return used({ input: input ?? 0, output: output ?? 0, searches, usd })
}

/** The parts of an answer that differ between engines. */
interface Reading {
  readonly citations: (body: Body, text: string) => ReadonlyArray<Citation>
  readonly searches: (body: Body) => number
  readonly usd: (told: typeof ResponseUsage.Type) => number | null
}

const contentsOf = (body: Body) => body.output.flatMap(({ content, type }) => (type === "message" ? content : []))

/** The citations among the annotations of the text. */
const annotated = (body: Body): ReadonlyArray<Citation> =>
  citing(
    contentsOf(body)
      .flatMap(({ annotations }) => annotations)
      .filter(({ type }) => type === "url_citation")
      .map(({ title, url }) => ({ title, url: unmarked(url) }))
  )

const incomplete = (usage: Usage | null): Unusable => ({
  _tag: "Unusable",
  code: "incomplete",
  message: "The AI assistant did not finish its answer",
  usage
})

/** Reads responses in the Responses format. */
const responses =
  ({ citations, searches, usd }: Reading) =>
  (json: unknown): Either.Either<Answer, Unusable> => {
    const decoded = decodeResponse(json)
    if (Either.isLeft(decoded)) return Either.left(unreadable)
    const body = decoded.right
    const contents = contentsOf(body)
    const text = written(contents.map(({ text }) => text))
    const isRefusal = contents.some(({ type }) => type === "refusal")
    const found = searches(body)
    const usage = Option.match(decodeUsage(body.usage), {
      onNone: absent,
      onSome: (told) => responseUsage(told, found, usd(told))
    })
    const isWhole = body.status === "" || body.status === "completed"
    if (!isWhole || (text === "" && !isRefusal)) return Either.left(incomplete(usage))
    return Either.right({
      _tag: "Answer",
      citations: citations(body, text),
      isRefusal,
      model: named(body.model),
      searched: found > 0,
      text: isRefusal && text === "" ? written(contents.map(({ refusal }) => refusal)) : text,
      usage
    })
  }

/** Maximum tokens of a model's answer, reasoning included, and maximum tool calls: they bound the cost of a call. */
const most = { tokens: 8192, tools: 6 } as const

const isSearchCall = ({ action, type }: Body["output"][number]) =>
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
  // Opened pages are no searches: https://platform.openai.com/docs/pricing
  read: responses({
    citations: annotated,
    searches: ({ output }) => output.filter(isSearchCall).length,
    usd: () => null
  })
}

/** xAI's Responses API, with the cost of a call in units of 10⁻¹⁰ dollars. */
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

/** The results with their number in the text, as in `types.[7]` or `[1, 2]`: other results were only read. */
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

/** Perplexity's Responses API, with the cost of a call; its annotations are empty. */
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
