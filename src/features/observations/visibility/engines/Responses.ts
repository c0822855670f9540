import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { Citation } from "../Domain.ts"
import {
  Amount,
  type Answer,
  Count,
  citing,
  lenient,
  named,
  type Unusable,
  unmarked,
  unreadable,
  used,
  written
} from "./Answer.ts"
import type { Usage } from "./Prices.ts"

const text = lenient(Schema.String, () => "")
const list = <A, I>(item: Schema.Schema<A, I>) => lenient(Schema.Array(item), () => [])

const Annotation = Schema.Struct({ type: text, url: text, title: text })
const Content = Schema.Struct({ type: text, text, refusal: text, annotations: list(Annotation) })
const Result = Schema.Struct({ id: lenient(Schema.Number, () => -1), url: text, title: text })
const Item = Schema.Struct({
  type: text,
  action: lenient(Schema.Struct({ type: text }), () => ({ type: "" })),
  content: list(Content),
  results: list(Result)
})

/** The Responses format, as far as it is read: OpenAI's, and what Perplexity and xAI make of it. Fields and kinds that are new are passed over. */
export const Body = Schema.Struct({
  model: Schema.optionalWith(Schema.NullOr(Schema.String), { default: () => null }),
  status: text,
  output: Schema.Array(Item),
  usage: Schema.Unknown
})
export type Body = typeof Body.Type

const decode = Schema.decodeUnknownEither(Body)

const absent = () => null
const Told = Schema.Struct({
  input_tokens: lenient(Schema.NullOr(Count), absent),
  output_tokens: lenient(Schema.NullOr(Count), absent),
  cost_in_usd_ticks: lenient(Schema.NullOr(Amount), absent),
  cost: lenient(Schema.Struct({ total_cost: lenient(Schema.NullOr(Amount), absent) }), () => ({ total_cost: null }))
})
const decodeTold = Schema.decodeUnknownOption(Told)

/** What a call used: the engine's own cost, or both its counts of tokens. */
const usageOf = (told: typeof Told.Type, searches: number, usd: number | null): Usage | null => {
  const { input_tokens: input, output_tokens: output } = told
  if (usd === null && (input === null || output === null)) return null
  return used({ input: input ?? 0, output: output ?? 0, searches, usd })
}

/** The parts of an answer that engines differ in. */
interface Reading {
  readonly citations: (body: Body, text: string) => ReadonlyArray<Citation>
  readonly searches: (body: Body) => number
  readonly usd: (told: typeof Told.Type) => number | null
}

const contentsOf = (body: Body) => body.output.flatMap(({ content, type }) => (type === "message" ? content : []))

/** The citations among the annotations of the text. */
export const annotated = (body: Body): ReadonlyArray<Citation> =>
  citing(
    contentsOf(body)
      .flatMap(({ annotations }) => annotations)
      .filter(({ type }) => type === "url_citation")
      .map(({ title, url }) => ({ title, url: unmarked(url) }))
  )

const incomplete = (usage: Usage | null): Unusable => ({
  _tag: "Unusable",
  code: "incomplete",
  message: "The engine ended without a whole answer",
  usage
})

/** Reads answers in the Responses format. */
export const responses =
  ({ citations, searches, usd }: Reading) =>
  (json: unknown): Either.Either<Answer, Unusable> => {
    const decoded = decode(json)
    if (Either.isLeft(decoded)) return Either.left(unreadable)
    const body = decoded.right
    const contents = contentsOf(body)
    const text = written(contents.map(({ text }) => text))
    const isRefusal = contents.some(({ type }) => type === "refusal")
    const found = searches(body)
    const usage = Option.match(decodeTold(body.usage), {
      onNone: absent,
      onSome: (told) => usageOf(told, found, usd(told))
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
