import * as Config from "effect/Config"
import * as Duration from "effect/Duration"
import { lasting } from "../../../foundation/schema/Setting.ts"

/** The browser that audits use; without it the usual names are looked for. */
export const ChromePath = Config.option(Config.nonEmptyString("CHROME_PATH")).pipe(
  Config.withDescription("Chromium or Chrome that runs audits; found by itself in the usual places")
)

/** Time that one audit may take from the start of the browser to the report. */
export const AuditTimeout = Config.duration("FINDABLE_AUDIT_TIMEOUT").pipe(
  lasting,
  Config.withDefault(Duration.minutes(2)),
  Config.withDescription("time limit of one audit, such as `90 seconds`")
)
