import * as Option from "effect/Option"
import { bareHost, webUrl } from "../../foundation/schema/WebAddress.ts"

/** A site as its address names it: the root URL, and the host (with the port where it is not the scheme's own). */
interface Site {
  readonly url: string
  readonly host: string
}

/** The site of an address; nothing for what is not an http(s) URL without credentials. The path does not matter: a project is a whole site. */
export const siteOf = (address: string): Option.Option<Site> =>
  Option.map(webUrl(address), (url) => ({ host: url.host, url: `${url.origin}/` }))

/** The address on the site, normalised, or nothing when it is another site's (host and port; scheme and `www.` do not matter). */
export const onSite = (site: Site, address: string): Option.Option<URL> =>
  Option.filter(webUrl(address), (url) => bareHost(url.host) === bareHost(site.host))
