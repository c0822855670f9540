import type * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Effect from "effect/Effect"
import { CorsOrigins } from "./Settings.ts"

/** Request headers that a page may send beside the safelisted ones (Fetch standard): all that the contract names. */
const requestHeaders = "Authorization, Content-Type, Idempotency-Key, If-None-Match, Prefer, X-API-Key"
/** Response headers that a page may read beside the safelisted ones. */
const responseHeaders =
  "Allow, ETag, Link, Location, Preference-Applied, Retry-After, WWW-Authenticate, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, X-Request-Id"

/** Seconds for which a browser caches the answer to a preflight request. */
const maxAge = "600"

/** What pages of other sites may do in a browser (Fetch standard, CORS protocol): nothing, unless their origin is configured. */
export const make = Effect.map(CorsOrigins, (origins) => {
  const known = new Set(origins)
  const originOf = ({ headers }: HttpServerRequest.HttpServerRequest) =>
    headers.origin !== undefined && known.has(headers.origin) ? headers.origin : undefined
  const allowed = (origin: string) => ({ "access-control-allow-origin": origin })
  const vary = (response: HttpServerResponse.HttpServerResponse) =>
    HttpServerResponse.setHeader(
      response,
      "vary",
      response.headers.vary === undefined ? "Origin" : `${response.headers.vary}, Origin`
    )

  return {
    /** The answer to a preflight request; undefined for other requests and for unknown origins. */
    preflight: (request: HttpServerRequest.HttpServerRequest, methods: ReadonlyArray<string>) => {
      const origin = known.size === 0 || request.method !== "OPTIONS" ? undefined : originOf(request)
      if (origin === undefined) return undefined
      return HttpServerResponse.empty({
        headers: {
          ...allowed(origin),
          "access-control-allow-headers": requestHeaders,
          "access-control-allow-methods": methods.join(", "),
          "access-control-max-age": maxAge
        },
        status: 204
      })
    },
    /** Makes the answer readable for pages of a known origin. */
    shared: (request: HttpServerRequest.HttpServerRequest, response: HttpServerResponse.HttpServerResponse) => {
      if (known.size === 0) return response
      const origin = originOf(request)
      return origin === undefined
        ? vary(response)
        : HttpServerResponse.setHeaders(vary(response), {
            ...allowed(origin),
            "access-control-expose-headers": responseHeaders
          })
    }
  }
})
