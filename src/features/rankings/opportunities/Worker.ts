import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { every } from "../../../foundation/database/Outages.ts"
import * as Traced from "../../../foundation/schema/Traced.ts"
import { Imports } from "../import/Imports.ts"
import { OutdatedRepo } from "./OutdatedRepo.ts"

/** Makes lists again where the words of a brand have changed. */
export class Renewals extends Effect.Service<Renewals>()("rankings/opportunities/Renewals", {
  dependencies: [Imports.Default, OutdatedRepo.Default],
  effect: Effect.gen(function* () {
    const imports = yield* Imports
    const repo = yield* OutdatedRepo

    /** One site after the other; each is a generation of its own, behind the imports of the site. */
    const run = Traced.fn("Renewals.run")(function* () {
      yield* Effect.forEach(
        yield* repo.outdated(),
        (site) => Effect.zipRight(repo.mark({ site: site.id }), imports.renew(site)),
        { discard: true }
      )
    })

    return { run }
  })
}) {}

const renewing = Effect.gen(function* () {
  const { run } = yield* Renewals
  yield* run().pipe(every("5 seconds", "Lists of opportunities could not be made anew"))
})

/** Keeps lists of opportunities in step with the brand terms of projects, for as long as it lives. */
export const layer = Layer.scopedDiscard(renewing).pipe(Layer.provide(Renewals.Default))
