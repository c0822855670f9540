/** The part of the URL behind `#`, which the server never sees. */
export interface Route {
  /** The parts of the path: `#/sites/abc` is `["sites", "abc"]`. */
  readonly segments: ReadonlyArray<string>
  /** The part after a question mark, such as the filters of a list. */
  readonly query: URLSearchParams
}

const decoded = (segment: string) => {
  try {
    return decodeURIComponent(segment)
  } catch {
    // An undecodable segment leads to the page for unknown URLs.
    return segment
  }
}

/** The route of a hash; an empty one is the first screen. */
export const routeOf = (hash: string): Route => {
  const [path = "", query = ""] = hash.replace(/^#\/?/, "").split("?", 2)
  const segments = path.split("/").filter((segment) => segment !== "")
  return { query: new URLSearchParams(query), segments: segments.length === 0 ? ["sites"] : segments.map(decoded) }
}

/** Filters as a query string; empty ones are left out. */
export const queryOf = (filters: Readonly<Record<string, string | null>>): string => {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(filters)) if (value !== null && value !== "") query.set(name, value)
  const text = query.toString()
  return text === "" ? "" : `?${text}`
}

/** The hash of a path, and of filters. */
export const hashOf = (segments: ReadonlyArray<string>, filters: Readonly<Record<string, string | null>> = {}) =>
  `#/${segments.map(encodeURIComponent).join("/")}${queryOf(filters)}`

/** The code of a sign-in link, `#login=CODE`. */
export const codeOf = (hash: string): string | null => /^#login=(.+)$/.exec(hash)?.[1] ?? null
