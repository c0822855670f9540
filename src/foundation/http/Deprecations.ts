import * as DateTime from "effect/DateTime"

/** A path, with all below it, that has another name now. */
interface Move {
  readonly from: string
  readonly to: string
  /** The day on which it was deprecated. */
  readonly since: string
  /** The day until which the old name is answered: at least twelve months later. */
  readonly until: string
}

/** Every deprecation of the API. `/audits/schedules/{id}` and `/audits/{id}/fixes` were one path to programs that read the document. */
const moves: ReadonlyArray<Move> = [
  { from: "/api/v1/audits/schedules", since: "2026-11-22", to: "/api/v1/audit-schedules", until: "2027-12-01" }
]

const isBelow = (path: string, url: string) => url.startsWith(path) && /^(?:$|[/?])/.test(url.slice(path.length))

const renamed = (url: string, from: string, to: string) => `${to}${url.slice(from.length)}`

/** Dates as RFC 9745 (`Deprecation`) and RFC 8594 (`Sunset`) want them, and the name to use (RFC 5829). */
const headersOf = ({ since, to, until }: Move) => ({
  deprecation: `@${DateTime.unsafeMake(since).epochMillis / 1000}`,
  link: `<${to}>; rel="successor-version"`,
  sunset: DateTime.toDateUtc(DateTime.unsafeMake(until)).toUTCString()
})

/** Where a request to an old name is answered, and what its answer says about that; undefined for all others. */
export const moved = (url: string) => {
  const move = moves.find(({ from }) => isBelow(from, url))
  return move === undefined ? undefined : { headers: headersOf(move), url: renamed(url, move.from, move.to) }
}

/** The name that a path had first: a request is the same under all of its names. */
export const firstName = (path: string): string => {
  const move = moves.find(({ to }) => isBelow(to, path))
  return move === undefined ? path : renamed(path, move.to, move.from)
}
