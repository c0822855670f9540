import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import type { Exchange } from "../http/Exchange.ts"
import { docsPath } from "./Docs.ts"

/**
 * The page of the contract runs what it holds itself and asks this server alone: script and style are part of it, and no other site may frame it.
 */
const docsPolicy = [
  "default-src 'none'",
  "script-src 'unsafe-inline'",
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

/** Header names of `Vary`, with those of a key: an answer that was kept for one key is never another's. */
const varying = (vary: string | undefined) =>
  [...new Set([...(vary ?? "").split(",").map((name) => name.trim()), "Authorization", "X-API-Key"])]
    .filter((name) => name !== "")
    .join(", ")

/** How long an answer may be kept by whom: a keyed one with an ETag by its caller, asking each time; any other keyed one by nobody. */
const caching = (route: string | undefined, { headers }: HttpServerResponse.HttpServerResponse) => {
  if (isPublic(route)) return { "cache-control": "no-cache" }
  return headers.etag === undefined
    ? { "cache-control": "no-store" }
    : { "cache-control": "private, no-cache", vary: varying(headers.vary) }
}

/** The headers that every answer has, whatever it answers: those of its route, and those that the exchange collected unless it has its own. */
export const withAnswerHeaders = (
  response: HttpServerResponse.HttpServerResponse,
  { headers, id, route }: Exchange["Type"]
): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.setHeaders(response, {
    ...headers,
    ...response.headers,
    ...caching(route, response),
    "content-security-policy":
      route === docsPath ? docsPolicy : (response.headers["content-security-policy"] ?? dataPolicy),
    "x-content-type-options": "nosniff",
    "x-request-id": id
  })
