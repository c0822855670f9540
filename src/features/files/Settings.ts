import * as Config from "effect/Config"
import { between } from "../../foundation/schema/Setting.ts"

/** Days for which the records of imports over HTTP are kept after their end; none: for good. */
export const UploadRetentionDays = Config.option(
  Config.integer("FINDABLE_UPLOAD_RETENTION_DAYS").pipe(between(1, 36_500))
).pipe(
  Config.withDescription(
    "days to keep the records of finished imports, at least 1; imported data stay. Empty: keep all"
  )
)
