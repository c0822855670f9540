import * as Either from "effect/Either"
import { isWeb } from "../../../foundation/schema/Scalars.ts"
import {
  type Category,
  categories,
  type Device,
  lighthouseKey,
  type RenderBlockingResource,
  type VitalsDiagnostics,
  type VitalsMetrics
} from "../Domain.ts"
import {
  type AuditEntry,
  type AuditRef,
  at,
  type CategoryEntry,
  elements,
  finite,
  isJsonObject,
  type LighthouseReport,
  measured,
  members,
  objectsWithin,
  type ReportUnreadable,
  readRuntimeError,
  type Savings,
  text,
  unreadable
} from "./LighthouseReport.ts"

/** Maximum checks a report may hold; Lighthouse has about 150. */
const maxAudits = 1_000

const auditId = /^[A-Za-z0-9][A-Za-z0-9_-]{0,79}$/

const readSavings = (audit: unknown): Savings => {
  const of = (metric: string) => measured(at(audit, "metricSavings", metric)) ?? 0
  return {
    lcp: of("LCP"),
    fcp: of("FCP"),
    tbt: of("TBT"),
    inp: of("INP"),
    cls: of("CLS"),
    overallMs: measured(at(audit, "details", "overallSavingsMs")) ?? 0,
    byMetric: isJsonObject(at(audit, "metricSavings"))
  }
}

/** A score of a check or a category: 0 to 1, null for none; undefined for an invalid value. */
const readScore = (value: unknown): number | null | undefined => {
  if (value === null || value === undefined) return null
  const score = finite(value)
  return score !== null && score >= 0 && score <= 1 ? score : undefined
}

/** The checks of a report by id. */
const readAuditEntries = (
  report: unknown,
  source: string
): Either.Either<ReadonlyMap<string, AuditEntry>, ReportUnreadable> => {
  const audits = at(report, "audits")
  if (!isJsonObject(audits)) return Either.left(unreadable(source, ["audits"], "must be an object"))
  const listed = members(audits)
  if (listed.length > maxAudits)
    return Either.left(unreadable(source, ["audits"], `has more than ${maxAudits} entries`))
  const entries = new Map<string, AuditEntry>()
  for (const [id, audit] of listed) {
    const wrong = (reason: string, ...path: ReadonlyArray<string>) =>
      Either.left(unreadable(source, ["audits", id, ...path], reason))
    if (!auditId.test(id)) return wrong("is not the id of an audit")
    if (!isJsonObject(audit)) return wrong("must be an object")
    const score = readScore(audit.score)
    if (score === undefined) return wrong("must be null or a number from 0 to 1", "score")
    entries.set(id, {
      id,
      score,
      mode: text(audit.scoreDisplayMode) ?? "",
      savings: readSavings(audit),
      details: audit.details
    })
  }
  return Either.right(entries)
}

const readRef = (ref: unknown): ReadonlyArray<AuditRef> => {
  const id = text(at(ref, "id"))
  return id === null ? [] : [{ id, weight: measured(at(ref, "weight")) ?? 0, group: text(at(ref, "group")) }]
}

const readCategory = (
  report: unknown,
  source: string,
  category: Category
): Either.Either<CategoryEntry, ReportUnreadable> => {
  const path = ["categories", lighthouseKey[category]]
  const found = at(report, ...path)
  if (found === undefined || found === null)
    return Either.left(
      unreadable(
        source,
        path,
        `is ${found === null ? "null: Lighthouse did not measure this category" : "missing"}; the report must cover performance, accessibility, best-practices and seo`
      )
    )
  if (!isJsonObject(found)) return Either.left(unreadable(source, path, "must be an object"))
  const score = readScore(found.score)
  if (score === undefined)
    return Either.left(unreadable(source, [...path, "score"], "must be null or a number from 0 to 1"))
  const refs = elements(found.auditRefs)
  if (refs.length > maxAudits)
    return Either.left(unreadable(source, [...path, "auditRefs"], `has more than ${maxAudits} entries`))
  return Either.right({ category, score, refs: refs.flatMap(readRef) })
}

/** The four categories of a report; others (`pwa`, `agentic-browsing`) are ignored. */
const readCategories = (
  report: unknown,
  source: string
): Either.Either<ReadonlyArray<CategoryEntry>, ReportUnreadable> =>
  Either.all(categories.map((category) => readCategory(report, source, category)))

const escape = String.fromCodePoint(0x1b)
const csiSequence = new RegExp(`${escape}\\[[0-?]{0,32}[ -/]{0,8}[@-~]`, "g")
const invisible = /[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]+/gu

/** Extra length for characters that the clean-up removes; bounds the work on a megabyte-long string. */
const readAhead = 8

/**
 * Text of a page as one visible line of at most `max` UTF-16 units: single spaces replace ANSI sequences, control, bidirectional, invisible and unpaired
 * characters and every kind of line break; an ellipsis marks a cut.
 */
export const plain = (value: string, max: number): string => {
  const head = value.slice(0, max * readAhead)
  const line = head.replace(csiSequence, "").replace(invisible, " ").trim()
  if (line.length <= max && head.length === value.length) return line
  const cut = line.slice(0, max - 1)
  return `${/[\ud800-\udbff]$/.test(cut) ? cut.slice(0, -1) : cut}…`
}

const maxSelector = 1_000
const maxUrl = 2_048
const maxResources = 100

const lcpAudits = [
  "lcp-breakdown-insight",
  "lcp-phases-insight",
  "lcp-discovery-insight",
  "largest-contentful-paint-element"
]

const lcpSelector = (report: unknown): string | null => {
  for (const id of lcpAudits)
    for (const object of objectsWithin(at(report, "audits", id, "details"))) {
      const selector = object.type === "node" ? text(object.selector) : null
      if (selector !== null && selector !== "") return plain(selector, maxSelector)
    }
  return null
}

const readResource = (item: unknown): ReadonlyArray<RenderBlockingResource> => {
  const url = text(at(item, "url"))
  const bytes = measured(at(item, "totalBytes"))
  if (url === null || url === "") return []
  return [
    {
      url: plain(url, maxUrl),
      transfer_bytes: bytes === null ? null : Math.min(Math.round(bytes), Number.MAX_SAFE_INTEGER),
      wasted_ms: measured(at(item, "wastedMs"))
    }
  ]
}

const renderBlocking = (report: unknown): ReadonlyArray<RenderBlockingResource> => {
  for (const id of ["render-blocking-insight", "render-blocking-resources"]) {
    const items = elements(at(report, "audits", id, "details", "items"))
    if (items.length > 0) return items.slice(0, maxResources).flatMap(readResource)
  }
  return []
}

/** The LCP element and the render-blocking requests (at most 100): insights of Lighthouse 12 and 13 first, older audits next. */
const readDiagnostics = (report: unknown): VitalsDiagnostics => ({
  lcp_element_selector: lcpSelector(report),
  render_blocking_resources: renderBlocking(report)
})

const numericValue = (report: unknown, ...ids: ReadonlyArray<string>): number | null => {
  for (const id of ids) {
    const value = measured(at(report, "audits", id, "numericValue"))
    if (value !== null) return value
  }
  return null
}

const breakdownTtfb = (report: unknown): number | null => {
  for (const id of ["lcp-breakdown-insight", "lcp-phases-insight"])
    for (const row of objectsWithin(at(report, "audits", id, "details")))
      if (row.subpart === "timeToFirstByte" || row.phase === "timeToFirstByte") return measured(row.duration)
  return null
}

const ttfb = (report: unknown): number | null =>
  measured(at(report, "audits", "metrics", "details", "items", 0, "timeToFirstByte")) ??
  breakdownTtfb(report) ??
  numericValue(report, "server-response-time") ??
  measured(at(report, "audits", "document-latency-insight", "details", "debugData", "serverResponseTime"))

/**
 * Lab values of a report. TTFB comes from the navigation metrics (Lighthouse 10.1 on), else the LCP breakdown, else the server response time. INP needs an
 * interaction: a navigation has none, and TBT never replaces it.
 */
const readLabMetrics = (report: unknown): VitalsMetrics => ({
  lcp_ms: numericValue(report, "largest-contentful-paint"),
  inp_ms: numericValue(report, "interaction-to-next-paint", "experimental-interaction-to-next-paint"),
  fcp_ms: numericValue(report, "first-contentful-paint"),
  ttfb_ms: ttfb(report),
  cls: numericValue(report, "cumulative-layout-shift")
})

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
        unreadable(
          source,
          ["lighthouseVersion"],
          `is ${version}; only reports of Lighthouse 6 or later can be imported`
        )
      )
    : Either.right(version)
}

/** The report in the result of Lighthouse as a module: under `lhr`, beside its text and its artifacts. */
const resultOf = (value: unknown) =>
  isJsonObject(at(value, "lhr")) && at(value, "lighthouseVersion") === undefined ? at(value, "lhr") : value

/** Reads a Lighthouse result of version 6 or newer, also a module's result. Any value gives a report, or its first fault with the name of the field. */
export const readLighthouse = (given: unknown, source: string): Either.Either<LighthouseReport, ReportUnreadable> =>
  Either.gen(function* () {
    const value = resultOf(given)
    if (!isJsonObject(value)) return yield* Either.left(unreadable(source, [], "must contain a JSON object"))
    if (Array.isArray(value.steps))
      return yield* Either.left(unreadable(source, ["steps"], "is a user flow: import the lhr of one navigation step"))
    if (isJsonObject(value.lighthouseResult))
      return yield* Either.left(
        unreadable(
          source,
          ["lighthouseResult"],
          "this is a PageSpeed Insights response: import it as PageSpeed Insights"
        )
      )
    const version = yield* readVersion(value, source)
    const mode = value.gatherMode
    if (mode === "snapshot" || mode === "timespan")
      return yield* Either.left(
        unreadable(
          source,
          ["gatherMode"],
          `is ${mode}, which does not load the page and has no loading times and scores: import a navigation report`
        )
      )
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
