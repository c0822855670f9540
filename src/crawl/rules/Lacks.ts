import { unescaped } from "../page/Links.ts"
import type { KeptLink } from "../visit/Visit.ts"

/** What templates leave behind when nothing was put in, each in the delimiters of its language, and what a program writes for an object. */
const leftover =
  /\{\{[^}]*\}\}|\{%[^%]*%\}|[$#]\{[^}]*\}|<%[^%]*%>|<\?[^?]*\?>|\[\[[^\]]*\]\]|\*\|[^|]*\|\*|%%\w+%%|^\/?\{[^{}]*\}|\/\{[^{}]*\}|\[object \w+\]/i

/** What programs write for a value that is not there, as a part of an address. */
const noValue = /(?:^|[/=#:@])(?:undefined|null|NaN|None|nil)(?=$|[/?#&@:])/

/** Ends of hosts that links often name without a scheme, and that no files have as their type. */
const ends =
  "com|org|net|edu|gov|info|biz|io|dev|app|shop|online|eu|at|au|be|br|ca|ch|cn|co\\.uk|cz|de|dk|es|fi|fr|gr|hu|ie|in|it|jp|kr|mx|nl|no|nz|pt|ro|ru|se|sk|tr|tv|ua|uk|us|za"
const host = new RegExp(
  `^(?:www\\d?\\.[^\\s/?#.][^\\s/?#]*|(?:[\\p{L}\\d-]+\\.)+(?:${ends})|localhost|\\d{1,3}(?:\\.\\d{1,3}){3})(?::\\d{1,5})?(?=[/?#]|$)`,
  "iu"
)

/** A host with a port, whose name a parser takes for a scheme (URL standard §4.4, scheme state). */
const hostWithPort = /^(?:localhost|[a-z\d-]+(?:\.[a-z\d-]+)+):\d{1,5}(?=[/?#]|$)/i

const mailbox = /^[^\s@/?#:]+@[^\s@/?#:]+\.[^\s@/?#:.]{2,}(?=[?#]|$)/
const telephone = /^\+\d[\d\s().-]{5,}$/
const brokenScheme = /^https?(?:\/\/|;\/\/|\/[a-z\d-]+\.)/i

/** Characters of an address that are looked at. */
const looked = 2048

/** What the address of a link lacks, in words; null where nothing of it shows that anything is missing. A link may be sound all the same. */
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

/** The same in parentheses, or nothing. */
export const lackWords = (raw: string): string => {
  const lack = lackOf(raw)
  return lack === null ? "" : ` (${lack})`
}

/** Schemes whose addresses people fill in. */
const personal = new Set(["mailto:", "tel:", "sms:"])

/** Whether a link leads nowhere whatever answers: it has no address, its host is taken for a scheme, or it has no value for a mailbox or a number. */
export const isNowhere = ({ raw, target }: KeptLink): boolean => {
  if (target.followable) return false
  if (target.reason === "invalid") return true
  if (target.reason !== "scheme") return false
  return hostWithPort.test(raw) || (personal.has(target.detail) && lackOf(raw)?.startsWith("a value") === true)
}
