import { keep, maxUrl, strip } from "./Text.ts"

/** What stands for user name and password in whatever a report shows. */
const mask = "***@"

/** Whether an address has a user name or a password. Who meets one in a page treats it as an error (RFC 9110 §4.2.4): nothing is requested with them. */
export const hasCredentials = ({ password, username }: URL): boolean => username !== "" || password !== ""

/** The beginning of a reference up to the end of its user information (URL standard §4.4): with a scheme or without, with slashes of either kind. */
const inReference = /^([\0- ]*(?:(?:[a-z][a-z\d+.-]*:)?[\\/]{2,}|https?:))[^\\/?#]*@/i

/** The same without a scheme, `name:secret@host`; behind these schemes stands something else. */
const withoutScheme =
  /^([\0- ]*)(?!(?:acct|blob|callto|data|facetime|https?|im|jabber|javascript|mailto|pres|sips?|skype|sms|tel|xmpp):)[^\\/?#:@\s()'"]+:[^\\/?#:@\s()'"]+@(?=[a-z\d-]+\.[a-z\d])/i

/** A reference as a page writes it, without user name and password. */
export const maskedReference = (reference: string): string => {
  if (!reference.includes("@")) return reference
  // The parser drops these wherever they stand.
  const text = reference.replace(/[\t\n\r]/g, "")
  const masked = text.replace(inReference, `$1${mask}`).replace(withoutScheme, `$1${mask}`)
  return masked === text ? reference : masked
}

/** A reference as reports show it: as the page writes it, trimmed and capped, without user name and password. */
export const shownReference = (reference: string): string => keep(maskedReference(strip(reference)), maxUrl)

/** What is said of an address that reports show masked; nothing of others. */
export const maskWords = (shown: string): string => (shown.includes(mask) ? ", blocked: has credentials" : "")

/**
 * The characters that end user information, as a text writes them whose own text is escaped: JSON in an attribute that was escaped once more, a template that
 * writes / as &#x2F;.
 */
const ends =
  "&(?:amp;)*(?:quot|apos|lt|gt|[lr][sd]quo|[lr]aquo|nbsp|sol|bsol|quest|num|#0*(?:3[2459]|47|6[023]|92|160)|#x0*(?:2[0237f]|3[cef]|5c|a0));"
/** Any other character of user information, as it is or escaped. */
const other = String.raw`(?!${ends})(?:[^\s\\/?#"'<>“”„‟‘’«»&]|&#?[a-z\d]{1,31};|&(?!#?[a-z\d]{1,31};))`
const slash = String.raw`(?:[\\/]|&(?:amp;)*(?:sol|bsol|#0*(?:47|92)|#x0*(?:2f|5c));)`
const colon = "(?::|&(?:amp;)*(?:colon|#0*58|#x0*3a);)"
const at = "(?:@|&(?:amp;)*(?:commat|#0*64|#x0*40);)"

/** User information of an address in a text; an address without an end in sight is none. */
const inText = new RegExp(`(${slash}{2}|https?${colon})(?:${other}){1,2048}${at}`, "gi")

/** A text without user names and passwords of the addresses in it. */
export const maskedText = (text: string): string =>
  /@|&(?:amp;)*(?:commat|#)/i.test(text) ? text.replace(inText, `$1${mask}`) : text
