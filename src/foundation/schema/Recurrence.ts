import * as Schema from "effect/Schema"
import { field } from "./Field.ts"
import { Interval } from "./Interval.ts"
import { Timestamp } from "./Timestamp.ts"

const decode = Schema.decodeUnknownOption(Interval)

/** The minutes of an interval such as `6h`; 0 for another text. */
export const minutesOf = (every: string): number => {
  const read = decode(every)
  return read._tag === "Some" ? read.value : 0
}

/** The interval between two runs of a schedule, as text: `6h` to `30d`. */
export const Every = Schema.String.pipe(
  Schema.filter((every) => minutesOf(every) >= 360 && minutesOf(every) <= 43_200, {
    message: () => "must be from 6h to 30d, such as 6h or 1d"
  }),
  Schema.annotations({
    description: "Interval between two runs in minutes, hours or days, from `6h` to `30d`",
    jsonSchema: { examples: ["6h", "1d"], pattern: "^\\d{1,6}[mhd]$" }
  })
)

/** A slot for which no run was started. */
export const SkippedSlot = Schema.Struct({
  at: field(Timestamp, "When the slot was due"),
  reason: Schema.String.annotations({ description: "Why no run was started" })
}).annotations({ identifier: "SkippedSlot", description: "A slot for which no run was started" })
