import * as Option from "effect/Option"

/** `www.` does not make another domain; where only one label would be left, it is the domain's own name. */
const withoutWww = (host: string) => host.replace(/^www\.(?=[^.]+\.)/, "")

const webAddress = /^https?:\/\/[^/\\]/i

/** A host, perhaps with a port and a path, but with nothing that could be another scheme or credentials. */
const bareHost = /^(?:\[[\da-f:.]+\]|[^\s/\\?#:@[\]]+)(?::\d+)?(?:[/?#]|$)/i

const urlOf = (text: string) =>
  webAddress.test(text) ? URL.parse(text) : bareHost.test(text) ? URL.parse(`https://${text}`) : null

/**
 * The domain that a host or web address names: lower case, punycode, without scheme, `www.`, port, path and the root's final dot. Nothing for what
 * is neither, or carries credentials.
 */
export const domainName = (text: string): Option.Option<string> =>
  Option.fromNullable(urlOf(text)).pipe(
    Option.filter(({ password, username }) => username === "" && password === ""),
    Option.map(({ hostname }) => withoutWww(hostname.replace(/\.$/, ""))),
    Option.filter((domain) => domain !== "")
  )
