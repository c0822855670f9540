import * as Clock from "effect/Clock"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { apiError } from "../../foundation/http/ApiError.ts"
import { Conflict, Invalid, NotFound } from "../../foundation/schema/DomainError.ts"
import * as Traced from "../../foundation/schema/Traced.ts"
import { Accounts } from "./Accounts.ts"
import { challenge, limited } from "./Authorize.ts"
import { type AccountId, grants, KeyId, type KeyPatch, keysPerMinute, type NewKey } from "./Domain.ts"
import type { Batch } from "./Handlers.ts"
import { KeysRepo } from "./KeysRepo.ts"
import { LockRepo } from "./Repo.ts"

/** Who manages keys of an account: a key, or a caller whom the embedding program identified. */
export interface Manager {
  readonly account: AccountId
  readonly key: KeyId | null
  readonly scopes: ReadonlyArray<string>
}

/** What a manager has to give: scopes, and a life until then. */
interface Means {
  readonly scopes: ReadonlyArray<string>
  /** ISO 8601, or `infinity`. */
  readonly until: string
}

const missing = NotFound.of("key")
const isMade = Schema.decodeUnknown(Schema.Struct({ id: KeyId }))

const ended = apiError("unauthorized", "The key was revoked or has expired", {
  headers: { "www-authenticate": challenge("revoked_key") }
})

/** Fails unless the manager has all of the scopes: otherwise a key could be made or touched that may do more than its manager. */
const mayGive = ({ scopes: held }: Means, scopes: ReadonlyArray<string>) => {
  const lacking = scopes.filter((scope) => !grants(held, scope))
  return lacking.length === 0
    ? Effect.void
    : apiError(
        "insufficient_scope",
        `Your key lacks ${lacking.join(", ")}: it manages only keys that have no more scopes than it has`
      )
}

const tooLong = ({ until }: Means) =>
  apiError(
    "insufficient_scope",
    `Your key ends at ${until}: it gives no key a later end, so send an earlier expires_at`
  )

/** Fails when the end, null for none, is later than that of the manager. */
const mayLast = (means: Means, expires: DateTime.Utc | null) =>
  means.until === "infinity" || (expires !== null && DateTime.toEpochMillis(expires) <= Date.parse(means.until))
    ? Effect.void
    : tooLong(means)

const timeOf = Effect.fnUntraced(function* (expires: DateTime.Utc | null) {
  if (expires === null) return null
  if (DateTime.toEpochMillis(expires) <= (yield* Clock.currentTimeMillis))
    return yield* Invalid.of("expires_at", "must be in the future")
  return DateTime.formatIso(expires)
})

/** Usable keys of an account, and how many its plan allows. */
interface Usage {
  readonly most: number
  readonly plan: string
  readonly usable: number
}

const full = (usable: number, plan: string, most: number) => {
  const message = `The account has ${usable} usable keys, and its plan (${plan}) allows ${most}: revoke one with DELETE /api/v1/keys/{id}, or have the operator create it`
  return new Invalid({ details: [{ message, path: "body" }], message })
}

/**
 * The keys of an account, managed by a key that has at least as much to give. Changes of one account's keys happen one after the other, and are judged by what
 * the manager and the keys are at that time.
 */
export class Keys extends Effect.Service<Keys>()("accounts/Keys", {
  dependencies: [Accounts.Default, KeysRepo.Default, LockRepo.Default],
  effect: Effect.gen(function* () {
    const accounts = yield* Accounts
    const repo = yield* KeysRepo
    const { lockAccount } = yield* LockRepo

    const page = (account: AccountId, batch: Batch) => repo.page({ account, ...batch })

    const get = Traced.fn("Keys.get")(function* (account: AccountId, id: KeyId) {
      return yield* Effect.mapError(Effect.flatten(repo.find({ account, id })), () => missing)
    })

    /** What the manager has to give now: its key may have been changed since the request was let in. */
    const meansOf = Effect.fnUntraced(function* ({ account, key, scopes }: Manager) {
      yield* lockAccount(account)
      if (key === null) return { scopes, until: "infinity" } satisfies Means
      const { hasEnded, ...means } = yield* Effect.mapError(
        Effect.flatten(repo.manager({ account, id: key })),
        () => ended
      )
      if (hasEnded) return yield* ended
      yield* mayGive(means, ["keys:manage"])
      return means
    })

    /** A key of the account that the manager may touch, locked until the transaction ends. */
    const held = Effect.fnUntraced(function* (means: Means, account: AccountId, id: KeyId) {
      const key = yield* Effect.mapError(Effect.flatten(repo.state({ account, id, until: means.until })), () => missing)
      if (key.isRevoked) return yield* missing
      yield* mayGive(means, key.scopes)
      return key
    })

    const withinPace = Effect.fnUntraced(function* (account: AccountId) {
      const { wait, ...usage } = yield* repo.usage({ account })
      if (wait !== null && wait > 0)
        return yield* limited(
          keysPerMinute,
          wait,
          `${keysPerMinute} keys of the account were created within a minute: wait ${wait} s`
        )
      return usage
    })

    /** Fails when the account has as many usable keys as its plan allows. */
    const withinPlan = ({ most, plan, usable }: Usage) =>
      usable >= most ? Effect.fail(full(usable, plan, most)) : Effect.void

    /** The new key with its text. */
    const made = Effect.fnUntraced(function* (
      { account }: Manager,
      scopes: ReadonlyArray<string>,
      mode: "live" | "test",
      options: { readonly expires: string | null; readonly name: string | null }
    ) {
      const stored = yield* accounts.issueKey(account, scopes, mode, { ...options, origin: "api" })
      const { account_id, revoked_at, ...key } = stored
      return key
    })

    /** Creates a key; the answer alone has its text. */
    const create = Traced.fn("Keys.create")(function* (manager: Manager, { expires_at, name, scopes }: NewKey) {
      const means = yield* meansOf(manager)
      yield* mayGive(means, scopes)
      yield* mayLast(means, expires_at)
      const usage = yield* withinPace(manager.account)
      const expires = yield* timeOf(expires_at)
      yield* withinPlan(usage)
      return yield* made(manager, [...new Set(scopes)], "live", { expires, name })
    }, repo.transaction)

    /** Changes what is given. */
    const patch = Traced.fn("Keys.patch")(function* (manager: Manager, id: KeyId, changes: KeyPatch) {
      const means = yield* meansOf(manager)
      const key = yield* held(means, manager.account, id)
      const added = (changes.scopes ?? []).filter((scope) => !grants(key.scopes, scope))
      yield* mayGive(means, added)
      if (changes.expires_at !== undefined) yield* mayLast(means, changes.expires_at)
      else if (added.length > 0 && key.isLasting) return yield* tooLong(means)
      if (key.isOfSession && (changes.expires_at !== undefined || changes.scopes !== undefined))
        return yield* new Conflict({
          message: "A key of a console session keeps its scopes and its end: revoke it, or create a key"
        })
      const expires = changes.expires_at === undefined ? undefined : yield* timeOf(changes.expires_at)
      if (key.hasExpired && expires !== undefined) yield* withinPlan(yield* repo.usage({ account: manager.account }))
      const scopes = changes.scopes === undefined ? undefined : [...new Set(changes.scopes)]
      return yield* repo.change({ expires, id, name: changes.name, scopes })
    }, repo.transaction)

    /** Revokes a key: its next request is refused. */
    const remove = Traced.fn("Keys.remove")(function* (manager: Manager, id: KeyId) {
      yield* held(yield* meansOf(manager), manager.account, id)
      yield* repo.revoke({ id })
    }, repo.transaction)

    /** A new key in the place of one, which stays valid for `overlap` seconds. An account with as many keys as its plan allows gets one more for that time, and keys that were replaced earlier end at once. */
    const rotate = Traced.fn("Keys.rotate")(function* (manager: Manager, id: KeyId, overlap: number) {
      const { account } = manager
      const means = yield* meansOf(manager)
      const key = yield* held(means, account, id)
      if (key.isLasting) return yield* tooLong(means)
      if (key.hasExpired) return yield* new Conflict({ message: "The key has expired: create a new one" })
      if (key.isOfSession)
        return yield* new Conflict({
          message: "A key of a console session is not rotated: create a key, or open another session"
        })
      const { most, plan, usable } = yield* withinPace(account)
      if (usable >= most) {
        if (key.isRotated) return yield* full(usable, plan, most)
        yield* repo.endRotated({ account })
      }
      const replacement = yield* made(manager, key.scopes, key.mode, { expires: key.expires_at, name: key.name })
      yield* repo.replace({ id, seconds: overlap })
      return replacement
    }, repo.transaction)

    /** Fails unless the manager could give now what the key, which an earlier request made, has now: the answer to a repeated request has its text. */
    const mayRepeat = Traced.fn("Keys.mayRepeat")(function* (manager: Manager, data: unknown) {
      const { id } = yield* Effect.orDie(isMade(data))
      const means = yield* meansOf(manager)
      const key = yield* Effect.mapError(
        Effect.flatten(repo.state({ account: manager.account, id, until: means.until })),
        () => missing
      )
      yield* mayGive(means, key.scopes)
      if (key.isLasting) return yield* tooLong(means)
    }, repo.transaction)

    return { create, get, mayRepeat, page, patch, remove, rotate }
  })
}) {}
