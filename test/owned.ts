import * as Effect from "effect/Effect"
import type { AccountId } from "../src/features/accounts/Domain.ts"
import { Owned } from "../src/features/accounts/Owned.ts"

/** Claims without proof that a thing belongs to an account: for tests of code behind the proof. */
export const ownedBy = <Id extends string>(account: AccountId, id: Id): Owned<{ readonly id: Id }> =>
  Effect.runSync(Owned.by(() => Effect.succeedSome({ id }), "thing")(account, id))
