import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as HttpBody from "@effect/platform/HttpBody"
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Encoding from "effect/Encoding"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { isWebAddress } from "../../foundation/schema/Scalars.ts"
import * as Redaction from "../../foundation/secrets/Redaction.ts"
import type { PullRequest } from "./Domain.ts"
import { GitHubUrl } from "./Settings.ts"

// The used fields of GitHub's responses; other fields are ignored. https://docs.github.com/en/rest

export const Repository = Schema.Struct({
  default_branch: Schema.String,
  archived: Schema.optional(Schema.Boolean)
})

export const Ref = Schema.Struct({ object: Schema.Struct({ sha: Schema.NonEmptyString }) })

/** A file; GitHub omits the content above 1 MB. */
export const File = Schema.Struct({
  sha: Schema.NonEmptyString,
  type: Schema.optional(Schema.String),
  encoding: Schema.optional(Schema.String),
  size: Schema.optional(Schema.Number),
  content: Schema.optional(Schema.String)
})
export type File = typeof File.Type

/** A file, or the entries of a folder. */
export const FileOrFolder = Schema.Union(File, Schema.Array(Schema.Unknown))

export const WrittenFile = Schema.Struct({ content: Schema.Struct({ sha: Schema.NonEmptyString }) })

/** The response to removing a file. */
export const RemovedFile = Schema.Struct({ commit: Schema.Unknown })

export const Pull = Schema.Struct({
  number: Schema.Int,
  html_url: Schema.optional(Schema.String),
  state: Schema.String,
  merged_at: Schema.optional(Schema.NullOr(Schema.String)),
  merged: Schema.optional(Schema.NullOr(Schema.Boolean)),
  head: Schema.optional(Schema.Struct({ ref: Schema.optional(Schema.String), sha: Schema.optional(Schema.String) }))
})
export type Pull = typeof Pull.Type

/** A pull request for storage. */
export const pullOf = ({ html_url: url, number }: Pull): PullRequest => ({
  number,
  url: url !== undefined && url.length <= 2048 && isWebAddress(url) ? url : null
})

/** Lists of pull requests lack `merged`. */
export const isMerged = ({ merged, merged_at }: Pull): boolean => merged ?? typeof merged_at === "string"

/** GitHub omits the content of files above this many bytes. */
const contentAtMost = 1_048_576

/** Whether a file is too large to read its content. */
export const isTooLarge = ({ encoding, size = 0 }: File): boolean => encoding === "none" || size > contentAtMost

const compact = /\s/g

/** The bytes of a file in base64 without line breaks; undefined if the response omits them. */
export const base64Of = ({ content, encoding }: File): string | undefined =>
  encoding === "base64" && content !== undefined ? content.replace(compact, "") : undefined

/** The text of a file; undefined if the response omits its bytes. */
export const textOf = (file: File): string | undefined => {
  const bytes = Either.getOrUndefined(Encoding.decodeBase64(base64Of(file) ?? "?"))
  return bytes === undefined ? undefined : new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes)
}

/**
 * Why a request to GitHub failed.
 *
 * - `unavailable`: no response, a server error, or a response other than GitHub's JSON
 * - `limited`: the token has no requests left until `until`
 * - `unauthorised`: the token is not valid
 * - `forbidden`: the token may not do this
 * - `missing`: the resource does not exist, or the token may not see it
 * - `moved`: the response is a redirect, such as for a renamed repository
 * - `conflict`, `invalid`: 409 and 422
 * - `doubtful`: a write was sent without a clear refusal, and its result is missing
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

/** A failed request to GitHub; `until` is epoch milliseconds, only for `limited`. */
export class GitHubFailed extends Data.TaggedError("GitHubFailed")<{
  readonly kind: Kind
  readonly message: string
  readonly until: number
}> {
  /** Whether a retry may succeed later. */
  get isPassing() {
    return this.kind === "unavailable" || this.kind === "limited"
  }
}

export const failed = (kind: Kind, message: string, until = 0) =>
  new GitHubFailed({ kind, message: `GitHub: ${message}`, until })

/** The failure to read the result of a write: the write stays in doubt, and the next turn reads its result. */
export const unread = ({ kind, message, until }: GitHubFailed) =>
  new GitHubFailed({ kind: kind === "limited" ? kind : "unavailable", message, until })

const problemOf = Schema.decodeUnknownOption(Schema.Struct({ message: Schema.String }))

/** Maximum characters of GitHub's message to pass on. */
const longest = 300

/** In milliseconds: the wait when GitHub asks for one without a time, and the longest accepted wait. */
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
 * The failure of an unsuccessful response. A response other than GitHub's JSON may be a proxy's, and says nothing about GitHub. Primary and secondary rate
 * limits are 403 or 429, with `Retry-After`, or `x-ratelimit-remaining: 0` and a reset in epoch seconds, or only a message.
 * https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api
 */
const failureOf = (status: number, headers: Readonly<Record<string, string>>, json: Option.Option<unknown>) =>
  Effect.map(Clock.currentTimeMillis, (now) => {
    if (status >= 300 && status < 400)
      return failed("moved", "the repository was renamed or moved. Use its current name")
    const problem = Option.flatMap(json, problemOf)
    if (Option.isNone(problem))
      return failed("unavailable", `the response has status ${status} and is not JSON of the GitHub API`)
    const said = problem.value.message.slice(0, longest)
    const isLimit =
      status === 429 ||
      (status === 403 &&
        (headers["retry-after"] !== undefined || headers["x-ratelimit-remaining"] === "0" || /rate limit/i.test(said)))
    if (isLimit) return failed("limited", said, limitedUntil(headers, now))
    if (status >= 500) return failed("unavailable", said)
    return failed(kinds[status] ?? "invalid", said)
  })

/** One request to GitHub's REST API, below its base URL. */
export interface Request<A, I> {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE"
  /** Unencoded segments of the path. */
  readonly path: ReadonlyArray<string>
  readonly query?: Readonly<Record<string, string>>
  readonly body?: unknown
  /** Schema of the used response. */
  readonly of: Schema.Schema<A, I>
}

/** GitHub's REST API at the configured URL, the only one that gets tokens. */
export class GitHub extends Context.Tag("interventions/GitHub")<
  GitHub,
  {
    readonly ask: <A, I>(token: Redacted.Redacted, request: Request<A, I>) => Effect.Effect<A, GitHubFailed>
  }
>() {}

/** Maximum bytes of a response: a file of 1 MB in base64 has 1.4 MB. */
const maxAnswerBytes = 3_145_728

const tooLong = failed("unavailable", `the response has more than ${maxAnswerBytes} bytes`)

const unreachable = () => Effect.fail(failed("unavailable", "the service is unreachable"))

const layerNoDeps = Layer.effect(
  GitHub,
  Effect.gen(function* () {
    const base = (yield* GitHubUrl).href.replace(/\/+$/, "")
    const client = HttpClient.withTracerPropagation(yield* HttpClient.HttpClient, false)

    const send = (
      token: Redacted.Redacted,
      { body, method, path, query = {} }: Omit<Request<unknown, unknown>, "of">
    ) =>
      HttpClientRequest.make(method)(`${base}/${path.map(encodeURIComponent).join("/")}`).pipe(
        HttpClientRequest.setUrlParams(query),
        HttpClientRequest.bearerToken(token),
        HttpClientRequest.setHeaders({
          accept: "application/vnd.github+json",
          "user-agent": "Findable",
          "x-github-api-version": "2022-11-28"
        }),
        HttpClientRequest.setBody(
          body === undefined ? HttpBody.empty : HttpBody.text(JSON.stringify(body), "application/json")
        ),
        client.execute,
        Effect.flatMap((answer) =>
          Redaction.cleanAnswer(answer, Redaction.of([token], "[token]"), maxAnswerBytes, tooLong)
        ),
        Effect.catchTags({ RequestError: unreachable, ResponseError: unreachable }),
        Effect.timeoutFail({
          duration: "20 seconds",
          onTimeout: () => failed("unavailable", "no complete response within 20 seconds")
        }),
        // Writing handlers are uninterruptible, so a time-out could not end a request.
        Effect.interruptible
      )

    const ask = <A, I>(token: Redacted.Redacted, request: Request<A, I>) =>
      Effect.flatMap(send(token, request), ({ headers, json, status }) =>
        status >= 200 && status < 300
          ? Effect.mapError(Effect.flatMap(json, Schema.decodeUnknown(request.of)), () =>
              failed("unavailable", "the response is not readable")
            )
          : Effect.flatMap(failureOf(status, headers, json), Effect.fail)
      )

    return { ask }
  })
)

/**
 * The API over `fetch`; it follows no redirects, because they would receive the token, and keeps no connection alive, because Bun resends PUT and DELETE when
 * a kept connection ends before the response.
 */
export const layer = layerNoDeps.pipe(
  Layer.provide(FetchHttpClient.layer),
  Layer.provide(Layer.succeed(FetchHttpClient.RequestInit, { keepalive: false, redirect: "manual" }))
)
