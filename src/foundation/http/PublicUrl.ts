import type * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as Config from "effect/Config"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import { Invalid } from "../schema/DomainError.ts"
import { isWeb } from "../schema/WebAddress.ts"

/** The address of this server behind a proxy; links in answers start with it, its path included. */
export const PublicBase = Config.url("FINDABLE_PUBLIC_URL").pipe(
  Config.validate({
    message: "must be an http or https address without a query, a fragment or a password",
    validation: (url) => isWeb(url) && url.username === "" && url.search === "" && url.hash === ""
  }),
  Config.option,
  Config.withDescription(
    "address that callers use, for links in answers; its path is kept; by default each request's `Host` is used"
  )
)

/** The address of this server as texts name it that are read elsewhere: a variable of their reader, where none is set. */
export const namedBase = Config.map(
  PublicBase,
  Option.match({ onNone: () => "$FINDABLE_URL", onSome: ({ href }) => href.replace(/\/+$/, "") })
)

const invalid = Invalid.of("host", "must be the name or address of this server, with a port if it is not 80")

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
