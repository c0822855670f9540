import * as DateTime from "effect/DateTime"
import * as Option from "effect/Option"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import { Uuid } from "../http/Wire.ts"
import * as Day from "./Day.ts"

/** A whole number of things, 0 or more. */
export const Count = Schema.NonNegativeInt

/** A text that says something. */
export const Text = Schema.NonEmptyString.annotations({ message: () => "must not be empty" })

/** A finite number: JSON has no other. */
export const Finite = Schema.JsonNumber

const iso = /^(\d{4}-\d\d-\d\d)T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/

/** The platform reads far more than ISO 8601 as a date, and 31 February as 3 March: neither is wanted here. */
const momentOf = (text: string): Option.Option<DateTime.Utc> =>
  Option.fromNullable(iso.exec(text)?.[1]).pipe(
    Option.flatMap(Day.parse),
    Option.flatMap(() => DateTime.make(text)),
    Option.map(DateTime.toUtc)
  )

/** A moment: ISO 8601 with any offset is read, and written in UTC with microseconds as everywhere in the API. */
export const Timestamp = Schema.transformOrFail(Schema.String, Schema.DateTimeUtcFromSelf, {
  strict: true,
  decode: (text, _, ast) =>
    ParseResult.fromOption(momentOf(text), () => new ParseResult.Type(ast, text, "must be an ISO 8601 timestamp")),
  encode: (moment) => ParseResult.succeed(DateTime.formatIso(moment).replace("Z", "000+00:00"))
}).annotations({ jsonSchema: { type: "string", format: "date-time" } })

/** The id of a project (site). */
export const ProjectId = Uuid

/** An absolute http or https address. */
export const WebAddress = Schema.String.pipe(
  Schema.pattern(/^https?:\/\/\S+$/i, { message: () => "must be an http or https address" })
)

/** A score from 0 to 100. */
export const Score = Schema.Number.pipe(Schema.between(0, 100))
