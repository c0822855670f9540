import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { isWeb } from "../../../foundation/schema/Scalars.ts"
import { encodingOf } from "../../../foundation/text/Encoding.ts"
import type { Device, FieldData } from "../Domain.ts"
import {
  at,
  elements,
  isJsonObject,
  type LighthouseReport,
  measured,
  type ReportUnreadable,
  readMoment,
  text,
  unreadable
} from "./LighthouseReport.ts"
import { readLighthouse } from "./ReadLighthouse.ts"

/** Maximum bytes of a report; the biggest public samples have 2 MB. */
export const maxReportBytes = 32 * 1024 * 1024

const parseJson = Schema.decodeUnknownOption(Schema.parseJson())

/**
 * Parses the bytes of a report: UTF-8, or UTF-16 with a byte order mark (as PowerShell's `>` writes). `parse` reads the JSON; by default its texts stay
 * unchanged.
 */
export const parseReport = (
  bytes: Uint8Array,
  source: string,
  parse: (json: string) => Option.Option<unknown> = parseJson
): Either.Either<unknown, ReportUnreadable> => {
  if (bytes.length === 0) return Either.left(unreadable(source, [], "the file is empty"))
  if (bytes.length > maxReportBytes)
    return Either.left(unreadable(source, [], `larger than ${maxReportBytes / 1024 / 1024} MiB`))
  const json = new TextDecoder(encodingOf(bytes)).decode(bytes)
  return Either.fromOption(parse(json), () => unreadable(source, [], "not valid JSON"))
}

/** A Chrome UX Report record: the measured page or origin, the devices, and the values. */
interface CruxRecord {
  /** A page URL, or an origin when `field.scope` is `origin`. */
  readonly address: URL
  /** Null for all devices together. */
  readonly device: Device | "tablet" | null
  readonly field: FieldData
}

const devices = new Map<unknown, CruxRecord["device"]>([
  ["PHONE", "mobile"],
  ["DESKTOP", "desktop"],
  ["TABLET", "tablet"]
])

/** Percentiles are numbers, or strings where decimals count ("0.05"). */
const percentile = (value: unknown) => measured(/^\d+(\.\d+)?$/.test(text(value) ?? "") ? Number(value) : value)

/** The value of a record, or the latest of a history; periods without enough users have null. */
const p75 = (record: unknown, ...names: ReadonlyArray<string>): number | null => {
  for (const name of names) {
    const history = elements(at(record, "metrics", name, "percentilesTimeseries", "p75s"))
    const newest = history.map(percentile).findLast((value) => value !== null)
    const value = newest ?? percentile(at(record, "metrics", name, "percentiles", "p75"))
    if (value !== null) return value
  }
  return null
}

/** Reads a response of the CrUX API's `records:queryRecord`, or the latest values of `records:queryHistoryRecord`. */
export const readCrux = (value: unknown, source: string): Either.Either<CruxRecord, ReportUnreadable> => {
  const record = at(value, "record")
  const wrong = (path: ReadonlyArray<string>, reason: string) => Either.left(unreadable(source, path, reason))
  if (isJsonObject(at(value, "error"))) return wrong(["error"], "is an error response of the CrUX API, not a record")
  if (!isJsonObject(record)) return wrong(["record"], "is missing: this is not a CrUX record")
  if (!isJsonObject(record.metrics)) return wrong(["record", "metrics"], "must be an object")
  const page = text(at(record, "key", "url"))
  const address = URL.parse(page ?? text(at(record, "key", "origin")) ?? "")
  if (address === null || !isWeb(address)) return wrong(["record", "key"], "must have an http or https url or origin")
  const metrics = {
    lcp_ms: p75(record, "largest_contentful_paint"),
    inp_ms: p75(record, "interaction_to_next_paint", "experimental_interaction_to_next_paint"),
    fcp_ms: p75(record, "first_contentful_paint"),
    ttfb_ms: p75(record, "experimental_time_to_first_byte", "time_to_first_byte"),
    cls: p75(record, "cumulative_layout_shift")
  }
  const device = devices.get(at(record, "key", "formFactor")) ?? null
  return Either.right({ address, device, field: { scope: page === null ? "origin" : "page", metrics } })
}

/** The record's field data if it belongs to the report's page and device. */
const fieldFor = (
  record: CruxRecord,
  report: LighthouseReport,
  source: string
): Either.Either<FieldData, ReportUnreadable> => {
  const matches = report.addresses.some((address) => {
    const page = URL.parse(address)
    if (page === null || page.origin !== record.address.origin) return false
    return record.field.scope === "origin" || page.pathname === record.address.pathname
  })
  if (!matches) return Either.left(unreadable(source, ["record", "key"], "is another page than that of the report"))
  if (record.device !== null && report.device !== null && record.device !== report.device)
    return Either.left(
      unreadable(source, ["record", "key", "formFactor"], `is from another device than the ${report.device} report`)
    )
  // A record without values would only remove the report's own.
  if (Object.values(record.field.metrics).every((value) => value === null))
    return Either.left(
      unreadable(source, ["record", "metrics"], "has no 75th percentile of LCP, INP, CLS, FCP or time to first byte")
    )
  return Either.right(record.field)
}

/** A PageSpeed Insights response: the lab report, and field data if Google has any. */
export interface PsiReport {
  readonly report: LighthouseReport
  readonly field: FieldData | null
}

const readExperience = (experience: unknown): FieldData | null => {
  const p75 = (...names: ReadonlyArray<string>): number | null => {
    for (const name of names) {
      const value = measured(at(experience, "metrics", name, "percentile"))
      if (value !== null) return value
    }
    return null
  }
  // The API reports the layout shift in hundredths: 5 is 0.05.
  const hundredths = p75("CUMULATIVE_LAYOUT_SHIFT_SCORE")
  const metrics = {
    lcp_ms: p75("LARGEST_CONTENTFUL_PAINT_MS"),
    inp_ms: p75("INTERACTION_TO_NEXT_PAINT", "EXPERIMENTAL_INTERACTION_TO_NEXT_PAINT"),
    fcp_ms: p75("FIRST_CONTENTFUL_PAINT_MS"),
    ttfb_ms: p75("EXPERIMENTAL_TIME_TO_FIRST_BYTE"),
    cls: hundredths === null ? null : hundredths / 100
  }
  if (Object.values(metrics).every((value) => value === null)) return null
  return { scope: at(experience, "origin_fallback") === true ? "origin" : "page", metrics }
}

const isMoment = (text: string | null) => Option.isSome(readMoment(text))

/** The first valid time of two. */
const timeOf = (first: string | null, second: string | null) => (isMoment(first) || !isMoment(second) ? first : second)

/** Reads a PageSpeed Insights v5 response; if Google replaced the page's field data with the origin's, the origin's count. */
export const readPsi = (value: unknown, source: string): Either.Either<PsiReport, ReportUnreadable> => {
  if (!isJsonObject(value)) return Either.left(unreadable(source, [], "must contain a JSON object"))
  if (isJsonObject(value.error))
    return Either.left(unreadable(source, ["error"], "is an error response of PageSpeed Insights, not a report"))
  if (!isJsonObject(value.lighthouseResult))
    return Either.left(
      unreadable(source, ["lighthouseResult"], "is missing: this is not a PageSpeed Insights response")
    )
  return readLighthouse(value.lighthouseResult, source).pipe(
    Either.mapBoth({
      onLeft: (error) =>
        unreadable(source, ["lighthouseResult"], error.field === "" ? error.reason : `${error.field}: ${error.reason}`),
      onRight: (report) => ({
        report: { ...report, fetchTime: timeOf(report.fetchTime, text(value.analysisUTCTimestamp)) },
        field: readExperience(value.loadingExperience)
      })
    })
  )
}

/** A file to import: its bytes, and its name for errors. */
export interface ReportFile {
  readonly format: "lighthouse" | "psi" | "crux"
  readonly bytes: Uint8Array
  readonly name: string
}

const isPsi = (json: unknown) =>
  isJsonObject(at(json, "lighthouseResult")) ||
  isJsonObject(at(json, "error")) ||
  at(json, "kind") === "pagespeedonline#result"

/** Reads a parsed report of Lighthouse or PageSpeed Insights; `source` is its name in errors. */
export const readReport = (json: unknown, source: string): Either.Either<PsiReport, ReportUnreadable> =>
  isPsi(json) ? readPsi(json, source) : Either.map(readLighthouse(json, source), (report) => ({ report, field: null }))

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

/** Reads a report file, and optionally a CrUX record, which replaces other field data. */
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
