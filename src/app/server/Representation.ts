import { promisify } from "node:util"
import { brotliCompress, constants, gzip } from "node:zlib"
import * as HttpBody from "@effect/platform/HttpBody"
import type * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Effect from "effect/Effect"
import { sha256 } from "../../foundation/http/Digest.ts"
import { accepted } from "../../foundation/http/Format.ts"

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

/** The coding of an answer: Brotli before gzip where both are accepted alike. */
export const codingOf = (header: string | undefined): Coding | undefined => {
  const weights = accepted(header)
  const weightOf = (coding: Coding) => weights.get(coding) ?? weights.get("*") ?? 0
  if (weightOf("br") > 0 && weightOf("br") >= weightOf("gzip")) return "br"
  return weightOf("gzip") > 0 ? "gzip" : undefined
}

/** A weak tag: it names the content, whatever its coding. */
const tagOf = (bytes: Uint8Array) => `W/"${sha256(bytes).toString("base64url").slice(0, 22)}"`

/** Whether the caller has the content already; tags are compared weakly (RFC 9110 §13.1.2). */
export const isKnown = (header: string | undefined, tag: string): boolean =>
  (header ?? "")
    .split(",")
    .map((text) => text.trim())
    .some((text) => text === "*" || text.replace(/^W\//, "") === tag.replace(/^W\//, ""))

/** Cache of compressed bodies that are the same for every caller: the document and the reference. */
const cache = new Map<string, Promise<Uint8Array>>()
const cacheSize = 8

const compress = (coding: Coding, bytes: Uint8Array, tag: string | undefined): Promise<Uint8Array> => {
  // Private answers change too often to be worth caching, and small ones cost little.
  if (tag === undefined || bytes.length < 128 * 1024) return compressors[coding](bytes)
  const name = `${coding} ${tag}`
  const known = cache.get(name)
  if (known !== undefined) return known
  const made = compressors[coding](bytes)
  cache.set(name, made)
  for (const oldest of cache.keys()) if (cache.size > cacheSize) cache.delete(oldest)
  return made
}

/** Adds an ETag to a read, answers 304 where the caller has it already, and compresses bodies that are worth it. */
export const represented = (
  request: HttpServerRequest.HttpServerRequest,
  response: HttpServerResponse.HttpServerResponse,
  /** Every caller gets the same. */
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
