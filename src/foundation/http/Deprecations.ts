import * as DateTime from "effect/DateTime"
import * as Schema from "effect/Schema"

/** A renamed path, with all paths below it. */
interface Move {
  readonly from: string
  readonly to: string
  /** The day on which it was deprecated. */
  readonly since: DateTime.Utc
  /** The day until which the old path works: at least twelve months later. */
  readonly until: DateTime.Utc
}

const day = Schema.decodeSync(Schema.DateTimeUtc)

/** Every deprecation of the API. Readers of OpenAPI could not tell `/audits/schedules/{id}` from `/audits/{id}/fixes`. */
const moves: ReadonlyArray<Move> = [
  {
    from: "/api/v1/audits/schedules",
    since: day("2026-11-22"),
    to: "/api/v1/audit-schedules",
    until: day("2027-12-01")
  }
]

const isBelow = (path: string, url: string) => url.startsWith(path) && /^(?:$|[/?])/.test(url.slice(path.length))

const renamed = (url: string, from: string, to: string) => `${to}${url.slice(from.length)}`

/** The dates of RFC 9745 (`Deprecation`) and RFC 8594 (`Sunset`), and the path to use (RFC 5829). */
const headersOf = ({ since, to, until }: Move) => ({
  deprecation: `@${since.epochMillis / 1000}`,
  link: `<${to}>; rel="successor-version"`,
  sunset: DateTime.toDateUtc(until).toUTCString()
})

/** The new URL of a request to an old path, and the headers of its answer; undefined for all others. */
export const moved = (url: string) => {
  const move = moves.find(({ from }) => isBelow(from, url))
  return move === undefined ? undefined : { headers: headersOf(move), url: renamed(url, move.from, move.to) }
}

/** The oldest name of a path: an idempotency key covers a request under all of its names. */
export const firstName = (path: string): string => {
  const move = moves.find(({ to }) => isBelow(to, path))
  return move === undefined ? path : renamed(path, move.to, move.from)
}
