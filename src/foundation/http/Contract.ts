import * as HttpApi from "@effect/platform/HttpApi"
import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import type * as HttpApiMiddleware from "@effect/platform/HttpApiMiddleware"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as OpenApi from "@effect/platform/OpenApi"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { field, isUuid } from "../schema/Scalars.ts"
import { failure } from "./ApiError.ts"
import { CurrentRequest } from "./Request.ts"

/** The API without groups: its name, and the errors of every request. A room needs only this and its group to build handlers. */
export const apiRoot = HttpApi.make("findable")
  .addError(failure("internal_error"))
  .addError(failure("service_unavailable"))

/** Summary and description of an endpoint in the reference. Scope, limits and errors are added from the contract. */
export const described = (summary: string, description: string) => OpenApi.annotations({ description, summary })

/** Description of a group of endpoints. */
export const about = (description: string) => OpenApi.annotations({ description })

/** The most bytes of a request's body, as an annotation of an endpoint; 256 KiB by default. */
export class BodyLimit extends Context.Reference<BodyLimit>()("http/BodyLimit", { defaultValue: () => 256 * 1024 }) {}

/** The most values in a request's body, including nested ones; 1,000 by default. */
export class BodyValues extends Context.Reference<BodyValues>()("http/BodyValues", { defaultValue: () => 1000 }) {}

/**
 * Paths of the lists in a request's body that may be long, such as `design.exclude`. The rest of the body, and each member of these lists, has 1,000 values at
 * most. Empty by default.
 */
export class BodyLists extends Context.Reference<BodyLists>()("http/BodyLists", {
  defaultValue: (): ReadonlyArray<string> => []
}) {}

/** The most bytes of one text in a request's body, including escapes; 32 KiB by default. */
export class BodyText extends Context.Reference<BodyText>()("http/BodyText", { defaultValue: () => 32_768 }) {}

/** The deepest nesting of arrays and objects in a request's body; 20 by default. The contract uses four. */
export class BodyDepth extends Context.Reference<BodyDepth>()("http/BodyDepth", { defaultValue: () => 20 }) {}

/** The most fields of one object in a request's body; 100 by default. */
export class BodyFields extends Context.Reference<BodyFields>()("http/BodyFields", { defaultValue: () => 100 }) {}

/** Marks an endpoint that takes a file of any type, read as it arrives; the text describes the file. */
export class FileBody extends Context.Tag("http/FileBody")<FileBody, string>() {}

/** Other paths of an endpoint, which work alike and are not documented. */
export class AlsoAt extends Context.Reference<AlsoAt>()("http/AlsoAt", {
  defaultValue: (): ReadonlyArray<string> => []
}) {}

/** The format of a list: a page as JSON, or the whole list as CSV or NDJSON. */
export type Format = "application/json" | "text/csv" | "application/x-ndjson"

/** A caller that accepts no format of ours gets JSON too (RFC 9110 §12.5.1). */
const usual: Format = "application/json"
const exports: ReadonlyArray<Format> = ["text/csv", "application/x-ndjson"]

/** The format with the greatest weight; JSON wins ties. */
export const formatOf = (header: string | undefined): Format => {
  if (header === undefined) return usual
  const weights = accepted(header)
  const weightOf = (format: Format) =>
    weights.get(format) ?? weights.get(format.replace(/\/.*/, "/*")) ?? weights.get("*/*") ?? 0
  return exports.reduce((best, format) => (weightOf(format) > weightOf(best) ? format : best), usual)
}

/** The requested format. The response varies by `Accept`. */
export const negotiated = Effect.map(Effect.context<HttpServerRequest.HttpServerRequest>(), (context) => {
  Context.get(context, CurrentRequest).headers.vary = "Accept"
  return formatOf(Context.get(context, HttpServerRequest.HttpServerRequest).headers.accept)
})

/** Marks a list that is also available as a whole in CSV and NDJSON. */
export class Exportable extends Context.Tag("http/Exportable")<Exportable, true>() {}

/** The mark `Exportable`, for a contract. */
const exportable = Context.make(Exportable, true)

const nothing: ReadonlyMap<string, number> = new Map()

/** The values of an `Accept` header with their weights (RFC 9110 §12.4.2), without other parameters. */
export const accepted = (header: string | undefined): ReadonlyMap<string, number> =>
  header === undefined
    ? nothing
    : new Map(
        header.split(",").map((part) => {
          const [name = "", ...parameters] = part.split(";").map((text) => text.trim().toLowerCase())
          const weight = parameters.find((text) => text.startsWith("q="))?.slice(2)
          return [name, weight === undefined ? 1 : Number(weight)] as const
        })
      )

/** Replaces a malformed id in a path. No row has this id, so the request ends with 404. */
const nil = "00000000-0000-0000-0000-000000000000"

/** An id in a path. A malformed id ends with 404, after all checks before ownership. */
export const inPath = <A extends string>(id: Schema.Schema<A, string>) =>
  Schema.transform(Schema.String, Schema.typeSchema(id), {
    strict: false,
    decode: (text) => (isUuid(text) ? text.toLowerCase() : nil),
    encode: (text) => text
  })

declare const sent: unique symbol

/** The type that a caller writes, before defaults are filled in: a phantom type that typed clients read. */
export interface Sent<I> {
  readonly [sent]?: I
}

/** Reports every invalid field, not only the first. */
export function input<A, I, R>(schema: Schema.Schema<A, I, R>): Schema.Schema<A & Sent<I>, I, R>
export function input(schema: Schema.Schema.All): unknown {
  return schema.annotations({ parseOptions: { errors: "all" } })
}

/** A request body: every invalid field is reported, and unknown fields are invalid. */
export function body<A, I, R>(schema: Schema.Schema<A, I, R>): Schema.Schema<A & Sent<I>, I, R>
export function body(schema: Schema.Schema.All): unknown {
  return schema.annotations({ parseOptions: { errors: "all", onExcessProperty: "error" } })
}

/** A success body: the payload under `data`. */
export const Data = <A, I, R>(schema: Schema.Schema<A, I, R>) =>
  Schema.Struct({ data: field(schema, "The requested, created or changed object") })

/** Names a request, which can then be sent again safely. Keys are kept per account and do not expire. */
const IdempotencyKey = Schema.String.pipe(
  Schema.filter((key) => /^[\x20-\x7e]{8,200}$/.test(key), {
    message: () => "must be 8 to 200 printable ASCII characters"
  }),
  Schema.annotations({
    description:
      "Makes a retry of this request safe: 8 to 200 printable ASCII characters, unique in the account, never expires. Empty counts as absent",
    jsonSchema: { maxLength: 200, minLength: 8, pattern: "^[\\x20-\\x7e]+$" }
  })
)

/** The header of every request that creates something. */
export const IdempotencyHeaders = Schema.Struct({
  "idempotency-key": Schema.optionalWith(IdempotencyKey, { exact: true })
}).annotations({ parseOptions: { errors: "all" } })

/** Why a creation returned an earlier thing. */
const CreationMeta = Schema.Struct({
  existing: Schema.optionalWith(Schema.Literal(true), { exact: true }).annotations({
    description: "Already exists: this is the existing one"
  }),
  idempotent_replay: Schema.optionalWith(Schema.Literal(true), { exact: true }).annotations({
    description: "The `Idempotency-Key` was used before: this is the result of the first request"
  })
}).annotations({ identifier: "CreationMeta", description: "Why nothing new was created" })

/** The response to a creation: 201 with the new thing, or 200 with the earlier one. */
export const Created = <A, I, R>(schema: Schema.Schema<A, I, R>) =>
  Schema.Struct({
    data: field(schema, "The new object, or the existing one"),
    meta: Schema.optionalWith(CreationMeta, { exact: true }).annotations({
      description: "Why nothing new was created; absent when something was"
    })
  })

/** Page sizes of all lists. */
export const limits = { default: 20, maximum: 100 } as const

/** Records per page: an integer from 1 to 100, 20 by default. */
const Limit = Schema.String.pipe(
  Schema.filter((text) => /^\d{1,3}$/.test(text) && Number(text) >= 1 && Number(text) <= limits.maximum, {
    message: () => `must be an integer from 1 to ${limits.maximum}`
  }),
  Schema.transform(Schema.Number, { strict: true, decode: Number, encode: String }),
  Schema.annotations({ jsonSchema: { type: "integer", minimum: 1, maximum: limits.maximum, default: limits.default } })
)

/** The query parameters that every list takes. */
export const PageParameters = {
  limit: Schema.optionalWith(Limit, { default: () => limits.default, exact: true }).annotations({
    description: "Records per page, 1 to 100"
  }),
  cursor: Schema.optionalWith(Schema.String, {
    exact: true
  }).annotations({ description: "`meta.next_cursor` of the previous page; leave it out for the first page" })
}

/** Page metadata: `next_cursor` is present exactly when `has_next` is true. */
export const PageMeta = Schema.Struct({
  per_page: Schema.Int.annotations({ description: "Maximum records per page, from `limit`" }),
  has_next: Schema.Boolean.annotations({ description: "Whether another page follows" }),
  total_in_batch: Schema.Int.annotations({ description: "Records on this page" }),
  next_cursor: Schema.optional(Schema.String).annotations({
    description: "`cursor` for the next page; absent on the last page"
  })
}).annotations({ identifier: "PageMeta", description: "Position of this page in the list" })

/** Absolute URLs of this page and of the next one, if any. */
export const PageLinks = Schema.Struct({
  self: Schema.String.annotations({ description: "URL of this page" }),
  next: Schema.optional(Schema.String).annotations({ description: "URL of the next page; absent on the last page" })
}).annotations({ identifier: "PageLinks", description: "Absolute URLs of this page and the next one one" })

/** A page of records. */
export const Page = <A, I, R>(schema: Schema.Schema<A, I, R>) =>
  Schema.Struct({
    data: Schema.Array(schema).annotations({ description: "Records of this page, in list order" }),
    meta: field(PageMeta, "Position of this page in the list"),
    links: field(PageLinks, "URLs of this page and the next one")
  })

/** A page of a list with a known length. */
export const CountedPage = <A, I, R>(schema: Schema.Schema<A, I, R>) =>
  Schema.Struct({
    ...Page(schema).fields,
    meta: field(
      Schema.Struct({
        ...PageMeta.fields,
        total: Schema.Int.annotations({ description: "Records on all pages" })
      }).annotations({
        identifier: "CountedPageMeta",
        description: "Position of this page in the list, and the length of the list"
      }),
      "Position of this page in the list, and the length of the list"
    )
  })

// Endpoints of the kinds that resources have. Add further parts to an endpoint by `.addError(…)` and `.setUrlParams(…)`.

type Scope = HttpApiMiddleware.HttpApiMiddleware.AnyId
type Path = HttpApiEndpoint.PathSegment
type Ids<P extends Schema.Schema.Any> = P & HttpApiEndpoint.HttpApiEndpoint.ValidatePath<P>

/** The texts of an endpoint in the reference, and the scope that its key needs. The check of the scope includes key and limits. */
interface Parts<M extends Scope, S> {
  readonly summary: string
  readonly description: string
  readonly scope: Context.Tag<M, S>
}

interface Answering<M extends Scope, S, A, I> extends Parts<M, S> {
  /** The schema of the thing. */
  readonly of: Schema.Schema<A, I>
}

/** The ids of its path. When the caller does not own the named things, the response is `not_found`. */
interface Owned<P extends Schema.Schema.Any> {
  readonly ids: Ids<P>
}

/** GET of the caller's things, by pages. */
export const list = <const N extends string, M extends Scope, S, A, I>(
  name: N,
  path: Path,
  { description, of, scope, summary }: Answering<M, S, A, I>
) =>
  HttpApiEndpoint.get(name, path)
    .annotateContext(described(summary, description))
    .setUrlParams(input(Schema.Struct(PageParameters)))
    .addSuccess(Page(of))
    .addError(failure("validation_error", "invalid_cursor"))
    .middleware(scope)

/** GET of the caller's things, by pages, or as a whole in CSV or NDJSON. A page may have more `meta`; the list's owner may be missing. */
export const exportableList = <const N extends string, M extends Scope, S, A, I>(
  name: N,
  path: Path,
  { description, page, scope, summary }: Parts<M, S> & { readonly page: Schema.Schema<A, I> }
) =>
  HttpApiEndpoint.get(name, path)
    .annotateContext(described(summary, description))
    .annotateContext(exportable)
    .setUrlParams(input(Schema.Struct(PageParameters)))
    .addSuccess(page)
    .addError(failure("validation_error", "invalid_cursor"))
    .addError(failure("not_found"))
    .addError(failure("quota_exceeded"))
    .middleware(scope)

/** GET of one thing of the caller. */
export const read = <const N extends string, M extends Scope, S, A, I, P extends Schema.Schema.Any>(
  name: N,
  path: Path,
  { description, ids, of, scope, summary }: Answering<M, S, A, I> & Owned<P>
) =>
  HttpApiEndpoint.get(name, path)
    .annotateContext(described(summary, description))
    .setPath<P>(ids)
    .addSuccess(Data(of))
    .addError(failure("not_found"))
    .middleware(scope)

/** POST of a new thing: 201, or 200 with the earlier one. Repeated requests with one Idempotency-Key create one thing. */
export const create = <const N extends string, M extends Scope, S, A, I, B, J>(
  name: N,
  path: Path,
  { description, of, payload, scope, summary }: Answering<M, S, A, I> & { readonly payload: Schema.Schema<B, J> }
) =>
  HttpApiEndpoint.post(name, path)
    .annotateContext(described(summary, description))
    .setHeaders(IdempotencyHeaders)
    .setPayload(body(payload))
    .addSuccess(Created(of), { status: 201 })
    .addSuccess(Created(of))
    .addError(failure("validation_error"))
    .addError(failure("not_found"))
    .addError(failure("idempotency_conflict"))
    .middleware(scope)

/** POST of a file that is imported in the background: 202, or 200 with the earlier import. `file` describes the file. */
export const receive = <const N extends string, M extends Scope, S, A, I>(
  name: N,
  path: Path,
  { description, file, of, scope, summary }: Answering<M, S, A, I> & { readonly file: string }
) =>
  HttpApiEndpoint.post(name, path)
    .annotateContext(Context.make(FileBody, file))
    .annotateContext(described(summary, description))
    .setHeaders(IdempotencyHeaders)
    .addSuccess(Created(of), { status: 202 })
    .addSuccess(Created(of))
    .addError(failure("validation_error"))
    .addError(failure("not_found"))
    .addError(failure("conflict", "idempotency_conflict"))
    .addError(failure("payload_too_large"))
    .addError(failure("unsupported_media_type"))
    .addError(failure("quota_exceeded"))
    .middleware(scope)

/** PATCH of one thing of the caller; other fields stay unchanged. */
export const change = <const N extends string, M extends Scope, S, A, I, P extends Schema.Schema.Any, B, J>(
  name: N,
  path: Path,
  {
    description,
    ids,
    of,
    payload,
    scope,
    summary
  }: Answering<M, S, A, I> & Owned<P> & { readonly payload: Schema.Schema<B, J> }
) =>
  HttpApiEndpoint.patch(name, path)
    .annotateContext(described(summary, description))
    .setPath<P>(ids)
    .setPayload(body(payload))
    .addSuccess(Data(of))
    .addError(failure("validation_error"))
    .addError(failure("not_found"))
    .middleware(scope)

/** DELETE of one thing of the caller: 204. */
export const remove = <const N extends string, M extends Scope, S, P extends Schema.Schema.Any>(
  name: N,
  path: Path,
  { description, ids, scope, summary }: Parts<M, S> & Owned<P>
) =>
  HttpApiEndpoint.del(name, path)
    .annotateContext(described(summary, description))
    .setPath<P>(ids)
    .addError(failure("not_found"))
    .middleware(scope)
