import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Entropy from "../secrets/Entropy.ts"
import * as ApiKey from "./ApiKey.ts"
import { type AccountId, isChoosable, type KeyId, scopes as known, type Plan } from "./Domain.ts"
import { AccountsRepo } from "./Repo.ts"

/** An operator's request that cannot be carried out; `message` is one sentence for them. */
export class AccountsRefused extends Data.TaggedError("AccountsRefused")<{ readonly message: string }> {}

const refusalOf = (scopes: ReadonlyArray<string>): string | undefined => {
  if (scopes.length === 0) return "A key needs at least one scope"
  const wrong = scopes.find((scope) => !isChoosable(scope))
  if (wrong === undefined) return undefined
  return Object.hasOwn(known, wrong)
    ? `The scope ${wrong} cannot be chosen for a key: it is part of *`
    : `There is no scope ${wrong}; there are *, ${Object.keys(known).filter(isChoosable).join(", ")}`
}

/** Accounts and their keys, as the operator manages them. */
export class Accounts extends Effect.Service<Accounts>()("accounts/Accounts", {
  dependencies: [AccountsRepo.Default, Entropy.layer],
  effect: Effect.gen(function* () {
    const repo = yield* AccountsRepo
    const entropy = yield* Entropy.Entropy

    const create = Effect.fn("Accounts.create")(function* (name: string, plan: Plan) {
      if (name.trim() === "") return yield* new AccountsRefused({ message: "An account needs a name" })
      return yield* repo.insertAccount({ name: name.trim(), plan })
    })

    /** Creates a key and answers it with its text, which is stored nowhere: only now can it be read. */
    const createKey = Effect.fn("Accounts.createKey")(function* (
      account: AccountId,
      scopes: ReadonlyArray<string>,
      mode: ApiKey.Mode
    ) {
      const refusal = refusalOf(scopes)
      if (refusal !== undefined) return yield* new AccountsRefused({ message: refusal })
      const key = yield* Effect.provideService(ApiKey.generate(mode), Entropy.Entropy, entropy)
      const hash = ApiKey.hash(key)
      const stored = yield* repo.insertKey({ account, display: ApiKey.display(key), hash, mode, scopes })
      return yield* Option.match(stored, {
        onNone: () => new AccountsRefused({ message: `There is no account ${account}` }),
        onSome: (record) => Effect.succeed({ ...record, key })
      })
    })

    /** Revokes a key: its next request is refused. */
    const revokeKey = Effect.fn("Accounts.revokeKey")(function* (id: KeyId) {
      return yield* Effect.mapError(
        Effect.flatten(repo.revoke({ id })),
        () => new AccountsRefused({ message: `There is no key ${id}` })
      )
    })

    /** On an empty database makes the first account and its key; of several nodes that start at once only one does. */
    const firstKey = Effect.gen(function* () {
      yield* repo.lockFirstStart
      if ((yield* repo.accounts).length > 0) return Option.none()
      const account = yield* create("default", "agency_team")
      return Option.some(yield* createKey(account.id, ["*", "site-health:write"], "live"))
    }).pipe(repo.withTransaction)

    return { create, createKey, firstKey, keys: repo.keys, list: repo.accounts, revokeKey }
  })
}) {}
