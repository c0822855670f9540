import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import type { Citation } from "../Domain.ts"
import { type Answer, citing, lenient, named, type Unusable, unmarked, unreadable, used, written } from "./Answer.ts"
import type { Usage } from "./Prices.ts"

const text = lenient(Schema.String, () => "")
const number = lenient(Schema.Number, () => 0)
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
  usage: lenient(
    Schema.Struct({
      input_tokens: number,
      output_tokens: number,
      cost_in_usd_ticks: lenient(Schema.NullOr(Schema.Number), () => null),
      cost: lenient(Schema.Struct({ total_cost: lenient(Schema.NullOr(Schema.Number), () => null) }), () => ({
        total_cost: null
      }))
    }),
    () => ({ cost: { total_cost: null }, cost_in_usd_ticks: null, input_tokens: 0, output_tokens: 0 })
  )
})
export type Body = typeof Body.Type

const decode = Schema.decodeUnknownEither(Body)

/** The parts of an answer that engines differ in. */
interface Reading {
  readonly citations: (body: Body, text: string) => ReadonlyArray<Citation>
  readonly searches: (body: Body) => number
  readonly usd: (body: Body) => number | null
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

/** Reads an answer in the Responses format. */
export const reading =
  ({ citations, searches, usd }: Reading) =>
  (json: unknown): Either.Either<Answer, Unusable> => {
    const decoded = decode(json)
    if (Either.isLeft(decoded)) return Either.left(unreadable)
    const body = decoded.right
    const contents = contentsOf(body)
    const text = written(contents.map(({ text }) => text))
    const isRefusal = contents.some(({ type }) => type === "refusal")
    const found = searches(body)
    const usage = used({
      input: body.usage.input_tokens,
      output: body.usage.output_tokens,
      searches: found,
      usd: usd(body)
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
