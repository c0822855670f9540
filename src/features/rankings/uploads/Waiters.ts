import * as Effect from "effect/Effect"
import { apiError, waitHeaders } from "../../../foundation/http/ApiError.ts"
import * as Monotonic from "../../../foundation/schema/Monotonic.ts"
import type { AccountId } from "../../accounts/Domain.ts"

/** Milliseconds for which a request waits for another one that is sending a file with the same Idempotency-Key. */
const patience = 60_000

/** Requests of an account that may wait at once in one process. */
const atMost = 100

/** Seconds for `Retry-After`: when the file will have arrived is unknown. */
const again = 10

const tooMany = apiError(
  "quota_exceeded",
  `${atMost} requests of the account wait for others with their Idempotency-Key: send this one again later`,
  { headers: waitHeaders(atMost, again) }
)

/** The answer to a request that has waited for long enough. */
export const stillReceiving = apiError(
  "conflict",
  "Another request with this Idempotency-Key is still sending its file: send this one again later",
  { headers: { "retry-after": String(again) } }
)

/** Requests that wait for another one with their Idempotency-Key; `isReceiving` says whether there is one. */
export const make = (isReceiving: (account: AccountId, key: string) => Effect.Effect<boolean>) => {
  const waiting = new Map<AccountId, number>()
  const count = (account: AccountId, change: 1 | -1) =>
    Effect.sync(() => {
      const left = (waiting.get(account) ?? 0) + change
      if (left === 0) waiting.delete(account)
      else waiting.set(account, left)
    })

  const freed = Effect.fnUntraced(function* (account: AccountId, key: string, deadline: number) {
    for (let pause = 100; yield* isReceiving(account, key); pause = Math.min(2 * pause, 1_000)) {
      if ((yield* Monotonic.now) >= deadline) return yield* stillReceiving
      yield* Effect.sleep(pause)
    }
  })

  /** When a request that comes now has waited for long enough. */
  const deadline = Effect.map(Monotonic.now, (now) => now + patience)

  /**
   * Waits until no file with this key is received; by looking, since another node may receive it. The request's body is not read meanwhile, because
   * this file may be the next.
   */
  const wait = Effect.fnUntraced(function* (account: AccountId, key: string, deadline: number) {
    if ((waiting.get(account) ?? 0) >= atMost) return yield* tooMany
    yield* Effect.acquireUseRelease(
      count(account, 1),
      () => freed(account, key, deadline),
      () => count(account, -1)
    )
  })

  return { deadline, wait }
}
