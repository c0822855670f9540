import * as Config from "effect/Config"
import * as Duration from "effect/Duration"
import { between, lasting, web } from "../../foundation/schema/Setting.ts"

/** Days to keep audits; default is forever. */
export const AuditRetentionDays = Config.option(
  Config.integer("FINDABLE_AUDIT_RETENTION_DAYS").pipe(between(1, 36_500))
).pipe(Config.withDescription("Days to keep audits, at least 1. Empty: no limit"))

/** Time limit of one audit, from the start of the browser to the report. */
export const AuditTimeout = Config.duration("FINDABLE_AUDIT_TIMEOUT").pipe(
  lasting,
  Config.withDefault(Duration.minutes(2)),
  Config.withDescription("Time limit of one audit, such as `90 seconds`")
)

/** Endpoint of PageSpeed Insights. */
export const PsiUrl = Config.url("FINDABLE_PSI_URL").pipe(
  web,
  Config.withDefault(new URL("https://www.googleapis.com/pagespeedonline/v5/runPagespeed")),
  Config.withDescription("URL of the PageSpeed Insights API")
)

/** Key of the Google project that pays for the requests; without a key Google allows only a few. */
export const PsiKey = Config.option(Config.redacted("FINDABLE_PSI_KEY")).pipe(
  Config.withDescription("API key for PageSpeed Insights. Without one, Google allows only a few requests")
)
