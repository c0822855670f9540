import * as Config from "effect/Config"
import * as ConfigError from "effect/ConfigError"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"

/** A larger price is a typing error, and sums of it would have no limit. */
const mostUsd = 1_000_000

const Usd = Schema.Number.pipe(Schema.between(0, mostUsd))

/** Prices of a model, in US dollars: a million tokens read and written, one web search, and the maximum for one call. */
export const Price = Schema.Struct({
  input: Usd,
  output: Usd,
  search: Usd,
  call: Usd.pipe(Schema.positive())
})
export type Price = typeof Price.Type

/** A model's name, such as `gpt-5-mini`, and its price. */
type Prices = Readonly<Record<string, Price>>

/**
 * Prices of November 2025; the administrator's prices replace them. `call` is the price of a full context window, the longest allowed text, and the maximum
 * of searches, so no call costs more. Prices change, so each file has a date.
 */
const dated: Prices = {
  "gpt-5-mini": { input: 0.25, output: 2, search: 0.01, call: 0.15 },
  "gpt-5": { input: 1.25, output: 10, search: 0.01, call: 0.6 },
  "claude-haiku-4-5": { input: 1, output: 5, search: 0.01, call: 0.25 },
  "claude-sonnet-4-5": { input: 3, output: 15, search: 0.01, call: 0.7 },
  "perplexity/sonar": { input: 1, output: 1, search: 0.005, call: 0.15 },
  "grok-4-fast-reasoning": { input: 0.2, output: 0.5, search: 0.01, call: 0.15 }
}

const decode = Schema.decodeUnknownEither(
  Schema.parseJson(Schema.Record({ key: Schema.NonEmptyString, value: Price })),
  { onExcessProperty: "error" }
)

/** Prices of models: the administrator's, else the dated ones. */
export const Prices: Config.Config<Prices> = Config.string("FINDABLE_GEO_PRICES").pipe(
  Config.withDefault("{}"),
  Config.mapOrFail((text) =>
    Either.mapBoth(decode(text), {
      onLeft: () =>
        ConfigError.InvalidData(
          ["FINDABLE_GEO_PRICES"],
          'must be JSON such as {"gpt-5-mini":{"input":0.25,"output":2,"search":0.01,"call":0.15}}, in US dollars'
        ),
      onRight: (own): Prices => ({ ...dated, ...own })
    })
  ),
  Config.withDescription(
    "Prices of models in US dollars, as JSON: `input` and `output` per million tokens, `search` per search, `call` the most that one call costs. They replace the prices that come with Findable"
  )
)

/** A call's usage as the engine reports it; `usd` if it reports the cost. */
export interface Usage {
  readonly input: number
  readonly output: number
  readonly searches: number
  readonly usd: number | null
}

/** The cost of a call, and whether the engine reported it. */
interface Cost {
  readonly usd: number
  readonly isExact: boolean
}

/** The engine's own cost, or its counts at the model's prices. */
export const costOf = (price: Price, { input, output, searches, usd }: Usage): Cost =>
  usd === null
    ? { isExact: false, usd: (input * price.input + output * price.output) / 1e6 + searches * price.search }
    : { isExact: true, usd }

/** The usual minimum of a call: one search, 2,000 tokens read and 300 written. */
export const usual = (price: Price): number =>
  Math.min(price.call, costOf(price, { input: 2000, output: 300, searches: 1, usd: null }).usd)
