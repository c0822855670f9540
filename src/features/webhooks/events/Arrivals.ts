import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Queue from "effect/Queue"
import * as RcRef from "effect/RcRef"
import { Location } from "../../../foundation/database/Location.ts"
import { notifications } from "../../../foundation/database/Wakeups.ts"
import { applied, waitOf } from "../../../foundation/http/Prefer.ts"
import { Stopping } from "../../../foundation/http/ServerContext.ts"
import type { AccountId } from "../../accounts/Domain.ts"
import { ofAccounts } from "../../events/Channel.ts"
import { nextEvent } from "./Filters.ts"

/** Milliseconds between two looks: at first until the connection for notifications is up, later because one can be lost with it. */
const pauses = { first: 200, longest: 5000 } as const

/** News that come within this time of a look are one. */
const breath = "50 millis"

/** Waiting for events of an account. All waits of a node share one connection for notifications, open while there are any; between looks they hold no other. */
export class Arrivals extends Effect.Service<Arrivals>()("webhooks/events/Arrivals", {
  scoped: Effect.gen(function* () {
    const location = yield* Location
    const stopping = yield* Stopping
    const waiting = new Map<string, Set<Queue.Queue<void>>>()

    const wake = (account: string) =>
      Effect.forEach(waiting.get(account) ?? [], (news) => Queue.offer(news, undefined), { discard: true })

    const ear = yield* RcRef.make({
      acquire: Effect.provideService(notifications(ofAccounts, wake), Location, location),
      idleTimeToLive: "1 minute"
    })

    /** News of an account, for as long as the scope lives. */
    const newsOf = (account: AccountId) =>
      Effect.acquireRelease(
        Effect.map(Queue.sliding<void>(1), (news) => {
          waiting.set(account, (waiting.get(account) ?? new Set()).add(news))
          return news
        }),
        (news) =>
          Effect.sync(() => {
            const others = waiting.get(account)
            others?.delete(news)
            if (others?.size === 0) waiting.delete(account)
          })
      )

    const found = <A, E, R>(account: AccountId, read: Effect.Effect<A, E, R>, isSome: (answer: A) => boolean) =>
      Effect.gen(function* () {
        const news = yield* newsOf(account)
        yield* RcRef.get(ear)
        const look = (pause: number): Effect.Effect<A, E, R> =>
          Effect.filterOrElse(read, isSome, () =>
            Effect.sleep(breath).pipe(
              Effect.zipRight(Effect.timeoutOption(Queue.take(news), pause)),
              Effect.zipRight(Effect.suspend(() => look(Math.min(2 * pause, pauses.longest))))
            )
          )
        return yield* look(pauses.first)
      }).pipe(Effect.scoped)

    /** What `read` answers: at once where that is something or no wait is preferred, else when there is something, the time is over, or this node stops. */
    const awaited =
      (prefer: string | undefined) =>
      <A, E, R>(account: AccountId, read: Effect.Effect<A, E, R>, isSome: (answer: A) => boolean) =>
        Effect.flatMap(read, (answer) =>
          Option.match(isSome(answer) ? Option.none() : waitOf(prefer, nextEvent), {
            onNone: () => Effect.succeed(answer),
            onSome: (seconds) =>
              found(account, read, isSome).pipe(
                Effect.asSome,
                Effect.raceFirst(Effect.as(stopping.begun, Option.none<A>())),
                Effect.timeoutOption(`${seconds} seconds`),
                Effect.interruptible,
                Effect.map(Option.flatten),
                Effect.tap(applied(seconds)),
                Effect.flatMap(Option.match({ onNone: () => read, onSome: Effect.succeed }))
              )
          })
        )

    return { awaited }
  })
}) {}
