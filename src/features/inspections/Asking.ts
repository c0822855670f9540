import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import type { TokenSource } from "../rankings/searchconsole/AccessTokens.ts"
import * as Refusal from "../rankings/searchconsole/Refusal.ts"
import type { SearchConsoleFailed } from "../rankings/searchconsole/SearchAnalytics.ts"
import { type IndexStatus, UrlInspection } from "../rankings/searchconsole/UrlInspection.ts"
import { AccessRepo, type Connection } from "./AccessRepo.ts"
import { QueueRepo } from "./QueueRepo.ts"
import { QuotaRepo } from "./QuotaRepo.ts"

/** A URL, and the credentials that Google is asked with. */
interface Question {
  readonly connection: Connection
  readonly property: string
  readonly tokens: TokenSource
  readonly url: string
}

/** What came of a question: an answer, a refusal, or a time until which it has to wait. */
export type Reply =
  | { readonly _tag: "Answered"; readonly status: IndexStatus }
  | { readonly _tag: "Refused"; readonly failure: SearchConsoleFailed }
  | { readonly _tag: "Waits"; readonly until: DateTime.Utc }

const answered = (status: IndexStatus): Reply => ({ _tag: "Answered", status })
const refused = (failure: SearchConsoleFailed): Reply => ({ _tag: "Refused", failure })
const waits = (until: DateTime.Utc): Reply => ({ _tag: "Waits", until })

/** What was read is not true any more: the next worker reads it again. */
const atOnce = Effect.map(DateTime.now, waits)

/** Whether Google refuses the credentials, for which it counts no request. */
const isRefusal = ({ kind }: SearchConsoleFailed) => kind === "quota" || kind === "unauthorised" || kind === "forbidden"

/** Whether Google says that the quota of a minute is used up, and not that of the day. */
const isOfMinute = ({ reason }: SearchConsoleFailed) => /per\s*minute/i.test(reason)

/**
 * Asks Google within its quotas. A request by accepted credentials reserves one of the property's quota; new credentials are tried by one request at a time,
 * which counts when it is answered. What Google refuses is given back, and pauses the credentials that were refused and no others.
 */
export class Asking extends Effect.Service<Asking>()("inspections/Asking", {
  dependencies: [AccessRepo.Default, QueueRepo.Default, QuotaRepo.Default],
  effect: Effect.gen(function* () {
    const access = yield* AccessRepo
    const google = yield* UrlInspection
    const quota = yield* QuotaRepo
    const { ofCredentials, ofQuota } = yield* QueueRepo

    const waitForQuota = Effect.fnUntraced(function* (property: string, due: DateTime.Utc) {
      yield* ofQuota.delay({ due, property })
      return waits(due)
    })

    const waitForCredentials = Effect.fnUntraced(function* ({ project }: Connection, due: DateTime.Utc) {
      yield* ofCredentials.delay({ due, project })
      return waits(due)
    })

    /** What follows from a failure. Refused credentials pause, unless others are in their place by now: then the URL is asked for with these. */
    const replyTo = Effect.fnUntraced(function* ({ connection }: Question, failure: SearchConsoleFailed) {
      if (!isRefusal(failure)) return refused(failure)
      const isQuota = failure.kind === "quota"
      const paused = isQuota
        ? yield* access.pause({ ...connection, ...(yield* quota.renewed({ isMinute: isOfMinute(failure) })) })
        : yield* access.refuse(connection)
      if (Option.isNone(paused)) return yield* atOnce
      const wait = yield* waitForCredentials(connection, paused.value.until)
      return isQuota ? wait : refused(failure)
    })

    /** The token comes first: without one there is nothing to reserve. */
    const byAccepted = Effect.fnUntraced(function* (question: Question) {
      const { property, tokens } = question
      const token = yield* Effect.either(Effect.mapError(tokens.get, Refusal.ofToken))
      if (Either.isLeft(token)) return yield* replyTo(question, token.left)
      const reserved = yield* quota.reserve({ property })
      if (Option.isNone(reserved)) {
        const full = yield* quota.fullUntil({ property })
        return Option.isNone(full) ? yield* atOnce : yield* waitForQuota(property, full.value.until)
      }
      const giveBack = Effect.flatMap(quota.giveBack({ property, ...reserved.value }), (given) => {
        const due = Option.getOrNull(given)?.wasFullUntil ?? null
        return due === null ? Effect.void : ofQuota.resume({ due, property })
      })
      return yield* Effect.matchEffect(google.ask(question), {
        onFailure: (failure) =>
          Effect.zipRight(
            Effect.when(giveBack, () => isRefusal(failure)),
            replyTo(question, failure)
          ),
        onSuccess: (status) => Effect.succeed(answered(status))
      })
    })

    /** Other URLs wait for the end of the trial. A trial reserves nothing, so that credentials without access never hold any of the quota. */
    const asTrial = Effect.fnUntraced(function* (question: Question) {
      const { connection, property } = question
      const full = yield* quota.fullUntil({ property })
      if (Option.isSome(full)) return yield* waitForQuota(property, full.value.until)
      const trial = yield* access.tryOut(connection)
      if (Option.isNone(trial)) return yield* atOnce
      const { until } = trial.value
      const others = { due: until, project: connection.project }
      yield* ofCredentials.delay(others)
      const end = Effect.zipRight(access.endTrial({ ...connection, until }), ofCredentials.resume(others))
      return yield* google.ask(question).pipe(
        Effect.tap(() => Effect.zipRight(quota.count({ property }), access.accept(connection))),
        Effect.matchEffect({
          onFailure: (failure) => replyTo(question, failure),
          onSuccess: (status) => Effect.succeed(answered(status))
        }),
        // Only now: between the end of a trial and the pause of refused credentials another trial would begin.
        Effect.onExit(() => end)
      )
    })

    const ask = Effect.fnUntraced(function* (question: Question) {
      const state = yield* access.state(question.connection)
      if (Option.isNone(state)) return yield* atOnce
      const { isAccepted, until } = state.value
      if (until !== null) return yield* waitForCredentials(question.connection, until)
      return yield* isAccepted ? byAccepted(question) : asTrial(question)
    })

    return { ask }
  })
}) {}
