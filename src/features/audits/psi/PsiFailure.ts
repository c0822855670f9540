import * as Either from "effect/Either"
import { at, text } from "../report/Json.ts"
import { parseReport } from "../report/ParseReport.ts"
import { failureOfCode } from "../report/RuntimeError.ts"
import { AuditRunFailed, runFailed } from "../run/AuditRunFailed.ts"

const reasons = new Map([
  [400, "PageSpeed Insights refused the request: check the address and FINDABLE_PSI_KEY."],
  [403, "PageSpeed Insights refused the key in FINDABLE_PSI_KEY."],
  [429, "The PageSpeed Insights quota is used up; try later or set FINDABLE_PSI_KEY."]
])

/** The failure behind a status other than 200; Google reports the page's own failures as "Lighthouse returned error: CODE". */
export const psiFailure = (status: number, body: Uint8Array): AuditRunFailed => {
  const json = Either.getOrNull(parseReport(body, "PageSpeed Insights"))
  const message = text(at(json, "error", "message")) ?? ""
  const code = /^Lighthouse returned error: ([A-Z][A-Z0-9_]{0,63})\b/.exec(message)?.[1]
  if (code !== undefined) return new AuditRunFailed({ failure: failureOfCode(code, message) })
  return runFailed("source_unavailable", reasons.get(status) ?? `PageSpeed Insights answered with status ${status}.`)
}
