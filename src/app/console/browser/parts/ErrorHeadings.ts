import type { codes } from "../../../../foundation/http/ApiError.ts"

type Code = keyof typeof codes | "no_answer"

const [signIn, denied, noData, wrong] = [
  "Sign-in failed",
  "Permission denied",
  "Not enough data yet",
  "Something went wrong"
] as const

/** The heading of each error. */
const headings: Readonly<Record<Code, string>> = {
  auth_unavailable: signIn,
  conflict: "Can’t do this right now",
  forbidden: denied,
  history_too_short: noData,
  idempotency_conflict: "Already sent with other data",
  insufficient_scope: denied,
  internal_error: wrong,
  invalid_cursor: "This list has changed",
  invalid_key: signIn,
  method_not_allowed: wrong,
  missing_data: noData,
  missing_key: signIn,
  no_answer: "No response",
  not_assessable: noData,
  not_configured: "Setup required",
  not_found: "Not found",
  not_implemented: "Not supported",
  not_over: noData,
  payload_too_large: "Too large",
  quota_exceeded: "Limit reached",
  rate_limit_exceeded: "Too many requests",
  revoked_key: signIn,
  service_unavailable: "Temporarily unavailable",
  too_few_pages: noData,
  unauthorized: signIn,
  unsupported_media_type: wrong,
  validation_error: "Check your input"
}

const isKnown = (code: string): code is Code => Object.hasOwn(headings, code)

/** The heading of an error. For a response without a code of the API, the status. */
export const headingOf = (code: string): string =>
  isKnown(code) ? headings[code] : /^\d+$/.test(code) ? "Unexpected response" : wrong
