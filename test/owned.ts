import * as Effect from "effect/Effect"
import type { AccountId } from "../src/features/accounts/Domain.ts"
import { Owned } from "../src/features/accounts/Owned.ts"

/** Takes an account's word for it that a thing is its own: for tests of what lies behind the proof. */
export const ownedBy = <Id extends string>(account: AccountId, id: Id): Owned<{ readonly id: Id }> =>
  Effect.runSync(Owned.by(() => Effect.succeedSome({ id }), "thing")(account, id))
