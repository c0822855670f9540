import { headerReference } from "../page/HeaderReference.ts"
import { resolve } from "../site/Identity.ts"
import type { Answered } from "./Answer.ts"
import { headerOf } from "./Headers.ts"

/** Whether a status is that of a redirect, whatever else the answer says. */
export const isRedirect = (status: number): boolean => status >= 300 && status < 400

/** Where a redirect leads; null when the answer is none, or names no URL. */
export const redirectTarget = ({ headers, status }: Answered, url: URL): URL | null => {
  const location = isRedirect(status) ? headerOf(headers, "location") : null
  return location === null ? null : resolve(headerReference(location), url)
}
