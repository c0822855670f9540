import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Encoding from "effect/Encoding"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { isRedirect } from "../../crawl/fetch/Fetcher.ts"
import { CrawlerUrl, userAgent } from "../../crawl/fetch/Headers.ts"
import { contentType, headerOf, headerReference } from "../../crawl/page/Headers.ts"
import { apiError } from "../../foundation/http/ApiError.ts"
import { Outbound, type OutboundReason, type OutboundRequest } from "../../foundation/outbound/Outbound.ts"
import * as Child from "../../foundation/process/Child.ts"
import * as Questions from "../../foundation/process/Questions.ts"
import { Conflict, Invalid } from "../../foundation/schema/DomainError.ts"
import { bareHost } from "../../foundation/schema/Scalars.ts"
import * as Redaction from "../../foundation/secrets/Redaction.ts"
import { shortLived } from "../../foundation/terminal/ShortLived.ts"
import { onSite, type Project } from "../projects/Domain.ts"
import type { OfWordPress } from "./Connectors.ts"
import type { ChangedField, NewWordPress } from "./Domain.ts"
import type { WordPressState } from "./Interventions.ts"
import * as Shown from "./Shown.ts"

/**
 * A request to WordPress failed. `isPassing`: a retry may succeed later; `isRefusal`: WordPress certainly did nothing, by its own response or because the
 * request was never sent. `status` is null without a response.
 */
export class WordPressFailed extends Data.TaggedError("WordPressFailed")<{
  readonly message: string
  readonly isPassing: boolean
  readonly isRefusal: boolean
  readonly status: number | null
}> {}

/** Failures before the first byte of a request. */
const unsent: ReadonlySet<OutboundReason> = new Set(["blocked_address", "blocked_url", "connect", "dns", "tls"])

const failed = (message: string, status: number | null, isPassing = false, isRefusal = false) =>
  new WordPressFailed({ isPassing, isRefusal, message: `WordPress: ${message}`, status })

const Values = Schema.Record({ key: Schema.String, value: Schema.Unknown })

/** The used fields of a post; other fields are ignored. https://developer.wordpress.org/rest-api/reference/posts/ */
const Post = Schema.Struct({
  link: Schema.String,
  status: Schema.optional(Schema.String),
  title: Schema.optional(Schema.Struct({ raw: Schema.optional(Schema.String) })),
  // Without any registered field PHP writes an empty list.
  meta: Schema.optional(Schema.Union(Values, Schema.Array(Schema.Unknown)))
})
export type Post = typeof Post.Type

/** The writable fields by `OPTIONS`. */
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

/** Maximum characters of the other side's message to pass on. */
const longest = 300

const bytesAtMost = 2_097_152

/** The value of a post's field; undefined if it is no text. A meta field without a value is "". */
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

/** The requests of one post, with credentials for the configured origin only. */
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
        // Writing handlers are uninterruptible, so a time-out could not end a request.
        Effect.interruptible
      )

  const isObject = Option.exists(Predicate.isRecord)

  /** Requests the URL with pretty permalinks, or, if the site has none, the URL that always works. */
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
          "the URL redirects, and Findable does not send credentials to the target. Connect with the target URL",
          status
        )
      if (status < 200 || status >= 300) {
        const problem = Option.flatMap(json, problemOf)
        const said = Option.match(problem, {
          onNone: () => `status ${status}`,
          onSome: ({ code, message }) => `${message.slice(0, longest)} (${code.slice(0, 100)})`
        })
        // A known user gets 403 instead; the message of a 401 is equal with and without a password.
        const why = status === 401 ? `WordPress rejects the username or application password: ${said}` : said
        const isRefusal = status >= 400 && status < 500 && Option.isSome(problem)
        return failed(why, status, status === 408 || status === 429 || status >= 500, isRefusal)
      }
      return Effect.mapBoth(Effect.flatMap(json, Schema.decodeUnknown(of)), {
        onFailure: () => failed("the response is not from WordPress. Check the URL of the WordPress site", status),
        onSuccess: (value) => ({ ...answer, value })
      })
    })

  /** The post, and the URL that answers. */
  const read = Effect.map(answerOf(Post, found("GET", "context=edit")), ({ address, value }) => ({
    address,
    post: value
  }))

  /** Keys of writable meta fields; undefined if the response does not list them. */
  const allowed = Effect.flatMap(answerOf(Options, found("OPTIONS")), ({ headers, value }) => {
    const allow = headerOf(headers, "allow")
    if (allow !== null && !/\b(POST|PUT|PATCH)\b/i.test(allow))
      return Effect.fail(failed("the user has no permission to edit this post", 403))
    const keys = value.schema?.properties?.meta?.properties
    return Effect.succeed(keys === undefined ? undefined : Object.keys(keys))
  })

  /** Writes values at the URL of the read post; returns WordPress's new post. */
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

/** A side of a changed value: before or after the change. */
type Side = "after" | "before"

const entities: Readonly<Record<string, string>> = { "&amp;": "&", "&gt;": ">", "&lt;": "<" }

/**
 * A value as a page shows it. WordPress trims titles, and stores `&`, `<` and `>` of a title as entities if the user may not write arbitrary HTML
 * (`wp_kses`). Meta fields are stored unchanged.
 */
export const shownOf = (name: string, value: string): string =>
  name === "title" ? value.replace(/&(?:amp|gt|lt);/g, (entity) => entities[entity] ?? entity).trim() : value

/** Whether WordPress treats two values of a field as equal; undefined is a value that is no text. */
const isSame = (name: string, one: string | undefined, other: string | undefined): boolean =>
  one === undefined || other === undefined ? one === other : shownOf(name, one) === shownOf(name, other)

/** The field of a post with a foreign value (neither side of the change nor WordPress's form of ours), as a sentence; undefined without one. */
export const unlikeOf = (
  { fields, stored }: Pick<WordPressState, "fields" | "stored">,
  post: Post,
  sides: ReadonlyArray<Side>
): string | undefined => {
  const unlike = fields.find((field) => {
    const value = valueOf(post, field.name)
    const ours = stored.filter(({ name }) => name === field.name).map(({ value }) => value)
    const known = [...sides.map((side) => field[side]), ...ours]
    return !known.some((text) => isSame(field.name, text, value))
  })
  return unlike === undefined ? undefined : `Somebody changed ${unlike.name} since`
}

/** The fields of a post with another value than the side's. */
export const otherThan = (fields: ReadonlyArray<ChangedField>, post: Post, side: Side): ReadonlyArray<ChangedField> =>
  fields.filter((field) => !isSame(field.name, valueOf(post, field.name), field[side]))

/** Platform adapter: the program of the process that reads public pages, next to this file. */

const maxPageBytes = 4_194_304
const hopsAtMost = 3

const script = new URL("child/main.ts", import.meta.url)

/** Maximum bytes for reading a page: three times the need of the costliest pages. */
const memory = 512 * 2 ** 20

/** Reads a page in a separate process, so a hostile page harms only that process. */
const read = Effect.fnUntraced(function* (page: typeof Shown.Question.Type) {
  const environment = { ...shortLived, ...(yield* Child.inherited([])) }
  const ask = yield* Questions.make(
    { answer: Shown.Answer, question: Shown.Question },
    { deadline: "5 minutes", environment, memory, script }
  )
  return yield* ask(page)
}, Effect.scoped)

/** Why the public page lacks one of these values; undefined when it shows all. The request has no credentials. */
export const lacks = (link: string, values: ReadonlyArray<string>) => {
  const visit = (url: URL, hops: number): Effect.Effect<string | undefined, never, Outbound> =>
    Effect.gen(function* () {
      const outbound = yield* Outbound
      const agent = yield* Effect.orDie(CrawlerUrl)
      const answer = yield* outbound
        .exchange({
          deadline: "20 seconds",
          decode: true,
          headers: { accept: "text/html,application/xhtml+xml", "user-agent": userAgent(agent) },
          keepBytes: maxPageBytes,
          maxBytes: maxPageBytes,
          method: "GET",
          url
        })
        .pipe(Effect.either)
      if (answer._tag === "Left") return `the page could not be read: ${answer.left.message}`
      const { body, headers, status } = answer.right
      const location = headerOf(headers, "location")
      const next = isRedirect(status) && location !== null ? URL.parse(headerReference(location), url.href) : null
      if (next !== null) {
        return hops < hopsAtMost && bareHost(next.host) === bareHost(url.host)
          ? yield* visit(next, hops + 1)
          : "the page redirects"
      }
      if (status !== 200) return `the page answers ${status}`
      if (!contentType(headers, body).isHtml) return "the page is not HTML"
      const shown = yield* Effect.option(read({ body, headers, url: url.href, values }))
      if (shown._tag === "None") return "the page is too large"
      const { missing } = shown.value
      return missing === null
        ? undefined
        : `the page does not show "${missing.slice(0, 100)}" in title, metas and headings`
    })
  return visit(new URL(link), 0)
}

type Site = Effect.Effect.Success<ReturnType<typeof make>>

/** The caller's error for a failed WordPress request. */
export const refusalOf = ({ isPassing, message, status }: WordPressFailed) => {
  if (isPassing)
    return apiError<"service_unavailable">("service_unavailable", message, { headers: { "retry-after": "30" } })
  return status === 404 ? Invalid.of("post_id", message) : new Conflict({ message })
}

/** The fields of a request, with their paths. */
const wantedBy = ({ meta, title }: NewWordPress) =>
  title !== undefined
    ? [{ after: title, name: "title", place: "title" }]
    : Object.entries(meta ?? {}).map(([name, after]) => ({ after, name, place: `meta.${name}` }))

/** Reads the base of a change, and writes nothing; refuses fields that WordPress does not accept. */
export const plan = Effect.fnUntraced(function* (project: Project, payload: NewWordPress, site: Site) {
  const { meta, post_id, post_type, title } = payload
  if ((meta === undefined) === (title === undefined))
    return yield* Invalid.of("meta", "is required unless title is set")
  const { post } = yield* Effect.mapError(site.read, refusalOf)
  // A site may hide its OPTIONS; reading back proves the write anyway.
  const allowed = yield* site.allowed.pipe(
    Effect.catchIf(
      ({ isPassing, status }) => !isPassing && (status === 404 || status === 405 || status === 501 || status === 200),
      () => Effect.void
    ),
    Effect.mapError(refusalOf)
  )
  if (post.status !== undefined && post.status !== "publish")
    return yield* new Conflict({
      message: `The post is not published (status ${post.status.slice(0, 50)}). Publish it first`
    })
  const link = onSite(project, post.link)
  if (Option.isNone(link) || post.link.length > 2048)
    return yield* new Conflict({ message: `The post is not on ${project.host}: its URL belongs to another site` })
  const fields: Array<WordPressState["fields"][number]> = []
  for (const { after, name, place } of wantedBy(payload)) {
    if (name !== "title" && allowed !== undefined && !allowed.includes(name))
      return yield* Invalid.of(
        place,
        `is not registered for ${post_type}, so WordPress would not save it. Nothing was written. Register the field in WordPress first`
      )
    const before = valueOf(post, name)
    if (before === undefined) return yield* Invalid.of(place, "is not a text in WordPress")
    if (isSame(name, before, after)) return yield* Invalid.of(place, "equals the current value")
    fields.push({ after, before, name })
  }
  return { fields, link: link.value.href, post_id, post_type, stored: [] } satisfies WordPressState
})

/** Default summary of a change. */
export const summaryOf = ({ fields, post_id, post_type }: WordPressState): string =>
  `Sets ${fields.map(({ name }) => name).join(", ")} of ${post_type} ${post_id}`.slice(0, 500)
