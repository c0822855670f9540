import type * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"

/** Where callers reach this server from outside, when it stands behind a proxy; links in answers start with it. */
export const PublicBase = Config.option(Config.url("FINDABLE_PUBLIC_URL")).pipe(
  Config.withDescription("address that callers use, for links in answers; without it the request's own")
)

/** Addresses as the caller sees them. */
export class PublicUrl extends Effect.Service<PublicUrl>()("http/PublicUrl", {
  effect: Effect.map(PublicBase, (base) => ({
    /** The absolute URL of a request. */
    of: (request: HttpServerRequest.HttpServerRequest) => {
      const url = new URL(request.originalUrl)
      return Option.match(base, {
        onNone: () => url,
        onSome: (base) => new URL(`${url.pathname}${url.search}`, base)
      })
    }
  }))
}) {
  static absolute(request: HttpServerRequest.HttpServerRequest) {
    return Effect.map(PublicUrl, (publicUrl) => publicUrl.of(request))
  }
}
