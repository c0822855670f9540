import type { Meeting } from "./UrlRecord.ts"

/** The part of a site that is measured again. What these URLs redirect to, or name as canonical or language version, belongs to it. */
export interface Only {
  readonly urls: ReadonlyArray<string>
  /** Those of them whose links belong to it as well. */
  readonly linksOf: ReadonlyArray<string>
  /** Those of them whose images, styles, scripts and links to other sites are asked for; default none. */
  readonly checksOf?: ReadonlyArray<string>
}

/** Whether a URL that was met gets a turn. */
export type Part = (url: string, meeting: Meeting) => boolean

/** The part of the site that a run looks at; without one it looks at all of it. */
export const partOf = (only: Only | undefined): Part => {
  if (only === undefined) return () => true
  const [urls, linksOf] = [new Set(only.urls), new Set(only.linksOf)]
  return (url, { from, via }) => {
    if (urls.has(url) || via === "redirect") return true
    if (from === null) return false
    return via === "link" || via === "nofollow" ? linksOf.has(from) : via === "reference" && urls.has(from)
  }
}
