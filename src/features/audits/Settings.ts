import * as Config from "effect/Config"
import { between } from "../../foundation/schema/Setting.ts"

/** Days for which audits are kept; none: for good. */
export const AuditRetentionDays = Config.option(
  Config.integer("FINDABLE_AUDIT_RETENTION_DAYS").pipe(between(1, 36_500))
).pipe(Config.withDescription("days for which audits are kept, at least 1. Empty: for good"))
