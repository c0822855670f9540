import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { AccountId } from "../../accounts/Domain.ts"
import { Projects } from "../../projects/Projects.ts"
import { PageTotals } from "../../rankings/totals/PageTotals.ts"
import type { StoredDesign } from "./Design.ts"
import { noTotals } from "./Refusals.ts"

/** The sites of designs, with what their page totals are read by. */
export class DesignSites extends Effect.Service<DesignSites>()("experiments/design/DesignSites", {
  dependencies: [PageTotals.Default, Projects.Default],
  effect: Effect.gen(function* () {
    const projects = yield* Projects
    const totals = yield* PageTotals

    /** The site of a design; fails where no page total of a final day was imported. */
    const of = Effect.fnUntraced(function* (account: AccountId, { site_id }: StoredDesign) {
      const project = yield* projects.own(account, site_id)
      const known = yield* totals.known(project)
      return Option.isNone(known) ? yield* noTotals : { project, site: known.value }
    })

    return { of }
  })
}) {}
