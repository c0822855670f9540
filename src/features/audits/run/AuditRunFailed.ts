import * as Data from "effect/Data"
import type { AuditFailure, AuditFailureCode } from "../AuditFailure.ts"

/** A run that produced no report; `failure` is what a failed audit records. */
export class AuditRunFailed extends Data.TaggedError("AuditRunFailed")<{ readonly failure: AuditFailure }> {
  override get message(): string {
    return this.failure.message
  }
}

/** A failed run without a code of Lighthouse. */
export const runFailed = (code: AuditFailureCode, message: string): AuditRunFailed =>
  new AuditRunFailed({ failure: { code, message, lighthouse_code: null } })
