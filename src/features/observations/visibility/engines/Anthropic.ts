import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import {
  type Answer,
  Count,
  citing,
  type Dialect,
  lenient,
  named,
  type Paused,
  regionOf,
  type Unusable,
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
  /** Results of a search, or its error: both come with status 200. */
  content: Schema.optionalWith(Schema.Unknown, { exact: true })
})
const Body = Schema.Struct({
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
const decode = Schema.decodeUnknownEither(Body)
const isFailed = Schema.is(Failed)
const isFound = Schema.is(Schema.Array(Schema.Unknown))

/** The messages of a request: those of an engine that paused are followed by what it wrote before. */
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

/** What the engine wrote before it paused. */
const earlier = (asked: object) =>
  Either.match(decodeAsked(asked), {
    onLeft: () => [],
    onRight: ({ messages }) => messages.flatMap((message) => Either.getOrNull(decodeEarlier(message))?.content ?? [])
  })

const isSearch = ({ type }: typeof Block.Type) => type === "web_search_tool_result"

/** What a request used; searches that are not counted are those of which there are results. */
const usageOf = ({ content, usage }: typeof Body.Type): Usage | null =>
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
      message: `The engine's search failed: ${/^[a-z_]{1,40}$/.test(failure.error_code) ? failure.error_code : "for a reason it does not name"}`,
      usage
    })
  if (stop_reason === "max_tokens" || (text === "" && !isRefusal))
    return Either.left({
      _tag: "Unusable",
      code: "incomplete",
      message: "The engine ended without a whole answer",
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
