import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import type * as HttpApiMiddleware from "@effect/platform/HttpApiMiddleware"
import type * as Context from "effect/Context"
import * as Schema from "effect/Schema"
import { failure } from "./ApiError.ts"
import { described } from "./Contract.ts"
import { exportable } from "./Format.ts"
import { Created, IdempotencyHeaders } from "./IdempotencyKey.ts"
import { Page, PageParameters } from "./Pagination.ts"
import { body, Data, input } from "./RequestSchemas.ts"

// Endpoints of the kinds that resources have. What else an endpoint has is added to it: `.addError(…)`, `.setUrlParams(…)`.

type Scope = HttpApiMiddleware.HttpApiMiddleware.AnyId
type Path = HttpApiEndpoint.PathSegment
type Ids<P extends Schema.Schema.Any> = P & HttpApiEndpoint.HttpApiEndpoint.ValidatePath<P>

/** The words of an endpoint in the reference, and the scope that it asks of a key: key and limits are checked with it. */
interface Parts<M extends Scope, S> {
  readonly summary: string
  readonly description: string
  readonly scope: Context.Tag<M, S>
}

interface Answering<M extends Scope, S, A, I> extends Parts<M, S> {
  /** The schema of the thing. */
  readonly of: Schema.Schema<A, I>
}

/** The ids of its path: the caller owns what they name, or the answer is `not_found`. */
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

/** The same of a list that is also answered whole, as CSV or NDJSON; its page may have more `meta`. What the list is of may be missing. */
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

/** POST of a new thing: 201, or 200 with the earlier one. A repeated request with the same Idempotency-Key creates one thing. */
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

/** PATCH of one thing of the caller: fields that are not sent stay as they are. */
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
