import * as Effect from "effect/Effect"
import { ruleIds } from "../../crawl/rules/Catalogue.ts"
import { Conflict, Invalid } from "../../foundation/schema/DomainError.ts"
import * as Traced from "../../foundation/schema/Traced.ts"
import type { AccountId } from "../accounts/Domain.ts"
import type { RunId, VerifyRun } from "./Domain.ts"
import { Results } from "./results/Results.ts"
import { Start } from "./Start.ts"

const again = new Conflict({ message: "This run is a verification; verify the run that it refers to" })

/** Starting runs that verify the faults of another. */
export class Verify extends Effect.Service<Verify>()("sitehealth/Verify", {
  dependencies: [Results.Default, Start.Default],
  effect: Effect.gen(function* () {
    const { having } = yield* Results
    const starts = yield* Start

    const verify = Traced.fn("Verify.verify")(function* (
      account: AccountId,
      id: RunId,
      { rules }: VerifyRun,
      key: string | undefined
    ) {
      const { value: run } = yield* having(account, id)
      if (run.request.verify !== null) return yield* again
      const unknown = rules?.findIndex((rule) => !ruleIds.has(rule)) ?? -1
      if (unknown >= 0) return yield* Invalid.of(`rules.${unknown}`, `there is no rule ${rules?.[unknown]}`)
      return yield* starts.verify(account, run, rules === undefined ? null : [...new Set(rules)].toSorted(), key)
    })

    return { verify }
  })
}) {}
