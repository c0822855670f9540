/** Platform adapter: what Bun's server has not sent yet. */
import type * as HttpServerRequest from "@effect/platform/HttpServerRequest"

/**
 * Counts the answers, of the server that the request came to, whose last byte is not sent: those being made, those that are streams, and those that their
 * callers take slowly. The platform keeps Bun's server inside its requests and shows it nowhere else.
 */
export const unsentOf = (request: HttpServerRequest.HttpServerRequest): (() => number) => {
  const server: unknown = Reflect.get(request, "bunServer")
  return () =>
    typeof server === "object" &&
    server !== null &&
    "pendingRequests" in server &&
    typeof server.pendingRequests === "number"
      ? server.pendingRequests
      : 0
}
