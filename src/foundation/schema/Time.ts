import * as Clock from "effect/Clock"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import * as Day from "./Day.ts"
import { field } from "./Scalars.ts"
import { ticksOf } from "./unsafe.ts"

const minutesIn: Readonly<Record<string, number>> = { m: 1, h: 60, d: 1440 }

/** An interval of minutes as text, in the largest unit that gives a whole number. */
export const intervalOf = (minutes: number): string => {
  if (minutes % 1440 === 0) return `${minutes / 1440}d`
  return minutes % 60 === 0 ? `${minutes / 60}h` : `${minutes}m`
}

/** Reads an interval such as `30m`, `6h` or `1d` into minutes. */
export const Interval = Schema.transformOrFail(Schema.String, Schema.Int, {
  strict: true,
  decode: (text, _, ast) => {
    const [, count = "", unit = ""] = /^(\d{1,6})([mhd])$/.exec(text) ?? []
    const minutes = minutesIn[unit]
    return minutes === undefined
      ? ParseResult.fail(new ParseResult.Type(ast, text, "must be minutes, hours or days, such as 30m, 6h or 1d"))
      : ParseResult.succeed(Number(count) * minutes)
  },
  encode: (minutes) => ParseResult.succeed(intervalOf(minutes))
})

const secondsIn: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 }

/** Seconds of a duration such as `30s` or `24h`; NaN for another text. */
export const secondsOf = (text: string): number => {
  const [, count = "", unit = ""] = /^(\d{1,6})([smhd])$/.exec(text) ?? []
  return Number(count === "" ? Number.NaN : count) * (secondsIn[unit] ?? Number.NaN)
}

/** A clock's monotonic milliseconds, with fractions, from an arbitrary start. */
export const of = (clock: Clock.Clock): number => ticksOf(clock)

/** Monotonic milliseconds of the running program's clock. */
export const now: Effect.Effect<number> = Effect.map(Clock.currentTimeNanos, (nanos) => Number(nanos) / 1e6)

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

/** An unescaped `+` of a query arrives as a blank (URL standard, `application/x-www-form-urlencoded`), so a blank before an offset was a `+`. */
const unescaped = /^(\d{4}-\d\d-\d\dT[\d:.]+) (\d\d:\d\d)$/

/** Reads ISO 8601 only. The platform's parser accepts far more, and reads 31 February as 3 March. */
const read = (sent: string): Option.Option<DateTime.Utc> => {
  const text = sent.replace(unescaped, "$1+$2")
  return Option.fromNullable(iso.exec(text)?.[1]).pipe(
    Option.flatMap(Day.parse),
    Option.flatMap(() => DateTime.make(text)),
    Option.map(DateTime.toUtc),
    Option.filter(isWritten)
  )
}

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
    description: "Interval in minutes, hours or days, from `6h` to `30d`",
    jsonSchema: { examples: ["6h", "1d"], pattern: "^\\d{1,6}[mhd]$" }
  })
)

/** A slot without a run. */
export const SkippedSlot = Schema.Struct({
  at: field(Timestamp, "When it was due"),
  reason: Schema.String.annotations({ description: "Why it was not started" })
}).annotations({
  identifier: "SkippedSlot",
  description: "The last time that the schedule was due and could not start"
})
