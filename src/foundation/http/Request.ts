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

/** The text of an answer of another service, in UTF-8; fails with `tooLong` as soon as it has more than `longest` bytes. */
export const boundedText = <E, E2>(bytes: Stream.Stream<Uint8Array, E>, longest: number, tooLong: E2) =>
  bytes.pipe(
    Stream.mapAccum(0, (before, part) => [before + part.length, { part, size: before + part.length }]),
    Stream.mapEffect(({ part, size }) => (size > longest ? Effect.fail(tooLong) : Effect.succeed(part))),
    Stream.decodeText(),
    Stream.mkString
  )

/** A file on its way in: its bytes, and how many there will be, where the sender says so. */
export interface FileBody<E> {
  readonly length: number | undefined
  readonly bytes: Stream.Stream<Uint8Array, E>
}

/** Whether a body is a form with files in it, in place of the thing itself. */
export const isForm = (headers: Headers.Headers): boolean => /^\s*multipart\//i.test(headers["content-type"] ?? "")

/** The answer to a form: nothing takes its parts apart. */
export const formRefused = apiError(
  "unsupported_media_type",
  "Form uploads (multipart/form-data) are not supported: send the file itself as the body, as `curl --data-binary @file` does"
)

const brokeOff = Invalid.of("body", "ended too early")

/** The file in a request's body, as it arrives. A body that announces no bytes has no stream. */
export const fileOf = (request: HttpServerRequest.HttpServerRequest): FileBody<Invalid> => {
  const announced = request.headers["content-length"]
  const length = announced === undefined ? undefined : Number(announced)
  const isEmpty = length === 0 || (length === undefined && request.headers["transfer-encoding"] === undefined)
  return {
    bytes: isEmpty ? Stream.empty : Stream.mapError(request.stream, () => brokeOff),
    length
  }
}

/** A response with a body that is JSON already, in the form of the contract: it is written without being encoded again. */
export const jsonResponse = (
  body: object,
  options: Pick<HttpServerResponse.Options, "headers" | "status"> = {}
): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.text(JSON.stringify(body), { ...options, contentType: "application/json" })

/** The address of this server behind a proxy; links in answers start with it, its path included. */
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

/** The address of this server for links that are followed elsewhere; null where none is set. */
export const namedLink = Config.map(
  PublicBase,
  Option.match({ onNone: () => null, onSome: ({ href }) => href.replace(/\/+$/, "") })
)

/** The address of this server as texts name it that are read elsewhere: a variable of their reader, where none is set. */
export const namedBase = Config.map(namedLink, (link) => link ?? "$FINDABLE_URL")

const invalid = Invalid.of("host", "must name this server: a host name or IP address, with a port unless it is 80")

/** A `Host` (RFC 9112 §3.2): a name, an IPv4 address or an IPv6 address in brackets, and a port. One that `URL` would change is invalid. */
const hostOf = (header: string | undefined): Either.Either<string, Invalid> => {
  const [, name] = /^([a-z0-9._-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?$/i.exec(header ?? "") ?? []
  return name !== undefined && URL.canParse(`http://${header}/`) ? Either.right(header ?? "") : Either.left(invalid)
}

/** Path under which an embedding program serves the API; a public address has its own path. */
export class Prefix extends Context.Reference<Prefix>()("http/Prefix", { defaultValue: () => "" }) {}

/** URLs and paths as callers see them. */
export class PublicUrl extends Effect.Service<PublicUrl>()("http/PublicUrl", {
  effect: Effect.map(Effect.all([PublicBase, Prefix]), ([base, served]) => {
    const prefix = Option.match(base, { onNone: () => served, onSome: ({ pathname }) => pathname.replace(/\/+$/, "") })
    /** A path of this server with the prefix that callers use. */
    const path = (own: string) => `${prefix}${own}`
    return {
      path,
      /** The absolute URL of a request. Without a public address the request must name its host. */
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

  /** The path of a resource for `Location`, under the same prefix as `links`. */
  static location(own: string) {
    return Effect.map(PublicUrl, ({ path }) => path(own))
  }
}

/** The request that is being served: logs, metrics and answers read it. */
export class CurrentRequest extends Context.Reference<CurrentRequest>()("http/CurrentRequest", {
  defaultValue: (): {
    /** `req_` and 26 characters; empty outside of a request. */
    readonly id: string
    readonly method: string
    /** The pattern of its route; undefined where no route matches. */
    readonly route: string | undefined
    /** Headers for its answer, whatever the answer is, unless it has its own. */
    readonly headers: Record<string, string>
  } => ({ headers: {}, id: "", method: "", route: undefined })
}) {}

/** Fails where the request has query parameters that its endpoint does not know. Key, limits and scope are checked before. */
export class KnownParameters extends Context.Reference<KnownParameters>()("http/KnownParameters", {
  defaultValue: (): Effect.Effect<void, ApiError<"validation_error">> => Effect.void
}) {}

/** What a listener knows of the connections of its requests, by the `source` of a request. */
interface ConnectionsShape {
  /** The address of the other end. */
  readonly addressOf: (source: unknown) => string | undefined
  /** Bytes of the response that the operating system holds because the reader has not taken them; 0 where the system does not say. */
  readonly backlogOf: (source: unknown) => Effect.Effect<number>
  /** The number of requests whose response is not sent to its last byte. */
  readonly pending: () => number
}

/** The connections of the product's listener; nothing is known of them where another program's listener serves the API. */
export class Connections extends Context.Reference<Connections>()("http/Connections", {
  defaultValue: (): ConnectionsShape => ({
    addressOf: () => undefined,
    backlogOf: () => Effect.succeed(0),
    pending: () => 0
  })
}) {}

/** Whether this node is stopping. Requests that wait for a change (`Prefer: wait`) then answer at once with the current state. */
export class Stopping extends Effect.Service<Stopping>()("http/Stopping", {
  effect: Effect.map(Deferred.make<void>(), (begun) => ({
    begin: Effect.asVoid(Deferred.succeed(begun, undefined)),
    begun: Deferred.await(begun)
  }))
}) {}
