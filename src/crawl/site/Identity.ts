import { identity, parseUrl } from "../page/UrlIdentity.ts"

/** The identity of a URL as a string: two URLs are the same page when these are equal. */
export const identify = identity

/** The URL a reference leads to from `base`, as its identity; null when it does not parse. */
export const resolve = (reference: string, base: URL): URL | null => {
  const url = parseUrl(reference, base.href)
  return url === null ? null : new URL(identity(url))
}
