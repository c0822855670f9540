import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import * as FileSystem from "@effect/platform/FileSystem"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { Refused } from "../../../foundation/schema/DomainError.ts"
import { described } from "../../../foundation/terminal/Help.ts"
import { json } from "../../../foundation/terminal/Output.ts"
import { Audits } from "../Audits.ts"
import { reportOutcome } from "../Outcome.ts"
import { importReport, type ReportFile } from "../report/ImportReport.ts"
import { maxReportBytes } from "../report/ParseReport.ts"
import { account } from "./Options.ts"
import { report } from "./Report.ts"

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
