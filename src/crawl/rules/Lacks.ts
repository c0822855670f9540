import { unescaped } from "../page/Links.ts"
import type { KeptLink } from "../visit/Visit.ts"

/** Unfilled placeholders of templates, in the delimiters of each language, and the text of an object. */
const leftover =
  /\{\{[^}]*\}\}|\{%[^%]*%\}|[$#]\{[^}]*\}|<%[^%]*%>|<\?[^?]*\?>|\[\[[^\]]*\]\]|\*\|[^|]*\|\*|%%\w+%%|^\/?\{[^{}]*\}|\/\{[^{}]*\}|\[object \w+\]/i

/** Text of a missing value in a part of a URL. */
const noValue = /(?:^|[/=#:@])(?:undefined|null|NaN|None|nil)(?=$|[/?#&@:])/

/** Common top-level domains in links without a scheme that are no file extensions. */
const ends =
  "com|org|net|edu|gov|info|biz|io|dev|app|shop|online|eu|at|au|be|br|ca|ch|cn|co\\.uk|cz|de|dk|es|fi|fr|gr|hu|ie|in|it|jp|kr|mx|nl|no|nz|pt|ro|ru|se|sk|tr|tv|ua|uk|us|za"
const host = new RegExp(
  `^(?:www\\d?\\.[^\\s/?#.][^\\s/?#]*|(?:[\\p{L}\\d-]+\\.)+(?:${ends})|localhost|\\d{1,3}(?:\\.\\d{1,3}){3})(?::\\d{1,5})?(?=[/?#]|$)`,
  "iu"
)

/** A host with a port, which a parser reads as a scheme (URL standard §4.4, scheme state). */
const hostWithPort = /^(?:localhost|[a-z\d-]+(?:\.[a-z\d-]+)+):\d{1,5}(?=[/?#]|$)/i

const mailbox = /^[^\s@/?#:]+@[^\s@/?#:]+\.[^\s@/?#:.]{2,}(?=[?#]|$)/
const telephone = /^\+\d[\d\s().-]{5,}$/
const brokenScheme = /^https?(?:\/\/|;\/\/|\/[a-z\d-]+\.)/i

/** Maximum characters of a URL to search. */
const looked = 2048

/** The missing part of a link's URL, in words; null when the URL shows none. The link may still work. */
export const lackOf = (raw: string): string | null => {
  const text = unescaped(raw.slice(0, looked))
  const [value] = leftover.exec(text) ?? noValue.exec(text) ?? []
  if (value !== undefined) return `a value is missing: ${value.replace(/^(?:[/=:@]|#(?!\{))/, "")}`
  if (/%23/.test(raw)) return "# is escaped as %23, so there is no fragment"
  const path = text.replace(/^(?:https?:)?\/\/[^/?#]*/i, "").replace(/^(?:\.\.?\/|\/)+/, "")
  if (mailbox.test(path)) return "mailto: is missing"
  if (telephone.test(path)) return "tel: is missing"
  if (brokenScheme.test(path)) return "the scheme is misspelled"
  return host.test(path) || hostWithPort.test(path) ? "the scheme is missing" : null
}

/** The missing part in parentheses, or nothing. */
export const lackWords = (raw: string): string => {
  const lack = lackOf(raw)
  return lack === null ? "" : ` (${lack})`
}

/** Schemes of mailboxes and phone numbers. */
const personal = new Set(["mailto:", "tel:", "sms:"])

/** Whether a link leads nowhere without any request: it has no URL, its host is read as a scheme, or its mailbox or number is empty. */
export const isNowhere = ({ raw, target }: KeptLink): boolean => {
  if (target.followable) return false
  if (target.reason === "invalid") return true
  if (target.reason !== "scheme") return false
  return hostWithPort.test(raw) || (personal.has(target.detail) && lackOf(raw)?.startsWith("a value") === true)
}
