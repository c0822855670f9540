import { identity, parseUrl } from "../page/UrlIdentity.ts"

/** The URL a reference leads to from `base`, as its identity; null when it does not parse. */
export const resolve = (reference: string, base: URL): URL | null => {
  const url = parseUrl(reference, base.href)
  return url === null ? null : new URL(identity(url))
}
