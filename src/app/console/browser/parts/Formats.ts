// Numbers and times in the format of the reader's browser and time zone.

const whole = new Intl.NumberFormat()
const decimal = new Intl.NumberFormat(undefined, { maximumFractionDigits: 1, minimumFractionDigits: 1 })
const percent = new Intl.NumberFormat(undefined, { maximumFractionDigits: 1, style: "percent" })
const signed = new Intl.NumberFormat(undefined, { signDisplay: "exceptZero" })
const compact = new Intl.NumberFormat(undefined, { maximumFractionDigits: 1, notation: "compact" })

/** A missing value. */
export const none = "–"

const given = (format: Intl.NumberFormat) => (value: number | null | undefined) =>
  value === null || value === undefined ? none : format.format(value)

/** A whole number: `12,345`. */
export const count = given(whole)
/** A number with one digit behind the point. */
export const rounded = given(decimal)
/** A mean position in search results: `9`, `8.3`. */
export const position = given(new Intl.NumberFormat(undefined, { maximumFractionDigits: 1 }))
/** A share of 1 in percent. */
export const share = given(percent)
/** A share of 1 in percent for columns: one digit behind the point. */
export const rate = given(
  new Intl.NumberFormat(undefined, { maximumFractionDigits: 1, minimumFractionDigits: 1, style: "percent" })
)
/** A change with its sign; 0 has none. */
export const change = given(signed)
/** A short form for the axes of charts: `12K`. */
export const short = given(compact)

/** A count with its noun. */
export const plural = (value: number, one: string, many = `${one}s`): string =>
  `${count(value)} ${value === 1 ? one : many}`

/** A number of score points. */
export const points = (value: number): string => plural(value, "point")

// The words are English, the language of the page.
const relatively = new Intl.RelativeTimeFormat("en", { numeric: "auto" })

const units: ReadonlyArray<readonly [Intl.RelativeTimeFormatUnit, number]> = [
  ["year", 31_557_600],
  ["month", 2_629_800],
  ["week", 604_800],
  ["day", 86_400],
  ["hour", 3600],
  ["minute", 60]
]

/** The distance between two times in the largest fitting unit: `2 hours ago`. Both are milliseconds since 1970. */
export const relative = (at: number, now: number): string => {
  const seconds = (at - now) / 1000
  const [unit, length] = units.find(([, length]) => Math.abs(seconds) >= length) ?? ["second", 1]
  return unit === "second" ? relatively.format(0, "second") : relatively.format(Math.trunc(seconds / length), unit)
}

const moment = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" })
const day = new Intl.DateTimeFormat(undefined, { dateStyle: "medium" })

/** A point in time with its day. */
export const absolute = (at: number): string => moment.format(at)

const axisDay = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short" })
const axisHour = new Intl.DateTimeFormat(undefined, { timeStyle: "short" })
const axisMonth = new Intl.DateTimeFormat(undefined, { month: "short", year: "numeric" })

/** The month of a source's day: `Oct 2026`. */
export const monthName = (day: string): string => axisMonth.format(timeOf(day))

/** Milliseconds of a day. */
export const dayLength = 86_400_000

/** A point in time below an axis, as exact as the span needs. */
export const axisTime = (at: number, [from, to]: readonly [number, number]): string =>
  (to - from < 2 * dayLength ? axisHour : to - from < 300 * dayLength ? axisDay : axisMonth).format(at)

/** The place of a source's day, such as `2026-11-01`, on a time axis: the reader's noon, because the day has no time zone. */
export const timeOf = (text: string): number => Date.parse(`${text}T12:00`)

/** A point in time by its day alone. */
export const dayAt = (at: number): string => day.format(at)

/** A day of a source. */
export const dayOf = (text: string): string => dayAt(timeOf(text))

// Swedish dates are ISO 8601 dates.
const iso = new Intl.DateTimeFormat("sv", { timeZone: "UTC" })

/** The day of a point in time, UTC: `2026-11-01`. */
export const isoDay = (at: number): string => iso.format(at)

/** The day of a source some days later. */
export const dayAfter = (day: string, days: number): string => isoDay(Date.parse(day) + days * dayLength)

/** A range of days of a source: `Nov 18 – 24, 2026`. */
export const daysFrom = (start: string, end: string): string => day.formatRange(timeOf(start), timeOf(end))

/** A length of time in seconds: `48 s`, `2 min 5 s`. */
export const duration = (seconds: number): string =>
  seconds < 60
    ? `${count(Math.round(seconds))} s`
    : `${count(Math.floor(seconds / 60))} min ${Math.round(seconds % 60)} s`

/** A name of the contract for readers: `needs_improvement` is `needs improvement`. */
export const words = (name: string): string => name.replaceAll("_", " ")

/** A name of the contract at the start of a sentence. */
export const sentence = (name: string): string => words(name.charAt(0).toUpperCase() + name.slice(1))

/** A URL that may be typed without its scheme. */
export const addressOf = (text: string): string => (/^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `https://${text}`)

/** The host of a URL; other text stays unchanged. */
export const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).host : url)

/** The path of a URL with its query, for lists within one site. */
export const pathOf = (url: string): string => {
  if (!URL.canParse(url)) return url
  const { pathname, search } = new URL(url)
  return pathname + search
}
