import { keep, maxUrl, strip } from "./Text.ts"

/** Replaces user name and password in reports. */
const mask = "***@"

/** Whether a URL has a user name or a password. A recipient treats such a URL as an error (RFC 9110 §4.2.4), so the crawl never requests it. */
export const hasCredentials = ({ password, username }: URL): boolean => username !== "" || password !== ""

/** A reference up to the end of its user information (URL standard §4.4): with or without a scheme, with slashes of either kind. */
const inReference = /^([\0- ]*(?:(?:[a-z][a-z\d+.-]*:)?[\\/]{2,}|https?:))[^\\/?#]*@/i

/** User information without a scheme, `name:secret@host`; the listed schemes have another syntax. */
const withoutScheme =
  /^([\0- ]*)(?!(?:acct|blob|callto|data|facetime|https?|im|jabber|javascript|mailto|pres|sips?|skype|sms|tel|xmpp):)[^\\/?#:@\s()'"]+:[^\\/?#:@\s()'"]+@(?=[a-z\d-]+\.[a-z\d])/i

/** A reference as a page writes it, without user name and password. */
export const maskedReference = (reference: string): string => {
  if (!reference.includes("@")) return reference
  // The URL parser drops these characters.
  const text = reference.replace(/[\t\n\r]/g, "")
  const masked = text.replace(inReference, `$1${mask}`).replace(withoutScheme, `$1${mask}`)
  return masked === text ? reference : masked
}

/** A reference for reports: trimmed, capped, without user name and password. */
export const shownReference = (reference: string): string => keep(maskedReference(strip(reference)), maxUrl)

/** A remark on a masked URL; empty for others. */
export const maskWords = (shown: string): string => (shown.includes(mask) ? ", blocked: has credentials" : "")

/** The escaped characters that end user information: JSON in an attribute that was escaped once more, a template that writes / as &#x2F;. */
const ends =
  "&(?:amp;)*(?:quot|apos|lt|gt|[lr][sd]quo|[lr]aquo|nbsp|sol|bsol|quest|num|#0*(?:3[2459]|47|6[023]|92|160)|#x0*(?:2[0237f]|3[cef]|5c|a0));"
/** Any other character of user information, plain or escaped. */
const other = String.raw`(?!${ends})(?:[^\s\\/?#"'<>“”„‟‘’«»&]|&#?[a-z\d]{1,31};|&(?!#?[a-z\d]{1,31};))`
const slash = String.raw`(?:[\\/]|&(?:amp;)*(?:sol|bsol|#0*(?:47|92)|#x0*(?:2f|5c));)`
const colon = "(?::|&(?:amp;)*(?:colon|#0*58|#x0*3a);)"
const at = "(?:@|&(?:amp;)*(?:commat|#0*64|#x0*40);)"

/** User information of a URL in a text; without an end within 2,048 characters there is none. */
const inText = new RegExp(`(${slash}{2}|https?${colon})(?:${other}){1,2048}${at}`, "gi")

/** A text without the user names and passwords of its URLs. */
export const maskedText = (text: string): string =>
  /@|&(?:amp;)*(?:commat|#)/i.test(text) ? text.replace(inText, `$1${mask}`) : text
