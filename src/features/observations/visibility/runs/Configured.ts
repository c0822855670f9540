import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { apiError } from "../../../../foundation/http/ApiError.ts"
import { Invalid } from "../../../../foundation/schema/DomainError.ts"
import type { Engine } from "../Domain.ts"
import { dialects } from "../engines/Client.ts"
import { type Price, Prices } from "../engines/Prices.ts"
import { DailyUsd, Engines, variableOf } from "../engines/Settings.ts"

/** An engine as it is asked: its model and what that costs, and the version of its search tool. */
export interface Offer {
  readonly engine: Engine
  readonly model: string
  readonly price: Price
  readonly tool: string
}

const missing = (setting: string) =>
  apiError("not_configured", `AI visibility is off: the operator must set ${setting}`)

/** What the operator configured of engines, prices and budget. */
export class Configured extends Effect.Service<Configured>()("visibility/runs/Configured", {
  effect: Effect.gen(function* () {
    const engines = yield* Engines
    const prices = yield* Prices
    const daily = yield* DailyUsd

    const offer = (engine: Engine): Option.Option<Offer> => {
      const { model } = engines[engine]
      return Option.map(Option.fromNullable(prices[model]), (price) => ({
        engine,
        model,
        price,
        tool: dialects[engine].tool
      }))
    }

    /** The engines with the prices of their models, all of which must have one. */
    const offers = (asked: ReadonlyArray<Engine>) =>
      Effect.forEach(asked, (engine, at) =>
        Option.match(offer(engine), {
          onNone: () =>
            Invalid.of(
              `engines.${at}`,
              `has the model ${engines[engine].model}, which has no price: the operator must set it in FINDABLE_GEO_PRICES`
            ),
          onSome: Effect.succeed
        })
      )

    /** Fails with `not_configured` unless there is a budget, and each engine has a key. */
    const ready = (asked: ReadonlyArray<Engine>) => {
      const without = asked.find((engine) => Option.isNone(engines[engine].key))
      if (without !== undefined) return missing(`FINDABLE_${variableOf[without]}_KEY`)
      return Option.match(daily, { onNone: () => missing("FINDABLE_GEO_DAILY_USD"), onSome: Effect.succeed })
    }

    return { daily, engines, offers, prices, ready }
  })
}) {}
