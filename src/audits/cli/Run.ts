import * as Command from "@effect/cli/Command"
import * as Effect from "effect/Effect"
import * as Guarded from "../../outbound/Guarded.ts"
import { json } from "../../terminal/Output.ts"
import { Auditor } from "../Auditor.ts"
import { Audits } from "../Audits.ts"
import { account, device, page, psi } from "./Options.ts"
import { report } from "./Report.ts"

/** `audits run --account ID URL`: audits a page here and now, and records how that ended. */
export const run = Command.make("run", { account, device, json, page, psi }, ({ account, device, json, page, psi }) =>
  Effect.gen(function* () {
    const auditor = yield* Auditor
    const audits = yield* Audits
    yield* audits.requireAccount(account)
    const source = psi ? "psi" : "lighthouse"
    const outcome = yield* auditor.audit(source, page, device)
    yield* report(yield* audits.record({ account, schedule: null, source }, outcome), json)
  })
).pipe(
  Command.withDescription("audit a page with Lighthouse, or through PageSpeed Insights"),
  Command.provide(Auditor.Default),
  Command.provide(Guarded.layer)
)
