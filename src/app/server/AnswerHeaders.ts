import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import type { CurrentRequest } from "../../foundation/http/ServerContext.ts"
import { docsPath } from "./Docs.ts"

/** The reference runs only the script and style that are part of it, sends requests to this server alone, and no other site may frame it. */
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

/** Everything else is data: shown as a page, it could do nothing. */
const dataPolicy = "default-src 'none'; frame-ancestors 'none'"

/** Whether every caller gets the same from a route. */
export const isPublic = (route: string | undefined) =>
  route !== undefined && !/^\/api\/v1\/(?!openapi\.json$)/.test(route)

const keyed = ["Authorization", "X-API-Key"]

/** Cache of `Vary` values by their parts. Parts never come from callers, so there is only a handful. */
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

/** Caching: the caller may store a keyed answer that has an ETag and revalidates it each time; other keyed answers are not stored. */
const caching = (
  route: string | undefined,
  collected: string | undefined,
  headers: Readonly<Record<string, string>>
) => {
  // `Vary` keeps an answer that was stored for one key from another.
  if (!isPublic(route) && headers.etag !== undefined) {
    return { "cache-control": "private, no-cache", vary: vary(collected, headers.vary, ...keyed) }
  }
  const names = vary(collected, headers.vary)
  const control = { "cache-control": isPublic(route) ? "no-cache" : "no-store" }
  return names === "" ? control : { ...control, vary: names }
}

/** Adds the headers of every answer: those of its route, and those that the request collected, unless the answer has its own. */
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
