import * as DateTime from "effect/DateTime"
import * as Option from "effect/Option"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import * as Day from "./Day.ts"

/** ISO 8601 with microseconds and the UTC offset, as the database's `iso()` writes it. */
export const Timestamp = Schema.String.pipe(
  Schema.pattern(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}\+00:00$/),
  Schema.annotations({
    jsonSchema: { format: "date-time" },
    identifier: "Timestamp",
    description: "ISO 8601 in UTC with microseconds",
    examples: ["2026-11-21T08:00:00.000000+00:00"]
  })
)

const iso = /^(\d{4}-\d\d-\d\d)T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/

/** Whether four digits can write the year. The offset may move a moment beyond 0001 or 9999. */
const isWritten = (moment: DateTime.Utc) => {
  const year = DateTime.getPartUtc(moment, "year")
  return year >= 1 && year <= 9999
}

/** Stricter than the platform's parser, which takes far more than ISO 8601 for a date and reads 31 February as 3 March. */
const read = (text: string): Option.Option<DateTime.Utc> =>
  Option.fromNullable(iso.exec(text)?.[1]).pipe(
    Option.flatMap(Day.parse),
    Option.flatMap(() => DateTime.make(text)),
    Option.map(DateTime.toUtc),
    Option.filter(isWritten)
  )

/** A moment as a `Timestamp`. */
export const format = (moment: DateTime.Utc): string => DateTime.formatIso(moment).replace("Z", "000+00:00")

/** A moment to compute with: decoded from ISO 8601 with any offset, encoded as a `Timestamp`. */
export const Moment = Schema.transformOrFail(
  Schema.String.annotations({ jsonSchema: { format: "date-time" } }),
  Schema.DateTimeUtcFromSelf,
  {
    strict: true,
    decode: (text, _, ast) =>
      ParseResult.fromOption(read(text), () => new ParseResult.Type(ast, text, "must be an ISO 8601 timestamp")),
    encode: (moment) => ParseResult.succeed(format(moment))
  }
)
