import * as SqlClient from "@effect/sql/SqlClient"
import * as Clock from "effect/Clock"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Migrations from "../../foundation/database/Migrations.ts"
import * as Query from "../../foundation/database/Query.ts"
import { apiError } from "../../foundation/http/ApiError.ts"
import { Conflict, Invalid, NotFound, Refused } from "../../foundation/schema/DomainError.ts"
import * as Traced from "../../foundation/schema/Traced.ts"
import * as Entropy from "../../foundation/secrets/Entropy.ts"
import * as ApiKeys from "./ApiKeys.ts"

import { challenge, limited } from "./Authorize.ts"
import {
  Account,
  AccountId,
  grants,
  isChoosable,
  KeyId,
  type KeyPatch,
  keysPerMinute,
  scopes as known,
  type NewKey,
  Plan
} from "./Domain.ts"
import type { Batch } from "./Handlers.ts"

export class AccountsRepo extends Effect.Service<AccountsRepo>()("accounts/AccountsRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const insertAccount = Query.one({
      Request: Schema.Struct({ name: Schema.String, plan: Plan }),
      Result: Account,
      execute: (account) => sql`
        INSERT INTO accounts ${sql.insert(account)} RETURNING id, name, plan, iso(created_at) AS created_at`
    })

    const oldestNamed = Query.first({
      Request: Schema.String,
      Result: Account,
      execute: (name) => sql`
        SELECT id, name, plan, iso(created_at) AS created_at FROM accounts WHERE name = ${name}
        ORDER BY accounts.created_at, id LIMIT 1`
    })

    /** Locks an account name until the transaction ends, so one transaction at a time looks for it. */
    const lockName = Query.none({
      Request: Schema.String,
      execute: (name) => sql`SELECT pg_advisory_xact_lock(4846015, hashtext(${name}))`
    })

    const accounts = Query.all({
      Request: Schema.Void,
      Result: Account,
      execute: () => sql`
        SELECT id, name, plan, iso(created_at) AS created_at FROM accounts ORDER BY accounts.created_at, id`
    })

    return {
      insertAccount,
      lockName,
      oldestNamed,
      accounts: accounts(undefined),
      /** Lets one process at a time continue, until the surrounding transaction ends. */
      lockFirstStart: Effect.orDie(sql`SELECT ${Migrations.lock(sql, sql`4846014::bigint`)}`),
      withTransaction: Query.transaction(sql)
    }
  })
}) {}

/** Serialises the requests of an account that count its things before they add one. */
export class LockRepo extends Effect.Service<LockRepo>()("accounts/LockRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    /** Waits for the lock of the account's row; the lock ends with the transaction. */
    const lockAccount = Query.none({
      Request: AccountId,
      execute: (account) => sql`SELECT FROM accounts WHERE id = ${account} FOR NO KEY UPDATE`
    })

    return { lockAccount }
  })
}) {}

const refusalOf = (scopes: ReadonlyArray<string>): string | undefined => {
  if (scopes.length === 0) return "An API key needs at least one scope"
  const wrong = scopes.find((scope) => !isChoosable(scope))
  if (wrong === undefined) return undefined
  return Object.hasOwn(known, wrong)
    ? `The scope ${wrong} cannot be chosen: it is part of *`
    : `Unknown scope ${wrong}. Choose from *, ${Object.keys(known).filter(isChoosable).join(", ")}`
}

interface KeyOptions {
  /** ISO 8601; null: no end. */
  readonly expires?: string | null
  readonly name?: string | null
  readonly origin?: ApiKeys.Origin
}

/** Accounts and their keys, managed by the administrator. */
export class Accounts extends Effect.Service<Accounts>()("accounts/Accounts", {
  dependencies: [AccountsRepo.Default, Entropy.layer, ApiKeys.KeysRepo.Default],
  effect: Effect.gen(function* () {
    const repo = yield* AccountsRepo
    const keys = yield* ApiKeys.KeysRepo
    const entropy = yield* Entropy.Entropy

    const create = Traced.fn("Accounts.create")(function* (name: string, plan: Plan) {
      if (name.trim() === "") return yield* new Refused({ message: "An account needs a name" })
      return yield* repo.insertAccount({ name: name.trim(), plan })
    })

    /** The oldest account of the name, unchanged, or a new one with the plan. When several processes start together, only one creates it. */
    const findOrCreate = Traced.fn("Accounts.findOrCreate")(function* (name: string, plan: Plan) {
      yield* repo.lockName(name.trim())
      const found = yield* repo.oldestNamed(name.trim())
      return Option.isSome(found) ? found.value : yield* create(name, plan)
    }, repo.withTransaction)

    /** Stores a key and returns it with its text. The text is stored nowhere, so this is the only chance to read it. */
    const issueKey = Effect.fnUntraced(function* (
      account: AccountId,
      scopes: ReadonlyArray<string>,
      mode: ApiKeys.Mode,
      { expires = null, name = null, origin = "operator" }: KeyOptions = {}
    ) {
      const key = yield* Effect.provideService(ApiKeys.generate(mode), Entropy.Entropy, entropy)
      const hash = ApiKeys.hash(key)
      const display = ApiKeys.display(key)
      const stored = yield* keys.insert({ account, display, expires, hash, mode, name, origin, scopes })
      return yield* Option.match(stored, {
        onNone: () =>
          new NotFound({
            message: `No account ${account}. Check the id, and that FINDABLE_DATA_DIR is your server's data directory`
          }),
        onSome: (record) => Effect.succeed({ ...record, key })
      })
    })

    /** Creates a key with scopes that a key may have. */
    const createKey = Traced.fn("Accounts.createKey")(function* (...parts: Parameters<typeof issueKey>) {
      const refusal = refusalOf(parts[1])
      if (refusal !== undefined) return yield* new Refused({ message: refusal })
      const expires = parts[3]?.expires ?? null
      if (expires !== null && Date.parse(expires) <= (yield* Clock.currentTimeMillis))
        return yield* new Refused({ message: "An API key cannot expire in the past" })
      return yield* issueKey(...parts)
    })

    /** Revokes a key; its next request is refused. */
    const revokeKey = Traced.fn("Accounts.revokeKey")(function* (id: KeyId) {
      return yield* Effect.mapError(
        Effect.flatten(keys.revoke({ id })),
        () => new NotFound({ message: `No API key ${id}. Check the id` })
      )
    })

    /**
     * Creates the first account and its key on an empty database, and passes the key to `handOver`. When several nodes start together, only one does so. When
     * `handOver` fails, nothing is stored.
     */
    const firstKey = <E, R>(handOver: (key: string) => Effect.Effect<void, E, R>) =>
      Effect.gen(function* () {
        yield* repo.lockFirstStart
        if ((yield* repo.accounts).length > 0) return Option.none()
        const account = yield* create("default", "agency_team")
        const { key } = yield* createKey(account.id, ["*", "site-health:write"], "live")
        yield* handOver(key)
        return Option.some({ account: account.id, key })
      }).pipe(repo.withTransaction)

    return { create, createKey, findOrCreate, firstKey, issueKey, keys: keys.all, list: repo.accounts, revokeKey }
  })
}) {}

/** The manager of an account's keys: a key, or a caller that the embedding program identified. */
export interface Manager {
  readonly account: AccountId
  readonly key: KeyId | null
  readonly scopes: ReadonlyArray<string>
}

/** The scopes and the latest end that a manager can give to a key. */
interface Means {
  readonly scopes: ReadonlyArray<string>
  /** ISO 8601, or `infinity`. */
  readonly until: string
}

const missing = NotFound.of("API key")
const isMade = Schema.decodeUnknown(Schema.Struct({ id: KeyId }))

const ended = apiError("unauthorized", "This API key was revoked or has expired. Create a new one", {
  headers: { "www-authenticate": challenge("revoked_key") }
})

/** Fails unless the manager has all the scopes. Nobody may create or change a key with more rights than their own. */
const mayGive = ({ scopes: held }: Means, scopes: ReadonlyArray<string>) => {
  const lacking = scopes.filter((scope) => !grants(held, scope))
  return lacking.length === 0
    ? Effect.void
    : apiError(
        "insufficient_scope",
        `Your API key lacks ${lacking.join(", ")} and can only manage keys with no more scopes than its own`
      )
}

const tooLong = ({ until }: Means) =>
  apiError(
    "insufficient_scope",
    `Your API key expires at ${until} and cannot create keys that expire later. Send an earlier expires_at`
  )

/** Fails when the end, null for none, is later than the manager's. */
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

/** The number of an account's usable keys, and its plan's limit. */
interface Usage {
  readonly most: number
  readonly plan: string
  readonly usable: number
}

const full = (usable: number, plan: string, most: number) => {
  const message = `The account has ${usable} usable API keys, and its plan (${plan}) allows ${most}. Revoke one with DELETE /api/v1/keys/{id}, or ask the administrator to create the key`
  return new Invalid({ details: [{ message, path: "body" }], message })
}

/**
 * The keys of an account, managed by a key with at least their rights. Changes of one account's keys run one after the other, and each reads the current rights
 * of the manager and the keys.
 */
export class Keys extends Effect.Service<Keys>()("accounts/Keys", {
  dependencies: [Accounts.Default, ApiKeys.KeysRepo.Default, LockRepo.Default],
  effect: Effect.gen(function* () {
    const accounts = yield* Accounts
    const repo = yield* ApiKeys.KeysRepo
    const { lockAccount } = yield* LockRepo

    const page = (account: AccountId, batch: Batch) => repo.page({ account, ...batch })

    const get = Traced.fn("Keys.get")(function* (account: AccountId, id: KeyId) {
      return yield* Effect.mapError(Effect.flatten(repo.find({ account, id })), () => missing)
    })

    /** The manager's current rights; its key may have changed since the request was admitted. */
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

    /** A key of the account that the manager may change, locked until the transaction ends. */
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
          `The account created ${keysPerMinute} API keys within a minute. Try again in ${wait} s`
        )
      return usage
    })

    /** Fails when the account's usable keys have reached the plan's limit. */
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

    /** Creates a key; only this response has its text. */
    const create = Traced.fn("Keys.create")(function* (manager: Manager, { expires_at, name, scopes }: NewKey) {
      const means = yield* meansOf(manager)
      yield* mayGive(means, scopes)
      yield* mayLast(means, expires_at)
      const usage = yield* withinPace(manager.account)
      const expires = yield* timeOf(expires_at)
      yield* withinPlan(usage)
      return yield* made(manager, [...new Set(scopes)], "live", { expires, name })
    }, repo.transaction)

    /** Updates the given fields of a key. */
    const patch = Traced.fn("Keys.patch")(function* (manager: Manager, id: KeyId, changes: KeyPatch) {
      const means = yield* meansOf(manager)
      const key = yield* held(means, manager.account, id)
      const added = (changes.scopes ?? []).filter((scope) => !grants(key.scopes, scope))
      yield* mayGive(means, added)
      if (changes.expires_at !== undefined) yield* mayLast(means, changes.expires_at)
      else if (added.length > 0 && key.isLasting) return yield* tooLong(means)
      if (key.isOfSession && (changes.expires_at !== undefined || changes.scopes !== undefined))
        return yield* new Conflict({
          message: "The scopes and expiry of a console session's key cannot change. Revoke it, or create an API key"
        })
      const expires = changes.expires_at === undefined ? undefined : yield* timeOf(changes.expires_at)
      if (key.hasExpired && expires !== undefined) yield* withinPlan(yield* repo.usage({ account: manager.account }))
      const scopes = changes.scopes === undefined ? undefined : [...new Set(changes.scopes)]
      return yield* repo.change({ expires, id, name: changes.name, scopes })
    }, repo.transaction)

    /** Revokes a key; its next request is refused. */
    const remove = Traced.fn("Keys.remove")(function* (manager: Manager, id: KeyId) {
      yield* held(yield* meansOf(manager), manager.account, id)
      yield* repo.revoke({ id })
    }, repo.transaction)

    /**
     * Replaces a key by a new one; the old key stays valid for `overlap` seconds. An account at its plan's limit gets one more key for that time, and earlier
     * replaced keys end immediately.
     */
    const rotate = Traced.fn("Keys.rotate")(function* (manager: Manager, id: KeyId, overlap: number) {
      const { account } = manager
      const means = yield* meansOf(manager)
      const key = yield* held(means, account, id)
      if (key.isLasting) return yield* tooLong(means)
      if (key.hasExpired) return yield* new Conflict({ message: "This API key has expired. Create a new one" })
      if (key.isOfSession)
        return yield* new Conflict({
          message: "The key of a console session cannot be rotated. Create an API key, or sign in again"
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

    /** Fails unless the manager could now create the key of the earlier request, because the response to a repeated request has the key's text. */
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
