import { bareHost, isWeb } from "../../foundation/schema/WebAddress.ts"
import { identity, parseUrl } from "../page/UrlIdentity.ts"

/** The site is one host with or without `www.`, over http or https, on its port. */
const nameOf = (url: URL): string => bareHost(url.hostname)

/** Whether `url` belongs to the site of `start`; an explicit port is part of the site, 80 and 443 are the same door. */
export const sameSite = (start: URL, url: URL): boolean =>
  isWeb(url) && nameOf(start) === nameOf(url) && start.port === url.port

/** The URL a reference leads to from `base`, as its identity; null when it does not parse. */
export const resolve = (reference: string, base: URL): URL | null => {
  const url = parseUrl(reference, base.href)
  return url === null ? null : new URL(identity(url))
}
