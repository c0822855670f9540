import * as Data from "effect/Data"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import { Moment } from "../../../foundation/schema/Time.ts"
import type { AuditFailure, AuditFailureCode, Category, Device, VitalsDiagnostics, VitalsMetrics } from "../Domain.ts"

/** A report's time; none if it is not ISO 8601 with an offset. */
export const readMoment = Schema.decodeUnknownOption(Moment)

/** Steps from a JSON value to one inside it. */
type JsonPath = ReadonlyArray<string | number>

/** The value at a path of parsed JSON, or undefined; inherited properties such as `constructor` are never found. */
export const at = (value: unknown, ...path: JsonPath): unknown => {
  let current = value
  for (const step of path) {
    if (!Predicate.isObject(current)) return undefined
    current = Object.getOwnPropertyDescriptor(current, step)?.value
  }
  return current
}

/** A finite number, or null. */
export const finite = (value: unknown): number | null =>
  Predicate.isNumber(value) && Number.isFinite(value) ? value : null

/** A finite number of at least 0, or null: a measured duration, size or shift. */
export const measured = (value: unknown): number | null => {
  const number = finite(value)
  return number !== null && number >= 0 ? number : null
}

/** A string, or null. */
export const text = (value: unknown): string | null => (Predicate.isString(value) ? value : null)

/** The elements of an array, or none. */
export const elements = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [])

/** Whether a value is a JSON object (not null, not an array). */
export const isJsonObject = (value: unknown): value is Record<string, unknown> => Predicate.isRecord(value)

/** The members of a JSON object, or none. */
export const members = (value: unknown): ReadonlyArray<readonly [string, unknown]> =>
  isJsonObject(value) ? Object.entries(value) : []

const maxVisited = 20_000

/** Every object inside a value, outermost first and in document order, at most 20,000 of them; never recurses. */
export const objectsWithin = function* (value: unknown): Generator<Record<string, unknown>> {
  const pending: Array<unknown> = [value]
  for (let visited = 0; pending.length > 0 && visited < maxVisited; visited++) {
    const current = pending.pop()
    if (isJsonObject(current)) yield current
    const inner = Array.isArray(current) ? current : isJsonObject(current) ? Object.values(current) : []
    for (const child of inner.slice(0, maxVisited).reverse()) if (Predicate.isObject(child)) pending.push(child)
  }
}

/** Estimated gain of a fix: milliseconds, except `cls` (unitless); 0 when the report claims no gain. */
export interface Savings {
  readonly lcp: number
  readonly fcp: number
  readonly tbt: number
  readonly inp: number
  readonly cls: number
  /** `details.overallSavingsMs` of Lighthouse up to 12. */
  readonly overallMs: number
  /** Whether the report gives savings by metric (Lighthouse 11 and later); older ones give only `overallMs`. */
  readonly byMetric: boolean
}

/** One check of a report. `details` is content of the page and of Lighthouse: untrusted, read only as evidence. */
export interface AuditEntry {
  readonly id: string
  /** 0 to 1, or null when the check gives no verdict. */
  readonly score: number | null
  readonly mode: string
  readonly savings: Savings
  readonly details: unknown
}

/** The use of a check in a category. */
export interface AuditRef {
  readonly id: string
  readonly weight: number
  readonly group: string | null
}

/** One of the four categories with its score from 0 to 1; null when a weighted check of it failed to run. */
export interface CategoryEntry {
  readonly category: Category
  readonly score: number | null
  readonly refs: ReadonlyArray<AuditRef>
}

/** A Lighthouse result of any version from 6 on, reduced to what an audit needs. */
export interface LighthouseReport {
  readonly version: string
  /** The requested URL. */
  readonly url: string
  /** Every URL of the page: requested, document, final. */
  readonly addresses: ReadonlyArray<string>
  readonly fetchTime: string | null
  readonly device: Device | null
  readonly categories: ReadonlyArray<CategoryEntry>
  readonly audits: ReadonlyMap<string, AuditEntry>
  readonly lab: VitalsMetrics
  readonly diagnostics: VitalsDiagnostics
  /** The failure that Lighthouse itself reports. */
  readonly runtimeError: AuditFailure | null
}

/** A report is unreadable: the error names the file, the field and the fault, and holds no value of the file. */
export class ReportUnreadable extends Data.TaggedError("ReportUnreadable")<{
  readonly source: string
  readonly field: string
  readonly reason: string
}> {
  override get message(): string {
    return this.field === "" ? `${this.source}: ${this.reason}` : `${this.source}: ${this.field}: ${this.reason}`
  }
}

/** `categories.seo.score`, `audits["a b"].score`: a path the way JavaScript would write it. */
const fieldName = (path: JsonPath): string =>
  path.reduce<string>((name, step) => {
    if (typeof step === "number") return `${name}[${step}]`
    const key = step.slice(0, 80)
    if (!/^[\w-]+$/.test(key)) return `${name}[${JSON.stringify(key)}]`
    return name === "" ? key : `${name}.${key}`
  }, "")

/** The error for one field of one source. */
export const unreadable = (source: string, path: JsonPath, reason: string): ReportUnreadable =>
  new ReportUnreadable({ source, field: fieldName(path), reason })

const meanings: Record<string, readonly [AuditFailureCode, string]> = {
  DNS_FAILURE: ["dns_failure", "DNS lookup found no address for the host of the page."],
  FAILED_DOCUMENT_REQUEST: ["page_unreachable", "The page could not be loaded."],
  CONNECTION_FAILED: ["page_unreachable", "The page could not be loaded."],
  ERRORED_DOCUMENT_REQUEST: ["page_error_status", "The page returned an error status."],
  NO_DOCUMENT_REQUEST: ["page_unreachable", "The browser made no request for the page."],
  NOT_HTML: ["page_not_html", "The URL does not return an HTML page."],
  INSECURE_DOCUMENT_REQUEST: ["page_insecure", "The page has no valid TLS certificate."],
  // Certificates have a code of their own: this one covers all other reasons for a browser's error page.
  CHROME_INTERSTITIAL_ERROR: ["page_unreachable", "The browser showed an error instead of the page."],
  NO_FCP: ["page_blank", "The page painted nothing."],
  NO_LCP: ["page_blank", "The page painted no main content."],
  PAGE_HUNG: ["page_timed_out", "The page stopped responding."],
  PROTOCOL_TIMEOUT: ["page_timed_out", "The browser stopped responding."],
  NO_NAVSTART: ["page_timed_out", "The page was not loaded completely."],
  TARGET_CRASHED: ["browser_failed", "The browser tab crashed."]
}

/** The failure of a page on a server that accepts no connection. */
export const connectionRefused = (lighthouseCode: string | null): AuditFailure => ({
  code: "connection_refused",
  message: "The server of the page refused the connection.",
  lighthouse_code: lighthouseCode
})

/**
 * The failure behind a Lighthouse error code such as `DNS_FAILURE`; unknown codes stay visible in `lighthouse_code`. The detail beside the code only
 * distinguishes a refused connection.
 */
export const failureOfCode = (raw: string, detail = ""): AuditFailure => {
  const code = /^[A-Z][A-Z0-9_]{0,63}$/.test(raw) ? raw : "UNKNOWN_ERROR"
  if (/\bnet::ERR_CONNECTION_REFUSED\b/.test(detail.slice(0, 10_000))) return connectionRefused(code)
  const [failure, message] = (Object.hasOwn(meanings, code) ? meanings[code] : undefined) ?? [
    "lighthouse_error",
    "Lighthouse could not audit the page."
  ]
  return { code: failure, message, lighthouse_code: code }
}

/** The failure in `runtimeError` of a report; `NO_ERROR` (Lighthouse 6 and older) is no failure. */
export const readRuntimeError = (report: unknown): AuditFailure | null => {
  const error = at(report, "runtimeError")
  if (!isJsonObject(error)) return null
  const code = text(at(error, "code")) ?? "UNKNOWN_ERROR"
  return code === "NO_ERROR" ? null : failureOfCode(code, text(at(error, "message")) ?? "")
}
