import * as Cache from "effect/Cache"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Lease from "../../foundation/database/Lease.ts"
import { attemptsAtMost } from "../../foundation/database/LeaseQueue.ts"
import { Cipher, installationLayer } from "../../foundation/secrets/Cipher.ts"
import * as Credentials from "../rankings/searchconsole/Credentials.ts"
import { ofToken, type SearchConsoleFailed } from "../rankings/searchconsole/SearchAnalytics.ts"
import * as Tokens from "../rankings/searchconsole/Tokens.ts"
import * as Inspection from "../rankings/searchconsole/UrlInspection.ts"
import { type IndexStatus, UrlInspection } from "../rankings/searchconsole/UrlInspection.ts"
import { purpose, SourcesRepo } from "../rankings/sync/Sync.ts"
import type { InspectionError } from "./Domain.ts"
import { AccessRepo, type Answer, type Claim, type Connection, QueueRepo, QuotaRepo } from "./Queue.ts"

/** A URL, and the credentials for the request to Google. */
interface Question {
  readonly connection: Connection
  readonly property: string
  readonly tokens: Tokens.TokenSource
  readonly url: string
}

/** The reply to a question: a response, a refusal, or a time to wait until. */
type Reply =
  | { readonly _tag: "Answered"; readonly status: IndexStatus }
  | { readonly _tag: "Refused"; readonly failure: SearchConsoleFailed }
  | { readonly _tag: "Waits"; readonly until: DateTime.Utc }

const answered = (status: IndexStatus): Reply => ({ _tag: "Answered", status })
const refused = (failure: SearchConsoleFailed): Reply => ({ _tag: "Refused", failure })
const waits = (until: DateTime.Utc): Reply => ({ _tag: "Waits", until })

/** Retries immediately, because the read state is outdated. */
const requestsAtOnce = Effect.map(DateTime.now, waits)

/** Whether Google refuses the credentials. Google does not count such a request. */
const isRefusal = ({ kind }: SearchConsoleFailed) => kind === "quota" || kind === "unauthorised" || kind === "forbidden"

/** Whether the quota of a minute, not of the day, is used up. */
const isOfMinute = ({ reason }: SearchConsoleFailed) => /per\s*minute/i.test(reason)

/**
 * Sends requests to Google within its quotas. A request with accepted credentials reserves a place in the property's quota. One request at a time tries new
 * credentials, and counts once it has a response. A refused request returns its place, and pauses only the refused credentials.
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

    /** The reply to a failure. Refused credentials are paused; if they were replaced meanwhile, the request is repeated with the new ones. */
    const replyTo = Effect.fnUntraced(function* ({ connection }: Question, failure: SearchConsoleFailed) {
      if (!isRefusal(failure)) return refused(failure)
      const isQuota = failure.kind === "quota"
      const paused = isQuota
        ? yield* access.pause({ ...connection, ...(yield* quota.renewed({ isMinute: isOfMinute(failure) })) })
        : yield* access.refuse(connection)
      if (Option.isNone(paused)) return yield* requestsAtOnce
      const wait = yield* waitForCredentials(connection, paused.value.until)
      return isQuota ? wait : refused(failure)
    })

    /** Sends a request with accepted credentials. The token is first, because a request without a token needs no reservation. */
    const byAccepted = Effect.fnUntraced(function* (question: Question) {
      const { property, tokens } = question
      const token = yield* Effect.either(Effect.mapError(tokens.get, ofToken))
      if (Either.isLeft(token)) return yield* replyTo(question, token.left)
      const reserved = yield* quota.reserve({ property })
      if (Option.isNone(reserved)) {
        const full = yield* quota.fullUntil({ property })
        return Option.isNone(full) ? yield* requestsAtOnce : yield* waitForQuota(property, full.value.until)
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

    /** Tries new credentials, while other URLs wait. A trial reserves nothing, so credentials without access never take a part of the quota. */
    const asTrial = Effect.fnUntraced(function* (question: Question) {
      const { connection, property } = question
      const full = yield* quota.fullUntil({ property })
      if (Option.isSome(full)) return yield* waitForQuota(property, full.value.until)
      const trial = yield* access.tryOut(connection)
      if (Option.isNone(trial)) return yield* requestsAtOnce
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
        // The trial ends last: otherwise another trial could begin before the pause of refused credentials.
        Effect.onExit(() => end)
      )
    })

    const ask = Effect.fnUntraced(function* (question: Question) {
      const state = yield* access.state(question.connection)
      if (Option.isNone(state)) return yield* requestsAtOnce
      const { isAccepted, until } = state.value
      if (until !== null) return yield* waitForCredentials(question.connection, until)
      return yield* isAccepted ? byAccepted(question) : asTrial(question)
    })

    return { ask }
  })
}) {}

/** Concurrent requests of a process. With responses that take seconds, this number fills the quota of a minute. */
const atOnce = 8

/** Minutes before each retry while Google does not respond. */
const pauses = [1, 5, 30, 120]

/** The end of an inspection. */
type End =
  | { readonly _tag: "Done"; readonly answer: Answer }
  | { readonly _tag: "Failed"; readonly error: InspectionError }
  | { readonly _tag: "Later"; readonly due: DateTime.Utc; readonly tries: number }

const failed = (code: InspectionError["code"], message: string): End => ({ _tag: "Failed", error: { code, message } })

const advice = {
  forbidden: "In Search Console, give the account of these credentials access to the property",
  refused: "Check the name of the property and the URL",
  unauthorised: "Connect the site again with valid credentials"
} as const

/** A time in Google's form; undefined for any other text. */
const timeOf = (text: string | undefined) =>
  Option.getOrNull(Option.map(Option.flatMap(Option.fromNullable(text), DateTime.make), DateTime.formatIso))

const answerOf = (status: Inspection.IndexStatus): Answer => ({
  coverage: status.coverageState ?? null,
  googleCanonical: status.googleCanonical ?? null,
  indexing: status.indexingState ?? null,
  lastCrawl: timeOf(status.lastCrawlTime),
  userCanonical: status.userCanonical ?? null,
  verdict: status.verdict ?? null
})

const endOfRefused = ({ tries }: Claim, { kind, message }: SearchConsoleFailed, now: DateTime.Utc): End => {
  switch (kind) {
    case "quota":
    case "unavailable":
    case "invalid_response": {
      const minutes = pauses[tries]
      return minutes === undefined
        ? failed("unavailable", `${message}. Try again later`)
        : { _tag: "Later", due: DateTime.add(now, { minutes }), tries: tries + 1 }
    }
    case "unauthorised":
    case "forbidden":
      return failed(kind, `${message}. ${advice[kind]}`)
    case "invalid_request":
      return failed("refused", `${message}. ${advice.refused}`)
  }
}

const inspecting = Effect.gen(function* () {
  const cipher = yield* Cipher
  const asking = yield* Asking
  const { done, fail, later, queue } = yield* QueueRepo
  const sources = yield* SourcesRepo
  const tokens = yield* Tokens.AccessTokens

  /** Keeps access by credentials, so one token serves for many URLs. */
  const access = yield* Cache.make({
    capacity: 100,
    lookup: (json: string) =>
      Either.match(Credentials.parse(json), {
        onLeft: () => Effect.succeedNone,
        onRight: (credentials) => Effect.asSome(tokens.source(credentials))
      }),
    timeToLive: "30 minutes"
  })

  const endOf = (claim: Claim, reply: Reply): Effect.Effect<End> => {
    switch (reply._tag) {
      case "Answered":
        return Effect.succeed({ _tag: "Done", answer: answerOf(reply.status) })
      case "Waits":
        return Effect.succeed({ _tag: "Later", due: reply.until, tries: claim.tries })
      case "Refused":
        return Effect.map(DateTime.now, (now) => endOfRefused(claim, reply.failure, now))
    }
  }

  const work = Effect.fnUntraced(function* (claim: Claim) {
    const source = Option.getOrUndefined(yield* sources.find({ site: claim.project }))
    if (source === undefined)
      return failed(
        "not_connected",
        "The site is not connected to Search Console. Connect it, then inspect the URL again"
      )
    const { credentials, property } = source
    const json = yield* Effect.option(cipher.open(purpose, claim.project, credentials))
    const granted = Option.isNone(json) ? Option.none() : yield* access.get(Redacted.value(json.value))
    if (Option.isNone(granted))
      return failed("unauthorised", `The stored credentials are not readable. ${advice.unauthorised}`)
    const connection = { credentials, project: claim.project }
    const reply = yield* asking.ask({ connection, property, tokens: granted.value, url: claim.url })
    return yield* endOf(claim, reply)
  })

  yield* Lease.worker({
    atOnce,
    broken: () => failed("failed", "Server error: the server's log has the cause"),
    lost: () =>
      failed(
        "worker_lost",
        `The inspection stopped unexpectedly ${attemptsAtMost} times in a row. See the server's log, then try again`
      ),
    name: "inspection",
    outcome: ({ _tag }) => _tag,
    queue,
    store: ({ id, lease }, end: End) => {
      switch (end._tag) {
        case "Done":
          return Effect.asVoid(done({ ...end.answer, id, lease }))
        case "Failed":
          return Effect.asVoid(fail({ error: end.error, id, lease }))
        case "Later":
          return Effect.asVoid(later({ due: end.due, id, lease, tries: end.tries }))
      }
    },
    work
  })
})

/** The worker over a given Search Console and cipher. */
export const layerNoDeps = Layer.scopedDiscard(inspecting).pipe(
  Layer.provide([Asking.Default, QueueRepo.Default, SourcesRepo.Default])
)

/** Inspects the waiting URLs within Google's quotas, until the scope closes. */
export const layer = layerNoDeps.pipe(Layer.provide([Tokens.layer, installationLayer, Inspection.layer]))
