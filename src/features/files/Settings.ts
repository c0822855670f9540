import * as Config from "effect/Config"
import { between } from "../../foundation/schema/Setting.ts"

/** Days that records of imports over HTTP are kept after their end; none: forever. */
export const UploadRetentionDays = Config.option(
  Config.integer("FINDABLE_UPLOAD_RETENTION_DAYS").pipe(between(1, 36_500))
).pipe(
  Config.withDescription(
    "Days to keep the records of finished imports, at least 1. Imported data stay. Empty: no limit"
  )
)
