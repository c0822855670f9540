import * as Option from "effect/Option"
import { bareHost } from "../../foundation/schema/WebAddress.ts"

const webAddress = /^https?:\/\/[^/\\]/i

/** A host, perhaps with a port and a path, but with nothing that could be another scheme or credentials. */
const hostAlone = /^(?:\[[\da-f:.]+\]|[^\s/\\?#:@[\]]+)(?::\d+)?(?:[/?#]|$)/i

/** Characters of a name (RFC 1035 §2.3.4, without the length of the root). */
const longest = 253

const urlOf = (text: string) =>
  webAddress.test(text) ? URL.parse(text) : hostAlone.test(text) ? URL.parse(`https://${text}`) : null

/**
 * The domain that a host or web address names: lower case, punycode, without scheme, `www.`, port, path and the root's final dot. None for
 * anything else, and for an address with credentials.
 */
export const domainName = (text: string): Option.Option<string> =>
  Option.fromNullable(urlOf(text)).pipe(
    Option.filter(({ password, username }) => username === "" && password === ""),
    Option.map(({ hostname }) => bareHost(hostname.replace(/\.$/, ""))),
    Option.filter((domain) => domain !== "" && domain.length <= longest)
  )
