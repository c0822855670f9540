import { at, elements } from "../report/Json.ts"
import type { LighthouseReport } from "../report/LighthouseReport.ts"
import type { Finding } from "./Finding.ts"

/** Checks of response headers that protect visitors. Lighthouse lists what is missing, and gives no verdict: many sites do well without one or the other. */
const headerAudits = [
  "csp-xss",
  "has-hsts",
  "clickjacking-mitigation",
  "origin-isolation",
  "trusted-types-xss"
] as const

/** What a report advises without a verdict: findings of severity `info`, which count nowhere. */
export const findAdvice = (report: LighthouseReport): ReadonlyArray<Finding> =>
  headerAudits.flatMap((id) => {
    const audit = report.audits.get(id)
    return audit?.mode === "informative" && elements(at(audit.details, "items")).length > 0
      ? { audit, category: "best_practices" as const, severity: "info" as const, impact: 0 }
      : []
  })
