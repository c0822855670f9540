import * as Array from "effect/Array"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import { type Fetcher, type Get, lost } from "../../../../crawl/fetch/Fetcher.ts"
import { OutOfTime } from "../../../../crawl/politeness/HostLimiter.ts"
import { machineOf } from "../../../../foundation/outbound/address/Address.ts"
import { Outbound } from "../../../../foundation/outbound/Outbound.ts"
import type { AccountId } from "../../../accounts/Domain.ts"
import { rootOf } from "../files/Cells.ts"
import { AllowanceRepo } from "./AllowanceRepo.ts"
import { PaceRepo } from "./PaceRepo.ts"

/** Addresses of a host that its requests go to: one with more of them is asked at the first ones. */
const addressesAtMost = 4

/** The names by which a server keeps its distance from requests: its domain, and each of its addresses without the port. */
const namesOf = ({ hostname }: URL, addresses: ReadonlyArray<string>) =>
  Array.dedupe([rootOf(hostname), ...addresses.map(machineOf)])

const outOfTime = new OutOfTime({ reason: "deadline" })

/** Requests of an account at the pace of the servers that they go to, redirects included, and within the looks of its day. */
export const make = Effect.fnUntraced(function* (account: AccountId, inner: Fetcher, deadlineAt: number) {
  const outbound = yield* Outbound
  const { allowance, take } = yield* AllowanceRepo
  const { reserve } = yield* PaceRepo
  const answered = new Set<string>()
  let isOver = (yield* allowance(account)).left === 0

  /** Waits for the account's turn at a server. */
  const turn = (names: ReadonlyArray<string>): Effect.Effect<void, OutOfTime> =>
    Effect.gen(function* () {
      const within = (deadlineAt - (yield* Clock.currentTimeMillis)) / 1000
      const next = yield* reserve({ account, names, within })
      if (Option.isNone(next) || next.value.wait >= within) return yield* outOfTime
      yield* Effect.sleep(1000 * next.value.wait)
      if (!next.value.isReserved) yield* turn(names)
    })

  /** The pages of a host, one after the other: each counts when its first request begins. */
  const pagesOf = (host: string) => {
    let isCounted = false
    const counted = Effect.suspend(() =>
      isCounted
        ? Effect.void
        : Effect.flatMap(take(account), (taken) => {
            isCounted = Option.isSome(taken)
            isOver ||= !isCounted
            return isCounted ? Effect.void : outOfTime
          })
    )

    const get = Effect.fnUntraced(function* (request: Get) {
      const found = yield* Effect.either(outbound.vet(request.url))
      const addresses = Either.isRight(found) ? found.right.slice(0, addressesAtMost) : []
      if (Either.isRight(found)) yield* turn(namesOf(request.url, addresses))
      yield* counted
      const until = (yield* Clock.currentTimeMillis) + request.deadline
      const answer = Either.isRight(found) ? yield* inner.get({ ...request, addresses }) : lost(found.left)
      if (answer._tag === "Answered") answered.add(host)
      // A missing answer takes the same time whatever the network said, so that its time says no more than its reason.
      else yield* Effect.sleep(Math.max(0, until - (yield* Clock.currentTimeMillis)))
      return answer
    })

    const begin = Effect.suspend(() => {
      isCounted = false
      return isOver ? outOfTime : Effect.void
    })
    return { begin, fetcher: { get, space: inner.space } satisfies Fetcher }
  }

  return { answered, isOver: Effect.sync(() => isOver), pagesOf }
})
