import { retentionDays } from "../schema/Setting.ts"

/** Days for which audits are kept; none: for good. */
export const AuditRetentionDays = retentionDays("FINDABLE_AUDIT_RETENTION_DAYS", "audits are kept")
