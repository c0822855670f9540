import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { NotFound, Refused } from "../../foundation/schema/DomainError.ts"
import * as Traced from "../../foundation/schema/Traced.ts"
import * as Entropy from "../../foundation/secrets/Entropy.ts"
import * as ApiKey from "./ApiKey.ts"
import { type AccountId, isChoosable, type KeyId, scopes as known, type Plan } from "./Domain.ts"
import { AccountsRepo } from "./Repo.ts"

const refusalOf = (scopes: ReadonlyArray<string>): string | undefined => {
  if (scopes.length === 0) return "A key needs at least one scope"
  const wrong = scopes.find((scope) => !isChoosable(scope))
  if (wrong === undefined) return undefined
  return Object.hasOwn(known, wrong)
    ? `The scope ${wrong} cannot be given by name: it is part of *`
    : `There is no scope ${wrong}; there are *, ${Object.keys(known).filter(isChoosable).join(", ")}`
}

/** Accounts and their keys, as the operator manages them. */
export class Accounts extends Effect.Service<Accounts>()("accounts/Accounts", {
  dependencies: [AccountsRepo.Default, Entropy.layer],
  effect: Effect.gen(function* () {
    const repo = yield* AccountsRepo
    const entropy = yield* Entropy.Entropy

    const create = Traced.fn("Accounts.create")(function* (name: string, plan: Plan) {
      if (name.trim() === "") return yield* new Refused({ message: "An account needs a name" })
      return yield* repo.insertAccount({ name: name.trim(), plan })
    })

    /** Creates a key and answers it with its text, which is stored nowhere: only now can it be read. */
    const createKey = Traced.fn("Accounts.createKey")(function* (
      account: AccountId,
      scopes: ReadonlyArray<string>,
      mode: ApiKey.Mode
    ) {
      const refusal = refusalOf(scopes)
      if (refusal !== undefined) return yield* new Refused({ message: refusal })
      const key = yield* Effect.provideService(ApiKey.generate(mode), Entropy.Entropy, entropy)
      const hash = ApiKey.hash(key)
      const stored = yield* repo.insertKey({ account, display: ApiKey.display(key), hash, mode, scopes })
      return yield* Option.match(stored, {
        onNone: () => NotFound.of(`account ${account}`),
        onSome: (record) => Effect.succeed({ ...record, key })
      })
    })

    /** Revokes a key: its next request is refused. */
    const revokeKey = Traced.fn("Accounts.revokeKey")(function* (id: KeyId) {
      return yield* Effect.mapError(Effect.flatten(repo.revoke({ id })), () => NotFound.of(`key ${id}`))
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
        return Option.some(key)
      }).pipe(repo.withTransaction)

    return { create, createKey, firstKey, keys: repo.keys, list: repo.accounts, revokeKey }
  })
}) {}
