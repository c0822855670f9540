import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import * as FiberRef from "effect/FiberRef"
import * as FiberSet from "effect/FiberSet"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { StatementLimit } from "../../foundation/database/Connection.ts"
import * as Query from "../../foundation/database/Query.ts"
import * as Shares from "../../foundation/database/Shares.ts"
import { type ApiError, apiError, rateHeaders, waitHeaders } from "../../foundation/http/ApiError.ts"
import { CurrentRequest, KnownParameters } from "../../foundation/http/Request.ts"
import { inTurns, turnOf } from "../../foundation/process/Turns.ts"
import * as Traced from "../../foundation/schema/Traced.ts"
import * as ApiKeys from "./ApiKeys.ts"
import * as Authorized from "./Authorized.ts"
import { AccountId, grants, KeyId, lacks, type Scope } from "./Domain.ts"
import * as ClientAddress from "./FailedKeyLimiter.ts"
import { type Admission, Standing } from "./OpenRequests.ts"

/** A key, and the decision of its limits on a request; without numbers for an unusable key. */
const Checked = Schema.Struct({
  keyId: KeyId,
  accountId: Schema.NullOr(AccountId),
  scopes: Schema.Array(Schema.String),
  revoked: Schema.Boolean,
  limit: Schema.NullOr(Schema.Int),
  remaining: Schema.NullOr(Schema.Int),
  resetSeconds: Schema.NullOr(Schema.Int),
  /** Seconds until a request would pass; null for an admitted request. */
  waitSeconds: Schema.NullOr(Schema.Int)
})
type Checked = typeof Checked.Type

/** A key and the number of admitted requests of a batch: the first `letIn`. The numbers are the state after the last of these. */
const CheckedOften = Schema.Struct({
  ...Checked.fields,
  hash: Schema.Uint8ArrayFromSelf,
  letIn: Schema.Int,
  /** The limit that refuses the later requests. */
  waitLimit: Schema.NullOr(Schema.Int)
})

/** The result of a batch for request `n` of a key, counted from 0. */
const answerOf = (
  { letIn, limit, remaining, resetSeconds, waitLimit, waitSeconds, ...key }: typeof CheckedOften.Type,
  n: number
): Checked =>
  n < letIn || limit === null || remaining === null
    ? {
        ...key,
        limit,
        remaining: remaining === null ? null : remaining + letIn - 1 - n,
        resetSeconds,
        waitSeconds: null
      }
    : { ...key, limit: waitLimit, remaining: 0, resetSeconds: waitSeconds, waitSeconds }

/** A hash as the key of a map. */
const nameOf = (hash: Uint8Array) => Buffer.from(hash.buffer, hash.byteOffset, hash.byteLength).toString("base64")

/** The most keys that one statement checks. */
const most = 100

/** Milliseconds that a batch waits for the previous one. The connection of a slower batch may be dead. */
const patience = 1000

interface Asked {
  readonly hash: Uint8Array
  readonly resume: (answer: Effect.Effect<Option.Option<Checked>>) => void
}

export class RateLimitRepo extends Effect.Service<RateLimitRepo>()("accounts/RateLimitRepo", {
  scoped: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const check = Query.all({
      Request: Schema.Array(Schema.Uint8ArrayFromSelf),
      Result: CheckedOften,
      execute: (hashes) => sql`
        SELECT hash, key_id AS "keyId", account_id AS "accountId", scopes, revoked, let_in AS "letIn", window_limit AS "limit", remaining,
          reset_seconds AS "resetSeconds", wait_limit AS "waitLimit", wait_seconds AS "waitSeconds"
        FROM check_rate_limits(${hashes})`
    })
    const find = Query.first({
      Request: Schema.Uint8ArrayFromSelf,
      Result: Checked,
      execute: (hash) => sql`
        SELECT k.id AS "keyId", a.id AS "accountId", scopes, revoked_at IS NOT NULL OR coalesce(expires_at <= clock_timestamp(), false) AS revoked,
          NULL AS "limit", NULL AS remaining, NULL AS "resetSeconds", NULL AS "waitSeconds"
        FROM api_keys k LEFT JOIN accounts a ON a.id = k.account_id WHERE hash = ${hash}`
    })

    const run = yield* FiberSet.makeRuntime<never>().pipe(
      Effect.locally(Shares.current, Shares.keys),
      Effect.provideService(StatementLimit, Number.POSITIVE_INFINITY)
    )
    const waiting = inTurns<Asked>()
    let isChecking = false

    const answer = (asked: ReadonlyArray<Asked>, checked: Exit.Exit<ReadonlyArray<typeof CheckedOften.Type>>) => {
      if (Exit.isFailure(checked)) {
        for (const { resume } of asked) resume(Effect.failCause(checked.cause))
        return
      }
      const found = new Map(checked.value.map((row) => [nameOf(row.hash), row]))
      for (const [name, same] of Map.groupBy(asked, ({ hash }) => nameOf(hash))) {
        const key = Option.fromNullable(found.get(name))
        for (const [n, { resume }] of same.entries()) resume(Exit.succeed(Option.map(key, (key) => answerOf(key, n))))
      }
    }

    /** Checks the waiting requests, one batch after another until none are left. */
    const next = () => {
      const asked = waiting.take(most)
      isChecking = asked.length > 0
      if (!isChecking) return
      const goOn = () => {
        clearTimeout(late)
        late = undefined
        next()
      }
      // @effect-diagnostics-next-line globalTimers:off
      let late: NodeJS.Timeout | undefined = setTimeout(goOn, patience)
      run(check(asked.map(({ hash }) => hash))).addObserver((checked) => {
        answer(asked, checked)
        if (late !== undefined) goOn()
      })
    }
    return {
      /** Finds the key without counting the request. */
      find: (hash: Uint8Array) => Effect.provideService(find(hash), StatementLimit, Number.POSITIVE_INFINITY),
      /**
       * Looks the key up by its hash and, if the key is usable, counts the request against its limits. One statement checks all waiting keys; when more wait
       * than the statement takes, owners take turns. The statement has no time limit, because no caller could make it faster.
       */
      pass: (hash: Uint8Array, owner: string) =>
        Effect.async<Option.Option<Checked>>((resume) => {
          const leave = waiting.join(owner, { hash, resume })
          if (!isChecking) next()
          return Effect.sync(leave)
        }).pipe(Traced.spanned("RateLimitRepo.pass"))
    }
  })
}) {}

/** Why the caller of a request was not identified. */
export type Refusal = "missing_key" | "invalid_key" | "revoked_key" | "auth_unavailable"

/** The error code of an endpoint's family for a refused key: site health has a code per reason, other families one code. */
type Naming<C extends Refusal | "unauthorized"> = (reason: Refusal) => C

type Judged<C extends Refusal | "unauthorized", R = never> = Effect.Effect<
  Authorized.Caller["Type"],
  ApiError<C> | ApiError<"insufficient_scope"> | ApiError<"rate_limit_exceeded"> | ApiError<"validation_error">,
  R
>

/** The `WWW-Authenticate` header of a refusal. */
export const challenge = (reason: Refusal) =>
  reason === "missing_key" ? 'Bearer realm="findable"' : 'Bearer realm="findable", error="invalid_token"'

/** Refuses a caller for one reason. */
export const unauthorized = <C extends Refusal | "unauthorized">(name: Naming<C>, reason: Refusal, message: string) =>
  apiError(name(reason), message, { headers: { "www-authenticate": challenge(reason) } })

/** The current key if it is usable, else its problem, with a sentence for its sender. */
const usable = <K extends { readonly accountId: AccountId | null; readonly revoked: boolean }>(
  key: Option.Option<K>
): Either.Either<K & { readonly accountId: AccountId }, readonly [Refusal, string]> => {
  if (Option.isNone(key))
    return Either.left(["invalid_key", "Invalid API key: the server does not know it. Check that you copied all of it"])
  const { accountId, revoked } = key.value
  if (revoked) return Either.left(["revoked_key", "This API key was revoked or has expired. Create a new one"])
  if (accountId === null)
    return Either.left([
      "auth_unavailable",
      "This API key is not linked to an account. Ask your administrator for a new one"
    ])
  return Either.right({ ...key.value, accountId })
}

/** The error for a caller that must wait `wait` seconds. */
export const limited = (limit: number, wait: number, message: string) =>
  apiError("rate_limit_exceeded", message, { headers: waitHeaders(limit, wait) })

const make = Effect.gen(function* () {
  const failedKeys = yield* ClientAddress.FailedKeyLimiter
  const repo = yield* RateLimitRepo

  const client = yield* ClientAddress.make

  /**
   * Counts a request without a counting key by its IP address; too many of them get 429. The request then waits for a turn of its owner, because no statement
   * makes it wait.
   */
  const counted = (from: string, owner = from) =>
    Effect.flatMap(failedKeys.wait(from), (wait) =>
      wait > 0
        ? Effect.zipRight(
            turnOf(owner),
            limited(
              failedKeys.limit,
              wait,
              `Too many requests without a valid API key from your IP address. Try again in ${wait} s, or send a valid key`
            )
          )
        : Effect.zipRight(failedKeys.note(from), turnOf(owner))
    )

  /** Refuses a request without a usable key; an IP address with too many such requests gets 429 instead. */
  const refuse = <C extends Refusal | "unauthorized">(
    address: () => string,
    name: Naming<C>,
    reason: Refusal,
    message: string
  ) =>
    Effect.zipRight(
      Effect.suspend(() => counted(address())),
      unauthorized(name, reason, message)
    )

  /** Decides by the key of the request, and counts the request unless `isCounted` is false. */
  const judge = <C extends Refusal | "unauthorized">(scope: Scope | "any", name: Naming<C>, isCounted = true) => {
    const lacking = apiError("insufficient_scope", lacks(scope))
    const isGranted = (scopes: ReadonlyArray<string>) => scope === "any" || grants(scopes, scope)
    const refusal: Admission["refusal"] = (now) => {
      const key = usable(now)
      if (Either.isLeft(key)) return unauthorized(name, ...key.left)
      return isGranted(key.right.scopes) ? undefined : lacking
    }
    return Effect.flatMap(Effect.context<HttpServerRequest.HttpServerRequest>(), (context): Judged<C> => {
      const granted = (caller: Authorized.Caller["Type"]): Judged<C> =>
        isGranted(caller.scopes)
          ? Context.get(context, Standing)
              .admit({ caller, refusal })
              .pipe(Effect.zipRight(FiberRef.set(Shares.current, caller.accountId)), Effect.as(caller))
          : lacking
      const admitted = Context.get(context, Authorized.Admitted)
      if (Option.isSome(admitted)) return granted(admitted.value)
      const request = Context.get(context, HttpServerRequest.HttpServerRequest)
      // The address is read from the kernel only for a refusal.
      const address = () => client(request)
      const sent = ApiKeys.credentials(request.headers)
      if (sent._tag === "None") {
        return refuse(address, name, "missing_key", "No API key. Send one in Authorization: Bearer or X-API-Key")
      }
      if (sent._tag === "Unusable") return refuse(address, name, "invalid_key", sent.reason)
      const hash = ApiKeys.hash(sent.key)
      const known = nameOf(hash)
      const look = (owner: string) =>
        isCounted ? repo.pass(hash, owner) : Effect.zipRight(counted(address(), owner), repo.find(hash))
      return Effect.flatMap(failedKeys.lookUp(address, known, look), (found): Judged<C> => {
        const key = usable(found)
        if (Either.isLeft(key)) return refuse(address, name, ...key.left)
        const { accountId, keyId, limit, remaining, resetSeconds, scopes, waitSeconds } = key.right
        failedKeys.welcome(known, accountId)
        if (waitSeconds !== null) {
          return limited(limit ?? 0, waitSeconds, `Too many requests with this API key. Try again in ${waitSeconds} s`)
        }
        if (limit !== null && remaining !== null && resetSeconds !== null) {
          // Every response to the request gets these headers, except a 429 of another limit.
          Object.assign(Context.get(context, CurrentRequest).headers, rateHeaders(limit, remaining, resetSeconds))
        }
        return granted({ accountId, keyId, scopes })
      })
    })
  }
  const keyless = Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => counted(client(request)))
  return { judge, keyless }
})

const general: Naming<"unauthorized"> = () => "unauthorized"
const byReason: Naming<Refusal> = (reason) => reason

/** Decides whether the current request may use the scope, and for which account. */
type Judge<R> = <C extends Refusal | "unauthorized">(scope: Scope | "any", name: Naming<C>) => Judged<C, R>

/** Fails for an unknown parameter of the endpoint. */
export const knownParameters = Effect.flatten(KnownParameters)

/** The middlewares of all scopes, by one judge. Only callers that may use an endpoint learn of unknown parameters. */
export const middlewares = (judge: Judge<HttpServerRequest.HttpServerRequest>) => {
  const authorize: typeof judge = (scope, name) => Effect.zipLeft(judge(scope, name), knownParameters)
  return Layer.mergeAll(
    Layer.succeed(Authorized.AnyKey, authorize("any", general)),
    Layer.succeed(Authorized.ProjectsRead, authorize("projects:read", general)),
    Layer.succeed(Authorized.ProjectsWrite, authorize("projects:write", general)),
    Layer.succeed(Authorized.KeywordsRead, authorize("keywords:read", general)),
    Layer.succeed(Authorized.BacklinksRead, authorize("backlinks:read", general)),
    Layer.succeed(Authorized.BacklinksWrite, authorize("backlinks:write", general)),
    Layer.succeed(Authorized.RankingsWrite, authorize("rankings:write", general)),
    Layer.succeed(Authorized.AuditsRead, authorize("audits:read", general)),
    Layer.succeed(Authorized.AuditsWrite, authorize("audits:write", general)),
    Layer.succeed(Authorized.ExperimentsRead, authorize("experiments:read", general)),
    Layer.succeed(Authorized.ExperimentsWrite, authorize("experiments:write", general)),
    Layer.succeed(Authorized.GeoRead, authorize("geo:read", general)),
    Layer.succeed(Authorized.GeoWrite, authorize("geo:write", general)),
    Layer.succeed(Authorized.InterventionsRead, authorize("interventions:read", general)),
    Layer.succeed(Authorized.InterventionsWrite, authorize("interventions:write", general)),
    Layer.succeed(Authorized.KeysManage, authorize("keys:manage", general)),
    Layer.succeed(Authorized.WebhooksRead, authorize("webhooks:read", general)),
    Layer.succeed(Authorized.WebhooksManage, authorize("webhooks:manage", general)),
    Layer.succeed(Authorized.SiteHealthRead, authorize("site-health:read", byReason)),
    Layer.succeed(Authorized.SiteHealthWrite, authorize("site-health:write", byReason))
  )
}

/** Checks the key, then the rate limit, the scope, and the names of parameters. */
export const layer = Layer.unwrapEffect(
  Effect.map(make, ({ judge, keyless }) =>
    Layer.mergeAll(
      middlewares(judge),
      Layer.succeed(Authorized.Keyless, Effect.zipRight(keyless, knownParameters)),
      Layer.succeed(Authorized.UncountedKey, judge("any", general, false))
    )
  )
).pipe(Layer.provide([ClientAddress.FailedKeyLimiter.Default, RateLimitRepo.Default]))
