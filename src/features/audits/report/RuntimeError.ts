import type { AuditFailure, AuditFailureCode } from "../Domain.ts"
import { at, isJsonObject, text } from "./Json.ts"

const meanings: Record<string, readonly [AuditFailureCode, string]> = {
  DNS_FAILURE: ["dns_failure", "The host name of the page could not be resolved."],
  FAILED_DOCUMENT_REQUEST: ["page_unreachable", "The page could not be loaded."],
  CONNECTION_FAILED: ["page_unreachable", "The page could not be loaded."],
  ERRORED_DOCUMENT_REQUEST: ["page_error_status", "The page answered with an error status."],
  NO_DOCUMENT_REQUEST: ["page_unreachable", "The browser made no request for the page."],
  NOT_HTML: ["page_not_html", "The address does not serve an HTML page."],
  INSECURE_DOCUMENT_REQUEST: ["page_insecure", "The page has no valid certificate."],
  // Certificates have a code of their own: behind this one is any other reason why a browser shows its own page.
  CHROME_INTERSTITIAL_ERROR: ["page_unreachable", "The browser showed an error in place of the page."],
  NO_FCP: ["page_blank", "The page painted nothing."],
  NO_LCP: ["page_blank", "The page painted no main content."],
  PAGE_HUNG: ["page_timed_out", "The page stopped responding."],
  PROTOCOL_TIMEOUT: ["page_timed_out", "The browser stopped responding."],
  NO_NAVSTART: ["page_timed_out", "The page was not loaded completely."],
  TARGET_CRASHED: ["browser_failed", "The browser tab crashed."]
}

/** The failure of a page whose server accepts no connection. */
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

/** The failure that a report declares in `runtimeError`; `NO_ERROR` (Lighthouse 6 and older) is none. */
export const readRuntimeError = (report: unknown): AuditFailure | null => {
  const error = at(report, "runtimeError")
  if (!isJsonObject(error)) return null
  const code = text(at(error, "code")) ?? "UNKNOWN_ERROR"
  return code === "NO_ERROR" ? null : failureOfCode(code, text(at(error, "message")) ?? "")
}
