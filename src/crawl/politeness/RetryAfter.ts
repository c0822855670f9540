import * as DateTime from "effect/DateTime"
import * as Option from "effect/Option"

const months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
const time = "(?<hours>\\d\\d):(?<minutes>\\d\\d):(?<seconds>\\d\\d)"

/** The three forms of an HTTP-date: IMF-fixdate, RFC 850, asctime (RFC 9110 §5.6.7). */
const forms = [
  new RegExp(`^\\w+, (?<day>\\d\\d) (?<month>\\w{3}) (?<year>\\d{4}) ${time} GMT$`),
  new RegExp(`^\\w+, (?<day>\\d\\d)-(?<month>\\w{3})-(?<year>\\d\\d) ${time} GMT$`),
  new RegExp(`^\\w{3} (?<month>\\w{3}) +(?<day>\\d{1,2}) ${time} (?<year>\\d{4})$`)
]

/** Two digits of a year stand for the years 1970 to 2069. */
const fullYear = (digits: string): number =>
  digits.length === 4 ? Number(digits) : Number(digits) + (Number(digits) < 70 ? 2000 : 1900)

const epochMillis = (text: string): number | null => {
  const parts = forms.map((form) => form.exec(text)?.groups).find((groups) => groups !== undefined)
  if (parts === undefined) return null
  const { day, hours, minutes, month = "", seconds, year = "" } = parts
  const date = DateTime.make({
    year: fullYear(year),
    month: months.indexOf(month.toLowerCase()) + 1,
    day: Number(day),
    hours: Number(hours),
    minutes: Number(minutes),
    seconds: Number(seconds)
  })
  return Option.getOrNull(Option.map(date, DateTime.toEpochMillis))
}

/**
 * How long a `Retry-After` asks to wait, in milliseconds; null when it is absent or unreadable (RFC 9110 §10.2.3).
 * A date is counted from the answer's own `Date`, so a server whose clock is wrong still gets the wait it meant.
 */
export const waitOf = (retryAfter: string | null, date: string | null, now: number): number | null => {
  const text = retryAfter?.trim() ?? ""
  if (text === "") return null
  if (/^\d+$/.test(text)) return Number(text) * 1000
  const until = epochMillis(text)
  const from = date === null ? null : epochMillis(date.trim())
  return until === null ? null : Math.max(0, until - (from ?? now))
}
