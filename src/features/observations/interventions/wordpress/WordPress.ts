import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Encoding from "effect/Encoding"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { headerOf } from "../../../../crawl/page/HeaderFacts.ts"
import { Outbound, type OutboundReason, type OutboundRequest } from "../../../../foundation/outbound/Outbound.ts"
import * as Redaction from "../../../../foundation/secrets/Redaction.ts"
import type { OfWordPress } from "../connectors/Credentials.ts"
import type { WordPressState } from "../State.ts"

/**
 * WordPress did not do what it was asked; `isPassing`: the same may succeed by itself later; `isRefusal`: it did nothing for certain, as the API itself says, or
 * since the request did not leave. `status` is null without an answer.
 */
export class WordPressFailed extends Data.TaggedError("WordPressFailed")<{
  readonly message: string
  readonly isPassing: boolean
  readonly isRefusal: boolean
  readonly status: number | null
}> {}

/** Faults before the first byte of a request is sent. */
const unsent: ReadonlySet<OutboundReason> = new Set(["blocked_address", "blocked_url", "connect", "dns", "tls"])

const failed = (message: string, status: number | null, isPassing = false, isRefusal = false) =>
  new WordPressFailed({ isPassing, isRefusal, message: `WordPress: ${message}`, status })

const Values = Schema.Record({ key: Schema.String, value: Schema.Unknown })

/** What is read of a post; other fields are ignored. https://developer.wordpress.org/rest-api/reference/posts/ */
const Post = Schema.Struct({
  link: Schema.String,
  status: Schema.optional(Schema.String),
  title: Schema.optional(Schema.Struct({ raw: Schema.optional(Schema.String) })),
  // Without any registered field PHP writes an empty list.
  meta: Schema.optional(Schema.Union(Values, Schema.Array(Schema.Unknown)))
})
export type Post = typeof Post.Type

/** What `OPTIONS` says may be written. */
const Options = Schema.Struct({
  schema: Schema.optional(
    Schema.Struct({
      properties: Schema.optional(
        Schema.Struct({ meta: Schema.optional(Schema.Struct({ properties: Schema.optional(Values) })) })
      )
    })
  )
})

const problemOf = Schema.decodeUnknownOption(Schema.Struct({ code: Schema.String, message: Schema.String }))

/** Characters of the other side's words that are passed on. */
const longest = 300

const bytesAtMost = 2_097_152

/** The value of a field of a post; undefined where it is no text. A meta field that has no value yet has the empty text. */
export const valueOf = ({ meta, title }: Post, name: string): string | undefined => {
  if (name === "title") return title?.raw
  const value =
    Array.isArray(meta) || meta === undefined ? "" : (Object.entries(meta).find(([key]) => key === name)?.[1] ?? "")
  return typeof value === "string" ? value : undefined
}

interface Answer {
  readonly headers: ReadonlyArray<readonly [name: string, value: string]>
  readonly status: number
  readonly json: Option.Option<unknown>
}

/** The requests of one post, with credentials that go to the configured origin alone. */
export const make = Effect.fnUntraced(function* (
  { password, url, username }: OfWordPress,
  { post_id, post_type }: Pick<WordPressState, "post_id" | "post_type">
) {
  const outbound = yield* Outbound
  const root = url.replace(/\/+$/, "")
  const basic = Encoding.encodeBase64(`${username}:${password}`)
  const path = `/wp/v2/${post_type}/${post_id}`
  const clean = Redaction.of([Redacted.make(password), Redacted.make(basic)], "[password]")

  const send = (address: string, method: OutboundRequest["method"], body?: object) =>
    outbound
      .exchange({
        authorization: `Basic ${basic}`,
        deadline: "20 seconds",
        decode: true,
        headers: {
          accept: "application/json",
          "user-agent": "Findable",
          ...(body === undefined ? {} : { "content-type": "application/json" })
        },
        keepBytes: bytesAtMost,
        maxBytes: bytesAtMost,
        method,
        url: new URL(address),
        ...(body === undefined ? {} : { body: new TextEncoder().encode(JSON.stringify(body)) })
      })
      .pipe(
        Effect.mapError(({ message, reason }) =>
          failed(
            clean.text(message),
            null,
            reason !== "blocked_address" && reason !== "blocked_url",
            unsent.has(reason)
          )
        ),
        Effect.map(({ body, headers, status }) => ({
          headers,
          json: clean.json(new TextDecoder().decode(body)),
          status
        })),
        // Handlers that write are uninterruptible, where a time-out could not end a request.
        Effect.interruptible
      )

  const isObject = Option.exists(Predicate.isRecord)

  /** Reads at the address with pretty permalinks, and where the site has none, at the one that always works. */
  const found = Effect.fnUntraced(function* (method: "GET" | "OPTIONS", context = "") {
    const address = `${root}/wp-json${path}${context === "" ? "" : `?${context}`}`
    const pretty = yield* send(address, method)
    if (isObject(pretty.json) || pretty.status === 401 || pretty.status === 403 || pretty.status >= 429)
      return { ...pretty, address }
    const plain = `${root}/index.php?rest_route=${path}${context === "" ? "" : `&${context}`}`
    return { ...(yield* send(plain, method)), address: plain }
  })

  const answerOf = <A, I, T extends Answer>(of: Schema.Schema<A, I>, sent: Effect.Effect<T, WordPressFailed>) =>
    Effect.flatMap(sent, (answer) => {
      const { json, status } = answer
      if (status >= 300 && status < 400)
        return failed(
          "the answer is a redirect, which would take the credentials along: connect with the address that it leads to",
          status
        )
      if (status < 200 || status >= 300) {
        const problem = Option.flatMap(json, problemOf)
        const said = Option.match(problem, {
          onNone: () => `status ${status}`,
          onSome: ({ code, message }) => `${message.slice(0, longest)} (${code.slice(0, 100)})`
        })
        // A known user is answered 403 instead; the words of a 401 are the same with and without a password.
        const why = status === 401 ? `it does not accept the username and application password: ${said}` : said
        const isRefusal = status >= 400 && status < 500 && Option.isSome(problem)
        return failed(why, status, status === 408 || status === 429 || status >= 500, isRefusal)
      }
      return Effect.mapBoth(Effect.flatMap(json, Schema.decodeUnknown(of)), {
        onFailure: () => failed("the answer cannot be read: is this the address of a WordPress installation?", status),
        onSuccess: (value) => ({ ...answer, value })
      })
    })

  /** The post, and the address that answers. */
  const read = Effect.map(answerOf(Post, found("GET", "context=edit")), ({ address, value }) => ({
    address,
    post: value
  }))

  /** Keys of meta fields that may be written; undefined where the answer does not say. */
  const allowed = Effect.flatMap(answerOf(Options, found("OPTIONS")), ({ headers, value }) => {
    const allow = headerOf(headers, "allow")
    if (allow !== null && !/\b(POST|PUT|PATCH)\b/i.test(allow))
      return Effect.fail(failed("the user may not edit this post", 403))
    const keys = value.schema?.properties?.meta?.properties
    return Effect.succeed(keys === undefined ? undefined : Object.keys(keys))
  })

  /** Writes values at the address at which the post was read, and nowhere else; answers the post as WordPress says it is then. */
  const write = (address: string, values: ReadonlyArray<readonly [name: string, value: string]>) => {
    const title = values.find(([name]) => name === "title")
    const meta = values.filter(([name]) => name !== "title")
    const body = {
      ...(title === undefined ? {} : { title: title[1] }),
      ...(meta.length === 0 ? {} : { meta: Object.fromEntries(meta) })
    }
    return Effect.map(answerOf(Post, send(address, "POST", body)), ({ value }) => value)
  }

  return { allowed, read, write }
})
