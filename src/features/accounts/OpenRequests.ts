import * as HttpBody from "@effect/platform/HttpBody"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as FiberId from "effect/FiberId"
import * as Option from "effect/Option"
import * as Queue from "effect/Queue"
import * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { StatementLimit } from "../../foundation/database/Connection.ts"
import { Outages } from "../../foundation/database/Outages.ts"
import * as Query from "../../foundation/database/Query.ts"
import * as Shares from "../../foundation/database/Shares.ts"
import type { ApiError } from "../../foundation/http/ApiError.ts"
import * as Time from "../../foundation/schema/Time.ts"
import type { Caller } from "./Authorized.ts"
import { AccountId, KeyId } from "./Domain.ts"

/** The current rights of a key. */
const Right = Schema.Struct({
  keyId: KeyId,
  accountId: Schema.NullOr(AccountId),
  revoked: Schema.Boolean,
  scopes: Schema.Array(Schema.String)
})
type Right = typeof Right.Type

/** The current rights of keys, without counting requests against their limits. */
export class RightsRepo extends Effect.Service<RightsRepo>()("accounts/RightsRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    const ofKeys = Query.all({
      Request: Schema.Array(KeyId),
      Result: Right,
      execute: (keys) => sql`
        SELECT k.id AS "keyId", a.id AS "accountId", scopes, revoked_at IS NOT NULL OR coalesce(expires_at <= clock_timestamp(), false) AS revoked
        FROM api_keys k LEFT JOIN accounts a ON a.id = k.account_id WHERE k.id = ANY(${keys}::uuid[])`
    })

    const accounts = Query.all({
      Request: Schema.Array(AccountId),
      Result: Schema.Struct({ id: AccountId }),
      execute: (ids) => sql`SELECT id FROM accounts WHERE id = ANY(${ids}::uuid[])`
    })

    return { accounts, ofKeys }
  })
}) {}

/** Milliseconds between checks of a request. A shorter request is never checked. */
const pause = 1000

/** The longest check in milliseconds. The connection of a slower one may be dead, and the next check takes another. */
const longestLook = 5000

/** The key or the caller that admitted a request, and the needed scope. */
export interface Admission {
  readonly caller: Caller["Type"]
  /** The refusal of the caller by the current rights of its key (none for a deleted key or account); undefined while the request may continue. */
  readonly refusal: (now: Option.Option<Pick<Right, "accountId" | "revoked" | "scopes">>) => ApiError | undefined
}

/** The right of the current request to continue. The right ends when the key is revoked, expires or loses the scope that the request needs. */
export class Standing extends Context.Reference<Standing>()("accounts/Standing", {
  defaultValue: () => ({
    /** Records the admission of the request, which is checked from then on until its end. */
    admit: (_: Admission): Effect.Effect<void> => Effect.void,
    /** Fails when the right ends. A caller of `ended` must end the response's stream itself; nobody else aborts it. */
    ended: Effect.succeed<Effect.Effect<never, ApiError>>(Effect.never)
  })
}) {}

/** Makes the response to a request while the request has the right. */
type Work<E, R> = (standing: Standing["Type"]) => Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>

/** An open request. */
interface Open {
  /** The time of its admission. */
  since: number
  refusal: ApiError | undefined
  /** Ends its work. */
  end: (refusal: ApiError) => Effect.Effect<void>
  /** Whether the maker of the response ends it. */
  endsItself: boolean
}

/**
 * All open requests of this node. Every second one statement reads the rights of requests older than a second. A request without the right is refused like a
 * new one: its wait is aborted, and its stream lacks the end. A change that has begun is completed, with a response.
 */
export class OpenRequests extends Effect.Service<OpenRequests>()("accounts/OpenRequests", {
  dependencies: [Outages.Default, RightsRepo.Default],
  scoped: Effect.gen(function* () {
    const repo = yield* RightsRepo
    const outages = yield* Outages
    /** In the order of their admission. */
    const open = new Map<Open, Admission>()
    const wake = yield* Queue.sliding<void>(1)
    let isIdle = false
    let lookedAt = Number.NEGATIVE_INFINITY

    const rightsOf = Effect.fnUntraced(function* (callers: ReadonlyArray<Caller["Type"]>) {
      const keys = new Set(callers.flatMap(({ keyId }) => (keyId === null ? [] : [keyId])))
      // An embedding program identifies its callers itself, so only their account is known here.
      const accounts = new Set(callers.flatMap(({ accountId, keyId }) => (keyId === null ? [accountId] : [])))
      const ofKeys = keys.size === 0 ? [] : yield* repo.ofKeys([...keys])
      const present = accounts.size === 0 ? [] : yield* repo.accounts([...accounts])
      const byKey = new Map(ofKeys.map((right) => [right.keyId, right]))
      const ids = new Set(present.map(({ id }) => id))
      return ({ accountId, keyId, scopes }: Caller["Type"]) =>
        keyId !== null
          ? Option.fromNullable(byKey.get(keyId))
          : ids.has(accountId)
            ? Option.some({ accountId, revoked: false, scopes })
            : Option.none()
    })

    const look = Effect.gen(function* () {
      lookedAt = yield* Time.now
      // The parts of a request are checked before the request, so the response can still tell the refusal of a part.
      const asked = [...open].reverse()
      const rightOf = yield* rightsOf(asked.map(([, { caller }]) => caller))
      for (const [request, { caller, refusal }] of asked) {
        const refused = refusal(rightOf(caller))
        if (refused === undefined || !open.delete(request)) continue
        request.refusal = refused
        yield* request.end(refused)
      }
    }).pipe(
      Effect.provideService(StatementLimit, longestLook),
      Effect.locally(Shares.current, Shares.keys),
      Effect.catchAllCause((cause) => outages.report("The API keys of open requests could not be checked", cause))
    )

    const next = Effect.suspend(() => {
      const [oldest] = open.keys()
      if (oldest === undefined) {
        isIdle = true
        return Queue.take(wake)
      }
      const due = Math.max(oldest.since, lookedAt) + pause
      return Effect.flatMap(Time.now, (now) => (now < due ? Effect.sleep(Math.ceil(due - now)) : look))
    })
    yield* Effect.forkScoped(Effect.forever(next))

    const standingOf = (request: Open): Standing["Type"] => ({
      admit: (admission) =>
        Effect.flatMap(Time.now, (now) => {
          request.since = now
          open.set(request, admission)
          if (!isIdle) return Effect.void
          isIdle = false
          return Effect.asVoid(Queue.offer(wake, undefined))
        }),
      ended: Effect.map(Deferred.make<never, ApiError>(), (lost) => {
        const { end } = request
        request.endsItself = true
        request.end = (refusal) => Effect.zipRight(Deferred.fail(lost, refusal), end(refusal))
        return Deferred.await(lost)
      })
    })

    const leave = (request: Open) => Effect.sync(() => void open.delete(request))

    /** The stream of a response. The end of the right interrupts the fiber that waits for the reader. */
    const streamed = <E, R>(request: Open, stream: Stream.Stream<Uint8Array, E, R>) =>
      Stream.onStart(
        stream,
        Effect.withFiberRuntime<void>((fiber) => {
          if (request.endsItself) return Effect.void
          request.end = () => fiber.interruptAsFork(FiberId.none)
          return request.refusal === undefined ? Effect.void : Effect.interrupt
        })
      )

    const settled = (request: Open, response: HttpServerResponse.HttpServerResponse) => {
      const { body } = response
      if (body._tag !== "Stream") return Effect.as(leave(request), response)
      if (request.refusal !== undefined) return Effect.fail(request.refusal)
      const stream = HttpBody.stream(streamed(request, body.stream), body.contentType, body.contentLength)
      return Effect.contextWithEffect((context: Context.Context<never>) =>
        Effect.as(
          Option.match(Context.getOption(context, Scope.Scope), {
            onNone: () => Effect.void,
            onSome: (scope) => Scope.addFinalizer(scope, leave(request))
          }),
          HttpServerResponse.setBody(response, stream)
        )
      )
    }

    const made = <E, R>(work: Work<E, R>) =>
      Effect.withFiberRuntime<HttpServerResponse.HttpServerResponse, E | ApiError, R>((fiber) => {
        const request: Open = {
          end: () => fiber.interruptAsFork(FiberId.none),
          endsItself: false,
          refusal: undefined,
          since: 0
        }
        return Effect.matchCauseEffect(work(standingOf(request)), {
          onFailure: (cause) =>
            Effect.zipRight(
              leave(request),
              Effect.failCause<E | ApiError>(request.refusal === undefined ? cause : Cause.fail(request.refusal))
            ),
          onSuccess: (response) => settled(request, response)
        })
      })

    /**
     * The response of `work`, sent to its last byte while the caller has the right. When the right or the caller is gone, the fiber of the request is
     * interrupted, only inside `work`; changes that must be complete are uninterruptible. A part of another request has a separate fiber, so the other request
     * continues.
     */
    const kept = <E, R>(work: Work<E, R>) =>
      Effect.checkInterruptible((isInterruptible) =>
        isInterruptible
          ? Effect.uninterruptibleMask((restore) =>
              Effect.flatMap(Effect.fork(made((standing) => restore(work(standing)))), (fiber) =>
                Effect.onInterrupt(restore(Fiber.join(fiber)), () => Fiber.interrupt(fiber))
              )
            )
          : made(work)
      )

    return { kept }
  })
}) {}
