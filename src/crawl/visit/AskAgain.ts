import * as Effect from "effect/Effect"
import { type Answer, isThrottled } from "../fetch/Answer.ts"
import type { Fetcher, Get } from "../fetch/Fetcher.ts"
import type { GateShut } from "../politeness/HostGate.ts"

/** An answer that may differ a moment later; a time-out has waited long enough already. */
const isTransient = (answer: Answer): boolean =>
  answer._tag === "Lost"
    ? answer.connected && answer.cause !== "timeout"
    : answer.status >= 500 || isThrottled(answer.status)

/**
 * Asks for a file that the site's owner wrote for crawlers: once more after `pause` ms when the first answer may be an
 * accident. When there is no time for that, the first answer stands.
 */
export const askAgain = (fetcher: Fetcher, request: Get, pause: number): Effect.Effect<Answer, GateShut> =>
  Effect.filterOrElse(
    fetcher.get(request),
    (answer) => !isTransient(answer),
    (answer) => Effect.orElseSucceed(Effect.delay(fetcher.get(request), pause), () => answer)
  )
