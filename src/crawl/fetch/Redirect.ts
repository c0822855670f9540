import { headerReference } from "../page/HeaderReference.ts"
import { resolve } from "../site/Identity.ts"
import type { Answered } from "./Answer.ts"
import { headerOf } from "./Headers.ts"

/** Statuses that send the visitor elsewhere (Fetch standard, redirect status); 304 to a request without a condition does not. */
const redirects = new Set([301, 302, 303, 307, 308])

/** Whether a status is that of a redirect, whatever else the answer says. */
export const isRedirect = (status: number): boolean => redirects.has(status)

/** Where a redirect leads; null when the answer is none, or names no URL. */
export const redirectTarget = ({ headers, status }: Answered, url: URL): URL | null => {
  const location = isRedirect(status) ? headerOf(headers, "location") : null
  return location === null ? null : resolve(headerReference(location), url)
}
