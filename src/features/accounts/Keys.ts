import * as Clock from "effect/Clock"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import { apiError } from "../../foundation/http/ApiError.ts"
import { Conflict, Invalid, NotFound } from "../../foundation/schema/DomainError.ts"
import * as Traced from "../../foundation/schema/Traced.ts"
import { Accounts } from "./Accounts.ts"
import { type AccountId, grants, type KeyId, type KeyPatch, type NewKey } from "./Domain.ts"
import type { Batch } from "./Handlers.ts"
import { KeysRepo } from "./KeysRepo.ts"

/** Whose keys are managed, and by what scopes. */
export interface Manager {
  readonly account: AccountId
  readonly scopes: ReadonlyArray<string>
}

const missing = NotFound.of("key")

/** Fails unless the manager holds all of the scopes: otherwise a key could be made or read that may do more than its maker. Where a key is made it comes before all else, because a repeated request is answered with the text of the key. */
const mayGive = ({ scopes: held }: Manager, scopes: ReadonlyArray<string>) => {
  const lacking = scopes.filter((scope) => !grants(held, scope))
  return lacking.length === 0
    ? Effect.void
    : apiError(
        "insufficient_scope",
        `The key lacks ${lacking.join(", ")}: it manages only keys that have no more scopes than it has`
      )
}

const timeOf = Effect.fnUntraced(function* (expires: DateTime.Utc | null) {
  if (expires === null) return null
  if (DateTime.toEpochMillis(expires) <= (yield* Clock.currentTimeMillis))
    return yield* Invalid.of("expires_at", "must be in the future")
  return DateTime.formatIso(expires)
})

/** The keys of an account, managed by a key that may do at least as much. */
export class Keys extends Effect.Service<Keys>()("accounts/Keys", {
  dependencies: [Accounts.Default, KeysRepo.Default],
  effect: Effect.gen(function* () {
    const accounts = yield* Accounts
    const repo = yield* KeysRepo

    const page = (account: AccountId, batch: Batch) => repo.page({ account, ...batch })

    const get = Traced.fn("Keys.get")(function* (account: AccountId, id: KeyId) {
      return yield* Effect.mapError(Effect.flatten(repo.find({ account, id })), () => missing)
    })

    /** A key of the account that the manager may touch, locked until the transaction ends. */
    const held = Effect.fnUntraced(function* (manager: Manager, id: KeyId) {
      const key = yield* Effect.mapError(Effect.flatten(repo.hold({ account: manager.account, id })), () => missing)
      yield* mayGive(manager, key.scopes)
      return key
    })

    /** `mayGive` for the key that takes the place of this one. */
    const mayRotate = (manager: Manager, id: KeyId) =>
      Effect.flatMap(get(manager.account, id), ({ scopes }) => mayGive(manager, scopes))

    /** The new key with its text. */
    const made = Effect.fnUntraced(function* (
      { account }: Manager,
      scopes: ReadonlyArray<string>,
      mode: "live" | "test",
      options: { readonly expires: string | null; readonly name: string | null }
    ) {
      const { account_id, revoked_at, ...key } = yield* accounts.issueKey(account, scopes, mode, options)
      return key
    })

    /** Creates a key, after `mayGive`; the answer alone has its text. */
    const create = Traced.fn("Keys.create")(function* (manager: Manager, { expires_at, name, scopes }: NewKey) {
      return yield* made(manager, [...new Set(scopes)], "live", { expires: yield* timeOf(expires_at), name })
    })

    /** Changes what is given. */
    const patch = Traced.fn("Keys.patch")(function* (manager: Manager, id: KeyId, changes: KeyPatch) {
      yield* held(manager, id)
      yield* mayGive(manager, changes.scopes ?? [])
      const expires = changes.expires_at === undefined ? undefined : yield* timeOf(changes.expires_at)
      const scopes = changes.scopes === undefined ? undefined : [...new Set(changes.scopes)]
      return yield* repo.change({ expires, id, name: changes.name, scopes })
    }, repo.transaction)

    /** Revokes a key: its next request is refused. */
    const remove = Traced.fn("Keys.remove")(function* (manager: Manager, id: KeyId) {
      yield* held(manager, id)
      yield* repo.revoke({ id })
    }, repo.transaction)

    /** A new key in the place of one, which stays valid for `overlap` seconds. */
    const rotate = Traced.fn("Keys.rotate")(function* (manager: Manager, id: KeyId, overlap: number) {
      const { expires_at, hasExpired, mode, name, scopes } = yield* held(manager, id)
      if (hasExpired) return yield* new Conflict({ message: "The key has expired: create a new one" })
      const key = yield* made(manager, scopes, mode, { expires: expires_at, name })
      yield* repo.expire({ id, seconds: overlap })
      return key
    }, repo.transaction)

    return { create, get, mayGive, mayRotate, page, patch, remove, rotate }
  })
}) {}
