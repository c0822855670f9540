/** Why the frontier puts a URL last or leaves it out. */
export type TrapReason =
  | "pattern_share"
  | "repeated_segments"
  | "query_permutation"
  | "facets"
  | "session_id"
  | "calendar"
  | "parameter_set"
  | "action_link"
  | "excluded"
  | "not_included"

/** What makes URLs without end, and the pattern that they share. */
export interface Trap {
  readonly reason: TrapReason
  readonly pattern: string
}

/** Whether an address is never requested for what it is or what the options leave out, so that it is no part of a series that the site makes. */
export const isNeverAsked = (trap: Trap | null): boolean =>
  trap?.reason === "action_link" || trap?.reason === "excluded" || trap?.reason === "not_included"

const segmentsOf = (url: URL): ReadonlyArray<string> => url.pathname.split("/").filter((segment) => segment !== "")

/** `/a/b/a/b/a/b`: the mark of a relative link that its own page answers again, one level down. */
export const repeatsSegments = (url: URL): boolean => {
  const segments = segmentsOf(url)
  const repeatsFrom = (start: number, period: number): boolean =>
    segments.slice(start, start + period).every((segment, index) => {
      const again = segments[start + period + index]
      return again === segment && segments[start + 2 * period + index] === segment
    }) && start + 3 * period <= segments.length
  return segments.some((_, start) => [1, 2, 3].some((period) => repeatsFrom(start, period)))
}

/**
 * What stays the same over the pages of one kind: the directory with numbers blanked. All parameter sets of one path are one
 * kind, for filters of a list multiply and would each have a share of their own.
 */
export const patternOf = (url: URL): string => {
  const segments = segmentsOf(url)
  const last = segments.length - 1
  const blank = segments.map((segment, index) => {
    if (index === last && last > 0) return "*"
    return segment.replace(/\d+/g, "#")
  })
  return `/${blank.join("/")}${url.search === "" ? "" : "?*"}`
}

const files =
  /\.(?:7z|avi|bmp|bz2|css|csv|docx?|eot|epub|exe|flac|gif|gz|ico|ics|jpe?g|js|json|m4a|m4v|mov|mp3|mp4|mpe?g|odt|ogg|otf|pdf|png|pptx?|rar|rss|svg|tar|tgz|tiff?|ttf|txt|wav|webm|webp|woff2?|xlsx?|xml|zip)$/i

/** Whether the path names a file that is no page; such links are checked after the pages. */
export const namesFile = (url: URL): boolean => files.test(url.pathname)
