import type * as Headers from "@effect/platform/Headers"
import type * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Config from "effect/Config"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { Invalid } from "../schema/DomainError.ts"
import { isWeb } from "../schema/Scalars.ts"
import { type ApiError, apiError } from "./ApiError.ts"

/** The text of another service's response, in UTF-8; fails with `tooLong` as soon as it has more than `longest` bytes. */
export const boundedText = <E, E2>(bytes: Stream.Stream<Uint8Array, E>, longest: number, tooLong: E2) =>
  bytes.pipe(
    Stream.mapAccum(0, (before, part) => [before + part.length, { part, size: before + part.length }]),
    Stream.mapEffect(({ part, size }) => (size > longest ? Effect.fail(tooLong) : Effect.succeed(part))),
    Stream.decodeText(),
    Stream.mkString
  )

/** A file that is being received: its bytes, and their number if the sender announces it. */
export interface FileBody<E> {
  readonly length: number | undefined
  readonly bytes: Stream.Stream<Uint8Array, E>
}

/** Whether a body is a form with files instead of the file itself. */
export const isForm = (headers: Headers.Headers): boolean => /^\s*multipart\//i.test(headers["content-type"] ?? "")

/** The error for a form, because the server does not split forms into parts. */
export const formRefused = apiError(
  "unsupported_media_type",
  "Form uploads (multipart/form-data) are not supported: send the file itself as the body, as `curl --data-binary @file` does"
)

const brokeOff = Invalid.of("body", "ended too early")

/** The file in a request's body, as a stream. A body that announces no bytes has no stream. */
export const fileOf = (request: HttpServerRequest.HttpServerRequest): FileBody<Invalid> => {
  const announced = request.headers["content-length"]
  const length = announced === undefined ? undefined : Number(announced)
  const isEmpty = length === 0 || (length === undefined && request.headers["transfer-encoding"] === undefined)
  return {
    bytes: isEmpty ? Stream.empty : Stream.mapError(request.stream, () => brokeOff),
    length
  }
}

/** A response with a body of encoded JSON in the contract's form, which is not encoded again. */
export const jsonResponse = (
  body: object,
  options: Pick<HttpServerResponse.Options, "headers" | "status"> = {}
): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.text(JSON.stringify(body), { ...options, contentType: "application/json" })

/** The URL of this server behind a proxy. Links in responses start with it, including its path. */
export const PublicBase = Config.url("FINDABLE_PUBLIC_URL").pipe(
  Config.validate({
    message: "must be an http or https URL without a query, a fragment or a password",
    validation: (url) => isWeb(url) && url.username === "" && url.search === "" && url.hash === ""
  }),
  Config.option,
  Config.withDescription(
    "Public URL of this server, with its path, for links in responses and messages. Default: the `Host` of each request"
  )
)

/** The URL of this server for links in other places, such as messages; null without a setting. */
export const namedLink = Config.map(
  PublicBase,
  Option.match({ onNone: () => null, onSome: ({ href }) => href.replace(/\/+$/, "") })
)

/** The URL of this server for texts in other places; without a setting, a variable of the reader's shell. */
export const namedBase = Config.map(namedLink, (link) => link ?? "$FINDABLE_URL")

const invalid = Invalid.of("host", "must name this server: a host name or IP address, with a port unless it is 80")

/** A `Host` (RFC 9112 §3.2): a name, an IPv4 address or an IPv6 address in brackets, and a port. A host that `URL` would change is invalid. */
const hostOf = (header: string | undefined): Either.Either<string, Invalid> => {
  const [, name] = /^([a-z0-9._-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?$/i.exec(header ?? "") ?? []
  return name !== undefined && URL.canParse(`http://${header}/`) ? Either.right(header ?? "") : Either.left(invalid)
}

/** The path where an embedding program serves the API. A public URL has a path already. */
export class Prefix extends Context.Reference<Prefix>()("http/Prefix", { defaultValue: () => "" }) {}

/** URLs and paths from the callers' point of view. */
export class PublicUrl extends Effect.Service<PublicUrl>()("http/PublicUrl", {
  effect: Effect.map(Effect.all([PublicBase, Prefix]), ([base, served]) => {
    const prefix = Option.match(base, { onNone: () => served, onSome: ({ pathname }) => pathname.replace(/\/+$/, "") })
    /** A path of this server with the prefix that callers use. */
    const path = (own: string) => `${prefix}${own}`
    return {
      path,
      /** The absolute URL of a request. Without a public URL the request must name its host. */
      of: (request: HttpServerRequest.HttpServerRequest): Either.Either<URL, Invalid> =>
        Either.map(
          Option.match(base, {
            onNone: () => Either.map(hostOf(request.headers.host), (host) => `http://${host}`),
            onSome: ({ origin }) => Either.right(origin)
          }),
          (origin) => new URL(`${origin}${path(request.url)}`)
        )
    }
  })
}) {
  static absolute(request: HttpServerRequest.HttpServerRequest) {
    return Effect.flatMap(PublicUrl, (publicUrl) => publicUrl.of(request))
  }

  /** The path of a resource for `Location`, with the prefix of `links`. */
  static location(own: string) {
    return Effect.map(PublicUrl, ({ path }) => path(own))
  }
}

/** The current request, for logs, metrics and responses. */
export class CurrentRequest extends Context.Reference<CurrentRequest>()("http/CurrentRequest", {
  defaultValue: (): {
    /** `req_` and 26 characters; empty outside of a request. */
    readonly id: string
    readonly method: string
    /** The pattern of its route; undefined without a matching route. */
    readonly route: string | undefined
    /** Headers for every response, unless the response sets them itself. */
    readonly headers: Record<string, string>
  } => ({ headers: {}, id: "", method: "", route: undefined })
}) {}

/** Fails for query parameters that the endpoint does not know, after the checks of key, limits and scope. */
export class KnownParameters extends Context.Reference<KnownParameters>()("http/KnownParameters", {
  defaultValue: (): Effect.Effect<void, ApiError<"validation_error">> => Effect.void
}) {}

/** Facts about the connections of a listener's requests, by the `source` of a request. */
interface ConnectionsShape {
  /** The IP address of the other end. */
  readonly addressOf: (source: unknown) => string | undefined
  /** Unread bytes of the response in the operating system's buffer; 0 if the system does not tell. */
  readonly backlogOf: (source: unknown) => Effect.Effect<number>
  /** The number of requests without a completely sent response. */
  readonly pending: () => number
}

/** The connections of the product's listener; empty facts when another program's listener serves the API. */
export class Connections extends Context.Reference<Connections>()("http/Connections", {
  defaultValue: (): ConnectionsShape => ({
    addressOf: () => undefined,
    backlogOf: () => Effect.succeed(0),
    pending: () => 0
  })
}) {}

/** Whether this node is stopping. Requests that wait for a change (`Prefer: wait`) then return the current state immediately. */
export class Stopping extends Effect.Service<Stopping>()("http/Stopping", {
  effect: Effect.map(Deferred.make<void>(), (begun) => ({
    begin: Effect.asVoid(Deferred.succeed(begun, undefined)),
    begun: Deferred.await(begun)
  }))
}) {}
