import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import * as FileSystem from "@effect/platform/FileSystem"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Guarded from "../../../foundation/outbound/Guarded.ts"
import { Refused } from "../../../foundation/schema/DomainError.ts"
import { described } from "../../../foundation/terminal/Help.ts"
import { option } from "../../../foundation/terminal/Input.ts"
import { json, print } from "../../../foundation/terminal/Output.ts"
import { account } from "../../accounts/AccountOption.ts"
import { Auditor } from "../Auditor.ts"
import { Audits } from "../Audits.ts"
import type { AuditRecord } from "../AuditsRepo.ts"
import { reportOutcome } from "../Outcome.ts"
import { importReport, type ReportFile } from "../report/ImportReport.ts"
import { maxReportBytes } from "../report/ParseReport.ts"
import { device, page, psi } from "./Options.ts"

/** Prints what was recorded; a failed audit ends the command with its reason, so that a script notices. */
const report = (recorded: AuditRecord, asJson: boolean) =>
  Effect.zipRight(
    print(recorded, asJson),
    recorded.failure === null ? Effect.void : new Refused({ message: recorded.failure.message })
  )

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
  Command.provide(({ page }) => Guarded.layerFor(new URL(page)))
)

const file = (name: string, what: string) =>
  Options.optional(Options.file(name, { exists: "yes" }).pipe(Options.withDescription(what)))

const load = Effect.fnUntraced(function* <Format extends ReportFile["format"]>(format: Format, name: string) {
  const files = yield* FileSystem.FileSystem
  const { size } = yield* files.stat(name)
  if (size > maxReportBytes)
    return yield* new Refused({ message: `${name}: larger than ${maxReportBytes / 1024 / 1024} MiB` })
  return { bytes: yield* files.readFile(name), format, name }
})

const one = new Refused({ message: "Name one report: --lighthouse FILE or --psi FILE" })

/** `audits import --account ID --lighthouse FILE`: records a report that was made elsewhere. */
export const importAudit = Command.make(
  "import",
  {
    account,
    crux: file("crux", "CrUX record of the page or its origin, whose values replace other field data"),
    json,
    lighthouse: file("lighthouse", "JSON report of Lighthouse 6 or newer"),
    psi: file("psi", "JSON answer of PageSpeed Insights v5")
  },
  ({ account, crux, json, lighthouse, psi }) =>
    Effect.gen(function* () {
      const audits = yield* Audits
      if (Option.isSome(lighthouse) === Option.isSome(psi)) return yield* one
      const format = Option.isSome(lighthouse) ? "lighthouse" : "psi"
      const main = yield* load(
        format,
        Option.getOrElse(lighthouse, () => Option.getOrElse(psi, () => ""))
      )
      const beside = Option.isSome(crux) ? yield* load("crux", crux.value) : null
      const outcome = reportOutcome(yield* importReport(main, beside))
      yield* report(yield* audits.record({ account, schedule: null, source: "import" }, outcome), json)
    })
).pipe(
  Command.withDescription(
    described("record a report that was made elsewhere", "audits import --account $ACCOUNT --lighthouse report.json")
  )
)
