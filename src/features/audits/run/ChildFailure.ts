import { failureOfCode } from "../report/RuntimeError.ts"
import type { ChildFailure } from "./AuditJob.ts"
import { AuditRunFailed, runFailed } from "./AuditRunFailed.ts"

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
