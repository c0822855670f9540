import * as Cache from "effect/Cache"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Lease from "../../foundation/database/Lease.ts"
import { attemptsAtMost } from "../../foundation/database/Slots.ts"
import { Cipher } from "../../foundation/secrets/Cipher.ts"
import * as InstallationKey from "../../foundation/secrets/InstallationKey.ts"
import { AccessTokens } from "../rankings/searchconsole/AccessTokens.ts"
import * as Credentials from "../rankings/searchconsole/Credentials.ts"
import * as GoogleTokens from "../rankings/searchconsole/GoogleTokens.ts"
import type { SearchConsoleFailed } from "../rankings/searchconsole/SearchAnalytics.ts"
import * as UrlInspection from "../rankings/searchconsole/UrlInspection.ts"
import { SourcesRepo } from "../rankings/sync/SourcesRepo.ts"
import { purpose } from "../rankings/sync/Sync.ts"
import { Asking, type Reply } from "./Asking.ts"
import type { InspectionError } from "./Domain.ts"
import { type Answer, type Claim, QueueRepo } from "./QueueRepo.ts"

/** URLs that a process asks for at once: with answers of seconds that fills the quota of a minute. */
const atOnce = 8

/** How often a URL is asked for again while Google does not answer, and the minutes before. */
const pauses = [1, 5, 30, 120]

/** How asking for a URL ended. */
type End =
  | { readonly _tag: "Done"; readonly answer: Answer }
  | { readonly _tag: "Failed"; readonly error: InspectionError }
  | { readonly _tag: "Later"; readonly due: DateTime.Utc; readonly tries: number }

const failed = (code: InspectionError["code"], message: string): End => ({ _tag: "Failed", error: { code, message } })

const advice = {
  forbidden: "Give the account of the credentials access to the property in Search Console",
  refused: "Check the property and the URL",
  unauthorised: "Connect the project again, with valid credentials"
} as const

/** A time as Google writes it; what is none is left out. */
const timeOf = (text: string | undefined) =>
  Option.getOrNull(Option.map(Option.flatMap(Option.fromNullable(text), DateTime.make), DateTime.formatIso))

const answerOf = (status: UrlInspection.IndexStatus): Answer => ({
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
        ? failed("unavailable", `${message}. Ask again later`)
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
  const tokens = yield* AccessTokens

  /** Access by the same credentials is kept, so that a token serves for many URLs. */
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
      return failed("not_connected", "The project is not connected to Search Console: connect it and ask again")
    const { credentials, property } = source
    const json = yield* Effect.option(cipher.open(purpose, claim.project, credentials))
    const granted = Option.isNone(json) ? Option.none() : yield* access.get(Redacted.value(json.value))
    if (Option.isNone(granted)) return failed("unauthorised", `The credentials cannot be read. ${advice.unauthorised}`)
    const connection = { credentials, project: claim.project }
    const reply = yield* asking.ask({ connection, property, tokens: granted.value, url: claim.url })
    return yield* endOf(claim, reply)
  })

  yield* Lease.worker({
    atOnce,
    broken: () => failed("failed", "A fault of the server, which its log describes"),
    lost: () => failed("worker_lost", `The worker of this inspection stopped, ${attemptsAtMost} times in a row`),
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

/** Asks Google for the URLs that wait, within its quotas, for as long as it lives. */
export const layer = layerNoDeps.pipe(Layer.provide([GoogleTokens.layer, InstallationKey.layer, UrlInspection.layer]))
