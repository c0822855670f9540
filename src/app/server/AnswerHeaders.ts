import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import type { Exchange } from "../../foundation/http/Exchange.ts"
import { docsPath } from "./Docs.ts"

/**
 * The page of the contract runs what it holds itself and asks this server alone: script and style are part of it, and no other site may frame it.
 */
const docsPolicy = [
  "default-src 'none'",
  // The reference takes examples apart by WebAssembly; without it nothing of the page is drawn.
  "script-src 'unsafe-inline' 'wasm-unsafe-eval'",
  "style-src 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "font-src data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'"
].join("; ")

/** Everything else is data: were it ever shown as a page, it could do nothing. */
const dataPolicy = "default-src 'none'; frame-ancestors 'none'"

/** Whether every caller gets the same from a route. */
export const isPublic = (route: string | undefined) =>
  route !== undefined && !/^\/api\/v1\/(?!openapi\.json$)/.test(route)

const keyed = ["Authorization", "X-API-Key"]

/** The values of `Vary` by what they are made of: a handful in all, none from a caller. */
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

/** How long an answer may be kept by whom: a keyed one with an ETag by its caller, asking each time; any other keyed one by nobody. */
const caching = (
  route: string | undefined,
  collected: string | undefined,
  headers: Readonly<Record<string, string>>
) => {
  // An answer that was kept for one key is never another's.
  if (!isPublic(route) && headers.etag !== undefined) {
    return { "cache-control": "private, no-cache", vary: vary(collected, headers.vary, ...keyed) }
  }
  const names = vary(collected, headers.vary)
  const control = { "cache-control": isPublic(route) ? "no-cache" : "no-store" }
  return names === "" ? control : { ...control, vary: names }
}

/** The headers that every answer has, whatever it answers: those of its route, and those that the exchange collected unless it has its own. */
export const withAnswerHeaders = (
  response: HttpServerResponse.HttpServerResponse,
  { headers, id, route }: Exchange["Type"]
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
