import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type { LeaseLost } from "../../../../foundation/database/Lease.ts"
import * as Monotonic from "../../../../foundation/schema/Monotonic.ts"
import { reading } from "../engines/Answer.ts"
import { type AskFailed, dialects, EngineClient } from "../engines/Client.ts"
import { costOf, type Price, type Usage } from "../engines/Prices.ts"
import type { Call, Claim, End } from "./CallsRepo.ts"
import { judge } from "./Judgement.ts"

/** How often a question is asked again when the engine did not answer, and for how long, in milliseconds. */
const retries = { times: 2, within: 180_000 } as const

/** The money of one question: each try is charged the upper price before it is sent. */
interface Purse {
  readonly price: Price
  /** Whether a further try was charged: at the budget it is not. */
  readonly again: Effect.Effect<boolean, LeaseLost>
  /** Takes the charge of a try back that the engine refused before it worked. */
  readonly release: Effect.Effect<void>
}

/** How a question ended, and whether the engine is of no use for any other either. */
export interface Asked {
  readonly end: End
  readonly failure: AskFailed["code"] | "incomplete" | "search_failed" | null
}

/** Asks a question of an engine, with its retries, and judges the answer. */
export const asking = Effect.map(EngineClient, ({ ask }) =>
  Effect.fnUntraced(function* (claim: Claim, { engine, locale, model, text }: Call, purse: Purse) {
    const { price } = purse
    const dialect = dialects[engine]
    const start = yield* Monotonic.now
    let body = dialect.body(model, { locale, text })
    let [tries, pauses, known, inDoubt] = [0, 0, 0, 0]
    let isExact = true

    /** Counts the cost of a try that was answered. One in doubt, or above what was reserved, is what was reserved. */
    const pay = (usage: Usage | null) => {
      const cost = usage === null ? null : costOf(price, usage)
      if (cost !== null && cost.usd <= price.call) {
        known += cost.usd
        isExact &&= cost.isExact
        return Effect.void
      }
      inDoubt += price.call
      return Effect.logWarning(
        cost === null
          ? `The usage that ${engine} reports of an answer of ${model} is missing or no amount: the call is charged at its upper price of ${price.call} US dollars`
          : `The usage that ${engine} reports of an answer of ${model} costs ${cost.usd} US dollars: the call is charged at its upper price of ${price.call}. If the model costs more, raise \`call\` in FINDABLE_GEO_PRICES`
      )
    }
    const charged = () => ({ isExact: isExact && inDoubt === 0, usd: known + inDoubt })
    const failed = (code: NonNullable<Asked["failure"]>, message: string): Asked => ({
      end: {
        ...charged(),
        citations: [],
        error: { code, message },
        isExact: false,
        isMentioned: false,
        model: null,
        outcome: "error",
        text: null
      },
      failure: code
    })

    while (true) {
      const got = yield* Effect.either(ask({ body, engine }))
      if (Either.isLeft(got)) {
        const failure = got.left
        if (failure.mayCost) inDoubt += price.call
        else yield* purse.release
        const wait = failure.retryAfter ?? 1000 * 2 ** tries
        const elapsed = (yield* Monotonic.now) - start
        const mayRetry = failure.isPassing && tries < retries.times && elapsed + wait <= retries.within
        if (!mayRetry) return failed(failure.code, failure.message)
        yield* Effect.sleep(wait)
        tries += 1
        if (!(yield* purse.again)) return failed(failure.code, failure.message)
        continue
      }
      const read = reading(dialect, got.right, body)
      if (Either.isLeft(read)) {
        yield* pay(read.left.usage)
        return failed(read.left.code, read.left.message)
      }
      yield* pay(read.right.usage)
      if (read.right._tag === "Answer") {
        const { citations, model, text } = read.right
        const end = { ...judge(read.right, claim), ...charged(), citations, error: null, model, text }
        return { end, failure: null } satisfies Asked
      }
      body = read.right.next
      pauses += 1
      if (pauses > 1 || !(yield* purse.again)) return failed("incomplete", "The engine paused and did not end")
    }
  })
)
