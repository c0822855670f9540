import * as Schema from "effect/Schema"

/** Why an audit has no report. */
export const AuditFailureCode = Schema.Literal(
  "dns_failure",
  "page_unreachable",
  "connection_refused",
  "page_error_status",
  "page_not_html",
  "page_insecure",
  "page_blank",
  "page_timed_out",
  "address_refused",
  "score_missing",
  "run_timed_out",
  "browser_missing",
  "browser_failed",
  "lighthouse_missing",
  "source_unavailable",
  "worker_lost",
  "lighthouse_error"
).annotations({ identifier: "AuditFailureCode" })
export type AuditFailureCode = typeof AuditFailureCode.Type

/** A failed audit: `message` is our own sentence, `lighthouse_code` the producer's code when it named one. */
export const AuditFailure = Schema.Struct({
  code: AuditFailureCode,
  message: Schema.String,
  lighthouse_code: Schema.NullOr(Schema.String)
}).annotations({ identifier: "AuditFailure" })
export type AuditFailure = typeof AuditFailure.Type
