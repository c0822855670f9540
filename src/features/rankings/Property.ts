import * as Either from "effect/Either"
import { bareHost, isWeb } from "../../foundation/schema/Scalars.ts"

/** A Search Console property: one host, or a domain with all its subdomains. */
export type Property =
  | { readonly _tag: "Host"; readonly host: string }
  | { readonly _tag: "Domain"; readonly domain: string }

/** Reads Search Console's name of a property: `sc-domain:example.com` or `https://www.example.com/`. */
export const parse = (name: string): Either.Either<Property, string> => {
  if (name.startsWith("sc-domain:")) {
    const domain = URL.parse(`https://${name.slice("sc-domain:".length)}`)
    return domain === null || domain.pathname !== "/" || domain.host === ""
      ? Either.left(`"${name}" is not a domain property`)
      : Either.right({ _tag: "Domain", domain: domain.host })
  }
  const prefix = URL.parse(name)
  return prefix === null || !isWeb(prefix)
    ? Either.left(`"${name}" is not a Search Console property: use sc-domain:example.com or an http(s) URL`)
    : Either.right({ _tag: "Host", host: prefix.host })
}

/** Whether pages of `host` belong to the property. */
export const covers = (property: Property, host: string): boolean =>
  property._tag === "Host"
    ? bareHost(property.host) === bareHost(host)
    : host.toLowerCase() === property.domain || host.toLowerCase().endsWith(`.${property.domain}`)

/** The property of a name, if it covers the host; the left side has the reason of the refusal. */
export const covering = (name: string, host: string): Either.Either<Property, string> =>
  Either.filterOrLeft(
    parse(name),
    (property) => covers(property, bareHost(host)),
    () => `The property ${name} does not cover the project's host ${host}`
  )

/** Whether a URL is on a property with Search Console's name: on the host or below the domain, and below the path of a URL prefix. */
export const holds = (name: string, url: string): boolean => {
  const [property, address] = [parse(name), URL.parse(url)]
  if (Either.isLeft(property) || address === null) return false
  return property.right._tag === "Domain"
    ? covers(property.right, address.hostname)
    : address.href.startsWith(new URL(name).href)
}
