import * as Either from "effect/Either"
import { isWeb } from "../../../foundation/schema/WebAddress.ts"
import type { Device } from "../Domain.ts"
import { readAuditEntries } from "./AuditEntries.ts"
import { readCategories } from "./CategoryEntries.ts"
import { readDiagnostics } from "./Diagnostics.ts"
import { at, isJsonObject, text } from "./Json.ts"
import { readLabMetrics } from "./LabMetrics.ts"
import type { LighthouseReport } from "./LighthouseReport.ts"
import { plain } from "./PlainText.ts"
import { type ReportUnreadable, unreadable } from "./ReportUnreadable.ts"
import { readRuntimeError } from "./RuntimeError.ts"

const oldestMajor = 6

const readDevice = (report: unknown): Device | null => {
  const factor = at(report, "configSettings", "formFactor") ?? at(report, "configSettings", "emulatedFormFactor")
  return factor === "mobile" || factor === "desktop" ? factor : null
}

const readAddresses = (report: unknown): ReadonlyArray<string> =>
  ["requestedUrl", "finalDisplayedUrl", "finalUrl", "mainDocumentUrl"].flatMap((key) => {
    const url = URL.parse(plain(text(at(report, key)) ?? "", 2_048))
    return url !== null && isWeb(url) ? [url.href] : []
  })

const readVersion = (report: unknown, source: string): Either.Either<string, ReportUnreadable> => {
  const version = text(at(report, "lighthouseVersion"))
  const major = /^(\d{1,3})\.\d{1,5}(\.\d{1,5})?(-[\w.]{1,20})?$/.exec(version ?? "")?.[1]
  if (version === null || major === undefined)
    return Either.left(unreadable(source, ["lighthouseVersion"], "is missing: this is not a Lighthouse report"))
  return Number(major) < oldestMajor
    ? Either.left(
        unreadable(source, ["lighthouseVersion"], `is ${version}; reports of Lighthouse 6 and newer are read`)
      )
    : Either.right(version)
}

/**
 * Reads a Lighthouse result of version 6 or newer. Total: every value gives a report, or its first fault with the name of
 * the field.
 */
export const readLighthouse = (value: unknown, source: string): Either.Either<LighthouseReport, ReportUnreadable> =>
  Either.gen(function* () {
    if (!isJsonObject(value)) return yield* Either.left(unreadable(source, [], "must contain a JSON object"))
    if (Array.isArray(value.steps))
      return yield* Either.left(unreadable(source, ["steps"], "is a user flow; import the lhr of one navigation step"))
    if (isJsonObject(value.lighthouseResult))
      return yield* Either.left(
        unreadable(source, ["lighthouseResult"], "this is a PageSpeed Insights answer; import it as one")
      )
    const version = yield* readVersion(value, source)
    const addresses = readAddresses(value)
    const [url] = addresses
    if (url === undefined)
      return yield* Either.left(unreadable(source, ["requestedUrl"], "must be an http or https URL"))
    const runtimeError = readRuntimeError(value)
    return {
      version,
      url,
      addresses,
      fetchTime: text(value.fetchTime),
      device: readDevice(value),
      categories: runtimeError === null ? yield* readCategories(value, source) : [],
      audits: runtimeError === null ? yield* readAuditEntries(value, source) : new Map(),
      lab: readLabMetrics(value),
      diagnostics: readDiagnostics(value),
      runtimeError
    }
  })
