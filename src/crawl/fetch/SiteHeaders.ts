import * as Schema from "effect/Schema"

/** Fields that the crawl writes itself, that frame a message or belong to one connection (RFC 9110 §7.6.1), or that ask for less than a whole answer. */
const owned = new Set([
  "accept",
  "accept-encoding",
  "connection",
  "content-length",
  "cookie",
  "expect",
  "host",
  "if-match",
  "if-modified-since",
  "if-none-match",
  "if-range",
  "if-unmodified-since",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "range",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
  "user-agent"
])

const isToken = /^[\w!#$%&'*+.^`|~-]{1,100}$/

// Visible characters of ISO 8859-1 with spaces and tabs between them (RFC 9110 §5.5).
const isValue = /^[\x21-\x7e\x80-\xff](?:[\t\x20-\x7e\x80-\xff]{0,8190}[\x21-\x7e\x80-\xff])?$/

/** What is wrong with a field that requests of a site are to carry; null when nothing is. No word of its value is repeated: it may be a secret. */
export const faultOf = (name: string, value: string): string | null => {
  if (!isToken.test(name)) return "needs a name of letters, digits and hyphens before its colon"
  if (name.toLowerCase() === "user-agent") return `cannot set ${name}: that has an option of its own`
  if (owned.has(name.toLowerCase())) return `cannot set ${name}: the crawl writes that field itself`
  if (value === "") return `has no value for ${name}`
  return isValue.test(value)
    ? null
    : `has a value for ${name} that cannot be sent: control characters, or none of ISO 8859-1`
}

const faultsOf = (fields: Readonly<Record<string, string>>): string | null => {
  const names = Object.keys(fields).map((name) => name.toLowerCase())
  const twice = names.find((name, at) => names.indexOf(name) !== at)
  const [fault = null] = Object.entries(fields).flatMap(([name, value]) => faultOf(name, value) ?? [])
  return fault ?? (twice === undefined ? null : `names ${twice} twice`)
}

/** Fields of requests to the site, by their names. */
export const SiteHeaders = Schema.Record({ key: Schema.String, value: Schema.String }).pipe(
  Schema.filter((fields) => faultsOf(fields) ?? true)
)

const blanks = /^[ \t]+|[ \t]+$/g

/** Name and value, without the blanks around it; without a colon there is no name. */
const partsOf = (line: string): readonly [name: string, value: string] => {
  const [name = "", ...value] = line.split(":")
  return value.length === 0 ? ["", ""] : [name, value.join(":").replace(blanks, "")]
}

/** One such field, written `Name: value`. */
export const HeaderLine = Schema.transform(
  Schema.String.pipe(Schema.filter((line) => faultOf(...partsOf(line)) ?? true)),
  Schema.Tuple(Schema.String, Schema.String),
  { decode: partsOf, encode: ([name, value]) => `${name}: ${value}`, strict: true }
)
