import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"

const minutesIn: Readonly<Record<string, number>> = { m: 1, h: 60, d: 1440 }

/** Minutes in the largest unit that gives a whole number. */
const written = (minutes: number): string => {
  if (minutes % 1440 === 0) return `${minutes / 1440}d`
  return minutes % 60 === 0 ? `${minutes / 60}h` : `${minutes}m`
}

/** An interval as operators write it, `30m`, `6h` or `1d`, in minutes. */
export const Interval = Schema.transformOrFail(Schema.String, Schema.Int, {
  strict: true,
  decode: (text, _, ast) => {
    const [, count = "", unit = ""] = /^(\d{1,6})([mhd])$/.exec(text) ?? []
    const minutes = minutesIn[unit]
    return minutes === undefined
      ? ParseResult.fail(new ParseResult.Type(ast, text, "must be minutes, hours or days, such as 30m, 6h or 1d"))
      : ParseResult.succeed(Number(count) * minutes)
  },
  encode: (minutes) => ParseResult.succeed(written(minutes))
})

const secondsIn: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 }

/** Seconds of a duration such as `30s` or `24h`; NaN for another text. */
export const secondsOf = (text: string): number => {
  const [, count = "", unit = ""] = /^(\d{1,6})([smhd])$/.exec(text) ?? []
  return Number(count === "" ? Number.NaN : count) * (secondsIn[unit] ?? Number.NaN)
}
