import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import type { Exchange } from "../http/Exchange.ts"
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

/** Header names of `Vary`, with those of a key: an answer that was kept for one key is never another's. */
const varying = (names: ReadonlyArray<string>) => [...new Set([...names, "Authorization", "X-API-Key"])].join(", ")

/** Header names of `Vary`, as the answer and its exchange have them. */
const namesIn = (...values: ReadonlyArray<string | undefined>) =>
  values.flatMap((value) => (value ?? "").split(",").map((name) => name.trim())).filter((name) => name !== "")

/** How long an answer may be kept by whom: a keyed one with an ETag by its caller, asking each time; any other keyed one by nobody. */
const caching = (
  route: string | undefined,
  { headers }: HttpServerResponse.HttpServerResponse,
  names: ReadonlyArray<string>
) => {
  const vary = names.length === 0 ? {} : { vary: names.join(", ") }
  if (isPublic(route)) return { ...vary, "cache-control": "no-cache" }
  return headers.etag === undefined
    ? { ...vary, "cache-control": "no-store" }
    : { "cache-control": "private, no-cache", vary: varying(names) }
}

/** The headers that every answer has, whatever it answers: those of its route, and those that the exchange collected unless it has its own. */
export const withAnswerHeaders = (
  response: HttpServerResponse.HttpServerResponse,
  { headers, id, route }: Exchange["Type"]
): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.setHeaders(response, {
    ...headers,
    ...response.headers,
    ...caching(route, response, namesIn(headers.vary, response.headers.vary)),
    "content-security-policy":
      route === docsPath ? docsPolicy : (response.headers["content-security-policy"] ?? dataPolicy),
    "x-content-type-options": "nosniff",
    "x-request-id": id
  })
