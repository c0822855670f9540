import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { NotFound, Refused } from "../../foundation/schema/DomainError.ts"
import * as Traced from "../../foundation/schema/Traced.ts"
import * as Entropy from "../../foundation/secrets/Entropy.ts"
import * as ApiKey from "./ApiKey.ts"
import { type AccountId, isChoosable, type KeyId, scopes as known, type Plan } from "./Domain.ts"
import { KeysRepo, type Origin } from "./KeysRepo.ts"
import { AccountsRepo } from "./Repo.ts"

const refusalOf = (scopes: ReadonlyArray<string>): string | undefined => {
  if (scopes.length === 0) return "A key needs at least one scope"
  const wrong = scopes.find((scope) => !isChoosable(scope))
  if (wrong === undefined) return undefined
  return Object.hasOwn(known, wrong)
    ? `The scope ${wrong} cannot be given by name: it is part of *`
    : `There is no scope ${wrong}; there are *, ${Object.keys(known).filter(isChoosable).join(", ")}`
}

interface KeyOptions {
  /** ISO 8601; null: it does not end. */
  readonly expires?: string | null
  readonly name?: string | null
  readonly origin?: Origin
}

/** Accounts and their keys, as the operator manages them. */
export class Accounts extends Effect.Service<Accounts>()("accounts/Accounts", {
  dependencies: [AccountsRepo.Default, Entropy.layer, KeysRepo.Default],
  effect: Effect.gen(function* () {
    const repo = yield* AccountsRepo
    const keys = yield* KeysRepo
    const entropy = yield* Entropy.Entropy

    const create = Traced.fn("Accounts.create")(function* (name: string, plan: Plan) {
      if (name.trim() === "") return yield* new Refused({ message: "An account needs a name" })
      return yield* repo.insertAccount({ name: name.trim(), plan })
    })

    /** The oldest account of that name as it is, or a new one of that plan; of several processes that start at once only one makes it. */
    const findOrCreate = Traced.fn("Accounts.findOrCreate")(function* (name: string, plan: Plan) {
      yield* repo.lockName(name.trim())
      const found = yield* repo.oldestNamed(name.trim())
      return Option.isSome(found) ? found.value : yield* create(name, plan)
    }, repo.withTransaction)

    /** Stores a key and answers it with its text, which is stored nowhere: only now can it be read. */
    const issueKey = Effect.fnUntraced(function* (
      account: AccountId,
      scopes: ReadonlyArray<string>,
      mode: ApiKey.Mode,
      { expires = null, name = null, origin = "operator" }: KeyOptions = {}
    ) {
      const key = yield* Effect.provideService(ApiKey.generate(mode), Entropy.Entropy, entropy)
      const hash = ApiKey.hash(key)
      const display = ApiKey.display(key)
      const stored = yield* keys.insert({ account, display, expires, hash, mode, name, origin, scopes })
      return yield* Option.match(stored, {
        onNone: () => NotFound.of(`account ${account}`),
        onSome: (record) => Effect.succeed({ ...record, key })
      })
    })

    /** Creates a key with scopes that a key can be given. */
    const createKey = Traced.fn("Accounts.createKey")(function* (...parts: Parameters<typeof issueKey>) {
      const refusal = refusalOf(parts[1])
      if (refusal !== undefined) return yield* new Refused({ message: refusal })
      const expires = parts[3]?.expires ?? null
      if (expires !== null && Date.parse(expires) <= (yield* Clock.currentTimeMillis))
        return yield* new Refused({ message: "A key cannot end in the past" })
      return yield* issueKey(...parts)
    })

    /** Revokes a key: its next request is refused. */
    const revokeKey = Traced.fn("Accounts.revokeKey")(function* (id: KeyId) {
      return yield* Effect.mapError(Effect.flatten(keys.revoke({ id })), () => NotFound.of(`key ${id}`))
    })

    /**
     * Makes the first account and its key on an empty database, and hands the key over; of several nodes that start at once only one does. When the
     * hand-over fails, nothing is stored.
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
