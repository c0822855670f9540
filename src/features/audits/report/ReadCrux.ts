import * as Either from "effect/Either"
import { isWeb } from "../../../foundation/schema/WebAddress.ts"
import type { Device } from "../Domain.ts"
import type { FieldData } from "./FieldData.ts"
import { at, isJsonObject, measured, text } from "./Json.ts"
import type { LighthouseReport } from "./LighthouseReport.ts"
import { type ReportUnreadable, unreadable } from "./ReportUnreadable.ts"

/** A Chrome UX Report record: the measured page or origin, the devices, and the values. */
interface CruxRecord {
  /** A page address, or an origin when `field.scope` is `origin`. */
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
const p75 = (record: unknown, ...names: ReadonlyArray<string>): number | null => {
  for (const name of names) {
    const value = at(record, "metrics", name, "percentiles", "p75")
    const number = measured(/^\d+(\.\d+)?$/.test(text(value) ?? "") ? Number(value) : value)
    if (number !== null) return number
  }
  return null
}

/** Reads the answer of the CrUX API's `records:queryRecord`. */
export const readCrux = (value: unknown, source: string): Either.Either<CruxRecord, ReportUnreadable> => {
  const record = at(value, "record")
  const wrong = (path: ReadonlyArray<string>, reason: string) => Either.left(unreadable(source, path, reason))
  if (isJsonObject(at(value, "error"))) return wrong(["error"], "is an error answer of the CrUX API, not a record")
  if (!isJsonObject(record)) return wrong(["record"], "is missing: this is not a CrUX record")
  if (!isJsonObject(record.metrics)) return wrong(["record", "metrics"], "must be an object")
  const page = text(at(record, "key", "url"))
  const address = URL.parse(page ?? text(at(record, "key", "origin")) ?? "")
  if (address === null || !isWeb(address)) return wrong(["record", "key"], "must name an http or https url or origin")
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

/** The record's field data when it belongs to the page of the report, measured on the same kind of device. */
export const fieldFor = (
  record: CruxRecord,
  report: LighthouseReport,
  source: string
): Either.Either<FieldData, ReportUnreadable> => {
  const matches = report.addresses.some((address) => {
    const page = URL.parse(address)
    if (page === null || page.origin !== record.address.origin) return false
    return record.field.scope === "origin" || page.pathname === record.address.pathname
  })
  if (!matches) return Either.left(unreadable(source, ["record", "key"], "is not the page of the report"))
  if (record.device !== null && report.device !== null && record.device !== report.device)
    return Either.left(
      unreadable(
        source,
        ["record", "key", "formFactor"],
        `was measured on another device than the ${report.device} report`
      )
    )
  return Either.right(record.field)
}
