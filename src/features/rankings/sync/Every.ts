import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"

const hoursIn: Readonly<Record<string, number>> = { d: 24, h: 1 }

/** Hours between two synchronisations, written `6h` or `1d`, up to 30 days; null, written `off`: none by itself. */
export const Every = Schema.transformOrFail(Schema.String, Schema.NullOr(Schema.Int), {
  strict: true,
  decode: (text, _, ast) => {
    if (text === "off") return ParseResult.succeed(null)
    const [, count = "", unit = ""] = /^(\d{1,3})([hd])$/.exec(text) ?? []
    const hours = Number(count) * (hoursIn[unit] ?? 0)
    return hours >= 1 && hours <= 720
      ? ParseResult.succeed(hours)
      : ParseResult.fail(new ParseResult.Type(ast, text, "must be 1h to 30d, such as 6h or 1d, or off"))
  },
  encode: (hours) => ParseResult.succeed(hours === null ? "off" : `${hours}h`)
})
