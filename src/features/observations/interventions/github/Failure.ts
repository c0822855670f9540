import * as Clock from "effect/Clock"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"

/**
 * Why GitHub did not do what it was asked.
 *
 * - `unavailable`: no answer, one of a broken server, or one that is not GitHub's JSON
 * - `limited`: the token has spent its requests until `until`
 * - `unauthorised`: the token is not valid
 * - `forbidden`: the token may not do this
 * - `missing`: there is no such thing, or the token may not see it
 * - `moved`: the answer is a redirect, as of a repository that was renamed
 * - `conflict`, `invalid`: 409 and 422
 * - `doubtful`: a write was sent, no answer says that it was refused, and it is not there
 */
type Kind =
  | "unavailable"
  | "limited"
  | "unauthorised"
  | "forbidden"
  | "missing"
  | "moved"
  | "conflict"
  | "invalid"
  | "doubtful"

/** A request to GitHub that failed; `until` is epoch milliseconds, of `limited` alone. */
export class GitHubFailed extends Data.TaggedError("GitHubFailed")<{
  readonly kind: Kind
  readonly message: string
  readonly until: number
}> {
  /** Whether the same request may succeed by itself later. */
  get isPassing() {
    return this.kind === "unavailable" || this.kind === "limited"
  }
}

export const failed = (kind: Kind, message: string, until = 0) =>
  new GitHubFailed({ kind, message: `GitHub: ${message}`, until })

/** The failure to read what a write made: the write stays in doubt, and what it made is read at the next look. */
export const unread = ({ kind, message, until }: GitHubFailed) =>
  new GitHubFailed({ kind: kind === "limited" ? kind : "unavailable", message, until })

const problemOf = Schema.decodeUnknownOption(Schema.Struct({ message: Schema.String }))

/** Characters of GitHub's own words that are passed on. */
const longest = 300

/** In milliseconds: the wait when GitHub asks for one and says no time, and the longest one that is honoured. */
const waits = { most: 24 * 3_600_000, unsaid: 60_000 }

const number = (text: string | undefined) => (text !== undefined && /^\d{1,13}$/.test(text) ? Number(text) : undefined)

const limitedUntil = (headers: Readonly<Record<string, string>>, now: number): number => {
  const after = number(headers["retry-after"])
  const reset = headers["x-ratelimit-remaining"] === "0" ? number(headers["x-ratelimit-reset"]) : undefined
  const until = after !== undefined ? now + after * 1000 : reset !== undefined ? reset * 1000 : now + waits.unsaid
  return Math.min(Math.max(until, now + 1000), now + waits.most)
}

const kinds: Readonly<Record<number, Kind>> = {
  401: "unauthorised",
  403: "forbidden",
  404: "missing",
  409: "conflict",
  410: "missing",
  422: "invalid",
  451: "forbidden"
}

/**
 * Reads an answer that is no success. One that is not GitHub's JSON may be that of a proxy, and says nothing of what GitHub did.
 * Primary and secondary rate limits are 403 or 429, with `Retry-After`, or `x-ratelimit-remaining: 0` and a reset in
 * epoch seconds, or their name in the message alone.
 * https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api
 */
export const failureOf = (status: number, headers: Readonly<Record<string, string>>, json: Option.Option<unknown>) =>
  Effect.map(Clock.currentTimeMillis, (now) => {
    if (status >= 300 && status < 400)
      return failed(
        "moved",
        "the answer is a redirect: the repository was renamed or moved, name it as it is called now"
      )
    const problem = Option.flatMap(json, problemOf)
    if (Option.isNone(problem)) return failed("unavailable", `the answer is ${status}, and not in the JSON of its API`)
    const said = problem.value.message.slice(0, longest)
    const isLimit =
      status === 429 ||
      (status === 403 &&
        (headers["retry-after"] !== undefined || headers["x-ratelimit-remaining"] === "0" || /rate limit/i.test(said)))
    if (isLimit) return failed("limited", said, limitedUntil(headers, now))
    if (status >= 500) return failed("unavailable", said)
    return failed(kinds[status] ?? "invalid", said)
  })
