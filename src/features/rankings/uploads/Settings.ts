import * as Config from "effect/Config"
import { between } from "../../../foundation/schema/Setting.ts"

/** Bytes that a file may have which is sent to be imported. */
export const MaxBytes = Config.integer("FINDABLE_IMPORT_MAX_BYTES").pipe(
  between(1, 1024 ** 4),
  Config.withDefault(1_073_741_824),
  Config.withDescription("bytes of a file of search data that may be sent to the API")
)

/** Days for which the records of imports over HTTP are kept after their end; none: for good. */
export const UploadRetentionDays = Config.option(
  Config.integer("FINDABLE_UPLOAD_RETENTION_DAYS").pipe(between(1, 36_500))
).pipe(
  Config.withDescription(
    "days for which the records of imports over HTTP are kept after their end; what was imported stays, at least 1. Empty: for good"
  )
)
