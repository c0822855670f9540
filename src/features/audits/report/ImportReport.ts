import * as Either from "effect/Either"
import { at, isJsonObject } from "./Json.ts"
import { parseReport } from "./ParseReport.ts"
import { fieldFor, readCrux } from "./ReadCrux.ts"
import { readLighthouse } from "./ReadLighthouse.ts"
import { type PsiReport, readPsi } from "./ReadPsi.ts"
import type { ReportUnreadable } from "./ReportUnreadable.ts"

/** A file to import: its bytes, and the name that errors carry. */
export interface ReportFile {
  readonly format: "lighthouse" | "psi" | "crux"
  readonly bytes: Uint8Array
  readonly name: string
}

/** Reads a parsed report, of Lighthouse or of PageSpeed Insights, as its content says; `source` is its name in errors. */
export const readReport = (json: unknown, source: string): Either.Either<PsiReport, ReportUnreadable> =>
  isJsonObject(at(json, "lighthouseResult")) || at(json, "kind") === "pagespeedonline#result"
    ? readPsi(json, source)
    : Either.map(readLighthouse(json, source), (report) => ({ report, field: null }))

const readMain = (
  file: ReportFile & { readonly format: "lighthouse" | "psi" }
): Either.Either<PsiReport, ReportUnreadable> =>
  parseReport(file.bytes, file.name).pipe(
    Either.flatMap((json) =>
      file.format === "psi"
        ? readPsi(json, file.name)
        : Either.map(readLighthouse(json, file.name), (report) => ({ report, field: null }))
    )
  )

/** Reads a report file, and a CrUX record beside it when there is one; the record replaces other field data. */
export const importReport = (
  main: ReportFile & { readonly format: "lighthouse" | "psi" },
  crux: (ReportFile & { readonly format: "crux" }) | null
): Either.Either<PsiReport, ReportUnreadable> =>
  Either.gen(function* () {
    const { field, report } = yield* readMain(main)
    if (crux === null) return { report, field }
    const record = yield* Either.flatMap(parseReport(crux.bytes, crux.name), (json) => readCrux(json, crux.name))
    return { report, field: yield* fieldFor(record, report, crux.name) }
  })
