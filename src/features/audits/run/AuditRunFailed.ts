import * as Data from "effect/Data"
import type { AuditFailure, AuditFailureCode } from "../Domain.ts"
import { failureOfCode } from "../report/RuntimeError.ts"
import type { ChildFailure } from "./RunDirectory.ts"

/** A run that produced no report; `failure` is what a failed audit records. */
export class AuditRunFailed extends Data.TaggedError("AuditRunFailed")<{ readonly failure: AuditFailure }> {
  override get message(): string {
    return this.failure.message
  }
}

/** A failed run without a code of Lighthouse. */
export const runFailed = (code: AuditFailureCode, message: string): AuditRunFailed =>
  new AuditRunFailed({ failure: { code, message, lighthouse_code: null } })

/** The failure to record for one of the audit child. Its detail may quote the page and only goes to the log. */
export const childFailure = (code: ChildFailure["code"], detail: string): AuditRunFailed => {
  switch (code) {
    case "browser_failed":
      return runFailed(code, "The browser could not be started, or ended early.")
    case "lighthouse_missing":
      return runFailed(code, "The optional package lighthouse is not installed: install with optional dependencies.")
    case "lighthouse_error":
      return new AuditRunFailed({ failure: failureOfCode(detail) })
  }
}
