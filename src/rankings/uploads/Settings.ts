import * as Config from "effect/Config"
import { between } from "../../schema/Setting.ts"

/** Bytes that a file may have which is sent to be imported. */
export const MaxBytes = Config.integer("FINDABLE_IMPORT_MAX_BYTES").pipe(
  between(1, 1024 ** 4),
  Config.withDefault(1_073_741_824),
  Config.withDescription("bytes of a file of search data that may be sent to the API")
)
