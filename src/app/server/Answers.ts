import { promisify } from "node:util"
import { brotliCompress, constants, gzip } from "node:zlib"
import * as HttpBody from "@effect/platform/HttpBody"
import type * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { accepted, BodyValues } from "../../foundation/http/Contract.ts"
import { sha256 } from "../../foundation/http/Digest.ts"
import type { CurrentRequest } from "../../foundation/http/Request.ts"
import type { Steps } from "../../foundation/schema/Steps.ts"
import { docsPath } from "./Docs.ts"
import { CorsOrigins } from "./Settings.ts"

/** The reference runs only its own script and style, sends requests only to this server, and no other site may frame it. */
const docsPolicy = [
  "default-src 'none'",
  // The reference highlights examples by WebAssembly; without it the page stays empty.
  "script-src 'unsafe-inline' 'wasm-unsafe-eval'",
  "style-src 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "font-src data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'"
].join("; ")

/** Everything else is data, which can do nothing even when shown as a page. */
const dataPolicy = "default-src 'none'; frame-ancestors 'none'"

/** Whether a route returns the same to every caller. */
export const isPublic = (route: string | undefined) =>
  route !== undefined && !/^\/api\/v1\/(?!openapi\.json$)/.test(route)

const keyed = ["Authorization", "X-API-Key"]

/** Cache of `Vary` values by their parts. Parts never come from callers, so the cache stays small. */
const joined = new Map<string, string>()

/** One `Vary` from several, each name once. */
const vary = (...values: ReadonlyArray<string | undefined>): string => {
  const parts = values.filter((value) => value !== undefined).join(",")
  const known = joined.get(parts)
  if (known !== undefined) return known
  const names = parts.split(",").flatMap((name) => name.trim() || [])
  const made = [...new Set(names)].join(", ")
  joined.set(parts, made)
  return made
}

/** Caching: a caller may store a keyed response with an ETag, and must revalidate it each time; other keyed responses are not stored. */
const caching = (
  route: string | undefined,
  collected: string | undefined,
  headers: Readonly<Record<string, string>>
) => {
  // `Vary` keeps the stored response of one key from another key.
  if (!isPublic(route) && headers.etag !== undefined) {
    return { "cache-control": "private, no-cache", vary: vary(collected, headers.vary, ...keyed) }
  }
  const names = vary(collected, headers.vary)
  const control = { "cache-control": isPublic(route) ? "no-cache" : "no-store" }
  return names === "" ? control : { ...control, vary: names }
}

/** Adds the headers of every response: from its route and from the request, unless the response sets them. */
export const withAnswerHeaders = (
  response: HttpServerResponse.HttpServerResponse,
  { headers, id, route }: CurrentRequest["Type"]
): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.setHeaders(response, {
    ...headers,
    ...response.headers,
    ...caching(route, headers.vary, response.headers),
    "content-security-policy":
      route === docsPath ? docsPolicy : (response.headers["content-security-policy"] ?? dataPolicy),
    "x-content-type-options": "nosniff",
    "x-request-id": id
  })

/** Request headers that a page may send beside the safelisted ones (Fetch standard): all headers of the contract. */
const requestHeaders = "Authorization, Content-Type, Idempotency-Key, If-None-Match, Prefer, X-API-Key"
/** Response headers that a page may read beside the safelisted ones. */
const responseHeaders =
  "Allow, ETag, Link, Location, Preference-Applied, Retry-After, WWW-Authenticate, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, X-Request-Id"

/** Seconds that a browser caches the response to a preflight request. */
const maxAge = "600"

/** Rights of other sites' pages in a browser (Fetch standard, CORS protocol): none, unless their origin is configured. */
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
    /** The response to a preflight request; undefined for other requests and for unknown origins. */
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
    /** Makes the response readable for pages of a known origin. */
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

/** The most values outside of long lists, and in one member of a list: the limit of a usual body. A message about a value may quote all of it. */
const most = Context.get(Context.empty(), BodyValues)

type IsApart = (list: ReadonlyArray<unknown>, path: string) => boolean

/** The number of values, including nested ones, up to the limit; a separate list counts as one. */
const countOf = (value: unknown, path: string, isApart: IsApart): number => {
  if (typeof value !== "object" || value === null || (Array.isArray(value) && isApart(value, path))) return 1
  let count = 1
  for (const [name, member] of Array.isArray(value) ? value.entries() : Object.entries(value)) {
    count += countOf(member, path === "" ? String(name) : `${path}.${name}`, isApart)
    if (count > most) break
  }
  return count
}

/** Why a body with long lists at these paths has too many values elsewhere; undefined for a body within bounds, and without such paths. */
export const problemOf = function* (body: unknown, lists: ReadonlyArray<string>): Steps<string | undefined> {
  if (lists.length === 0) return undefined
  const long: Array<readonly [path: string, list: ReadonlyArray<unknown>]> = []
  const outside = countOf(body, "", (list, path) => lists.includes(path) && long.push([path, list]) > 0)
  if (outside > most) return `contains more than ${most} values outside of ${lists.join(", ")}`
  for (const [path, list] of long) {
    for (const [index, member] of list.entries()) {
      const count = countOf(member, path, () => false)
      if (count > most) return `contains more than ${most} values in ${path}.${index}`
      yield count
    }
  }
  return undefined
}

// Platform adapter: compression of the runtime.

/** Bodies up to this many bytes fit into one packet with their headers, so compression saves nothing. */
const smallest = 1024

const compressors = {
  br: promisify((bytes: Uint8Array, done: (error: Error | null, result: Uint8Array) => void) =>
    // Quality 5 is nearly as fast as gzip and a fifth smaller; the default of 11 takes seconds for a long list.
    brotliCompress(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }, done)
  ),
  gzip: promisify((bytes: Uint8Array, done: (error: Error | null, result: Uint8Array) => void) => gzip(bytes, done))
}

type Coding = keyof typeof compressors

/** The coding of a response: Brotli before gzip if both have equal weight. */
export const codingOf = (header: string | undefined): Coding | undefined => {
  const weights = accepted(header)
  const weightOf = (coding: Coding) => weights.get(coding) ?? weights.get("*") ?? 0
  if (weightOf("br") > 0 && weightOf("br") >= weightOf("gzip")) return "br"
  return weightOf("gzip") > 0 ? "gzip" : undefined
}

/** A weak tag, which identifies the content in any coding. */
const tagOf = (bytes: Uint8Array) => `W/"${sha256(bytes).toString("base64url").slice(0, 22)}"`

/** Whether the caller has the content already; tags are compared weakly (RFC 9110 §13.1.2). */
export const isKnown = (header: string | undefined, tag: string): boolean =>
  (header ?? "")
    .split(",")
    .map((text) => text.trim())
    .some((text) => text === "*" || text.replace(/^W\//, "") === tag.replace(/^W\//, ""))

/** Cache of compressed bodies for all callers: the document and the reference. */
const cache = new Map<string, Promise<Uint8Array>>()
const cacheSize = 8

const compress = (coding: Coding, bytes: Uint8Array, tag: string | undefined): Promise<Uint8Array> => {
  // Private responses change too often for a cache, and small ones are cheap to compress.
  if (tag === undefined || bytes.length < 128 * 1024) return compressors[coding](bytes)
  const name = `${coding} ${tag}`
  const known = cache.get(name)
  if (known !== undefined) return known
  const made = compressors[coding](bytes)
  cache.set(name, made)
  for (const oldest of cache.keys()) if (cache.size > cacheSize) cache.delete(oldest)
  return made
}

/** Adds an ETag to a read, returns 304 if the caller has the content, and compresses large bodies. */
export const represented = (
  request: HttpServerRequest.HttpServerRequest,
  response: HttpServerResponse.HttpServerResponse,
  /** Whether every caller gets the same body. */
  isShared: boolean
): Effect.Effect<HttpServerResponse.HttpServerResponse> => {
  const { body, status } = response
  if (body._tag !== "Uint8Array") return Effect.succeed(response)
  const isRead = status === 200 && (request.method === "GET" || request.method === "HEAD")
  const tag = isRead ? tagOf(body.body) : undefined
  const named = tag === undefined ? {} : { etag: tag }
  if (tag !== undefined && isKnown(request.headers["if-none-match"], tag)) {
    return Effect.succeed(HttpServerResponse.empty({ headers: { ...response.headers, ...named }, status: 304 }))
  }
  if (body.body.length <= smallest || response.headers["content-encoding"] !== undefined) {
    return Effect.succeed(HttpServerResponse.setHeaders(response, named))
  }
  const varied = HttpServerResponse.setHeaders(response, { ...named, vary: "Accept-Encoding" })
  const coding = codingOf(request.headers["accept-encoding"])
  if (coding === undefined) return Effect.succeed(varied)
  return Effect.map(
    Effect.promise(() => compress(coding, body.body, isShared ? tag : undefined)),
    (bytes) =>
      HttpServerResponse.setHeader(
        HttpServerResponse.setBody(varied, HttpBody.uint8Array(bytes, body.contentType)),
        "content-encoding",
        coding
      )
  )
}
