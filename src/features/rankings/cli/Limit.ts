import * as Options from "@effect/cli/Options"
import * as Schema from "effect/Schema"
import { option } from "../../../foundation/terminal/Input.ts"

const Count = Schema.NumberFromString.pipe(
  Schema.filter((count) => (Number.isInteger(count) && count >= 1 && count <= 1000) || "must be from 1 to 1000")
)

/** `--limit`: how many records a command lists at most. */
export const limit = option("limit", Count).pipe(
  Options.withDefault(20),
  Options.withDescription("records at most, 1 to 1000")
)
