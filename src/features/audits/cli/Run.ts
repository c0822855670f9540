import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Guarded from "../../../foundation/outbound/Guarded.ts"
import { described } from "../../../foundation/terminal/Help.ts"
import { option } from "../../../foundation/terminal/Input.ts"
import { json } from "../../../foundation/terminal/Output.ts"
import { Auditor } from "../Auditor.ts"
import { Audits } from "../Audits.ts"
import { account, device, page, psi } from "./Options.ts"
import { report } from "./Report.ts"

const Runs = Schema.NumberFromString.pipe(
  Schema.filter((count) => (Number.isInteger(count) && count >= 1 && count <= 15) || "must be from 1 to 15")
)

const runs = option("runs", Runs).pipe(
  Options.withDefault(1),
  Options.withDescription("number of runs, whose median is recorded with the spread; 1 by default")
)

/** `audits run --account ID URL`: audits a page on this machine and records the outcome. */
export const run = Command.make(
  "run",
  { account, device, json, page, psi, runs },
  ({ account, device, json, page, psi, runs }) =>
    Effect.gen(function* () {
      const auditor = yield* Auditor
      const audits = yield* Audits
      yield* audits.requireAccount(account)
      const source = psi ? "psi" : "lighthouse"
      const outcome = yield* auditor.audit(source, page, device, runs)
      yield* report(yield* audits.record({ account, schedule: null, source }, outcome), json)
    })
).pipe(
  Command.withDescription(
    described(
      "audit a page with Lighthouse, or through PageSpeed Insights",
      "audits run --account $ACCOUNT --runs 5 https://example.com"
    )
  ),
  Command.provide(Auditor.Default),
  Command.provide(Guarded.layer)
)
