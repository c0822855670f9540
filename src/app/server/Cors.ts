import type * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Effect from "effect/Effect"
import { CorsOrigins } from "./Settings.ts"

/** What a page may send and read beside what every page may (Fetch standard, CORS-safelisted headers): all that the contract names. */
const asked = "Authorization, Content-Type, Idempotency-Key, If-None-Match, Prefer, X-API-Key"
const told =
  "Allow, Deprecation, ETag, Link, Location, Preference-Applied, Retry-After, Sunset, WWW-Authenticate, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, X-Request-Id"

/** Seconds for which a browser keeps the answer to its question. */
const remembered = "600"

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
    /** The answer to a browser that asks whether it may send a request; undefined when this is no such question, or not of a known origin. */
    preflight: (request: HttpServerRequest.HttpServerRequest, methods: ReadonlyArray<string>) => {
      const origin = known.size === 0 || request.method !== "OPTIONS" ? undefined : originOf(request)
      if (origin === undefined) return undefined
      return HttpServerResponse.empty({
        headers: {
          ...allowed(origin),
          "access-control-allow-headers": asked,
          "access-control-allow-methods": methods.join(", "),
          "access-control-max-age": remembered
        },
        status: 204
      })
    },
    /** The answer, readable for pages of a known origin. */
    shared: (request: HttpServerRequest.HttpServerRequest, response: HttpServerResponse.HttpServerResponse) => {
      if (known.size === 0) return response
      const origin = originOf(request)
      return origin === undefined
        ? vary(response)
        : HttpServerResponse.setHeaders(vary(response), {
            ...allowed(origin),
            "access-control-expose-headers": told
          })
    }
  }
})
