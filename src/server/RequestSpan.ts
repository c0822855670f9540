import * as Headers from "@effect/platform/Headers"
import type * as HttpApp from "@effect/platform/HttpApp"
import * as HttpMiddleware from "@effect/platform/HttpMiddleware"
import * as HttpServerError from "@effect/platform/HttpServerError"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpTraceContext from "@effect/platform/HttpTraceContext"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Tracer from "effect/Tracer"

/** Names the headers of a request or of an answer; what nobody may read is left out. */
const tellHeaders = (
  span: Tracer.Span,
  of: "request" | "response",
  headers: Headers.Headers,
  hidden: ReadonlyArray<string | RegExp>
) => {
  for (const [name, value] of Object.entries(Headers.redact(headers, hidden))) {
    span.attribute(`http.${of}.header.${name}`, String(value))
  }
}

const tellUrl = (span: Tracer.Span, url: URL) => {
  if (url.username !== "" || url.password !== "") {
    url.username = "REDACTED"
    url.password = "REDACTED"
  }
  span.attribute("url.full", url.href)
  span.attribute("url.path", url.pathname)
  if (url.search !== "") span.attribute("url.query", url.search.slice(1))
  span.attribute("url.scheme", url.protocol.slice(0, -1))
}

/**
 * Gives a request its span, a child of the one that `traceparent` names, unless nobody traces it: then it costs nothing. Names and attributes are those
 * of the platform's servers (OpenTelemetry's conventions for HTTP), which keep theirs to themselves.
 */
export const spanned = <E>(app: HttpApp.Default<E>): HttpApp.Default<E> =>
  Effect.withFiberRuntime((fiber) => {
    const request = Context.unsafeGet(fiber.currentContext, HttpServerRequest.HttpServerRequest)
    if (fiber.getFiberRef(HttpMiddleware.currentTracerDisabledWhen)(request)) return app
    const hidden = fiber.getFiberRef(Headers.currentRedactedNames)
    const parent = Option.getOrUndefined(HttpTraceContext.fromHeaders(request.headers))
    const name = Context.get(fiber.currentContext, HttpMiddleware.SpanNameGenerator)(request)
    return Effect.useSpan(name, { captureStackTrace: false, kind: "server", parent }, (span) => {
      span.attribute("http.request.method", request.method)
      Option.map(HttpServerRequest.toURL(request), (url) => tellUrl(span, url))
      const agent = request.headers["user-agent"]
      if (agent !== undefined) span.attribute("user_agent.original", agent)
      tellHeaders(span, "request", request.headers, hidden)
      Option.map(request.remoteAddress, (address) => span.attribute("client.address", address))
      return Effect.flatMap(Effect.exit(Effect.withParentSpan(app, span)), (exit) => {
        const answer = HttpServerError.exitResponse(exit)
        span.attribute("http.response.status_code", answer.status)
        tellHeaders(span, "response", answer.headers, hidden)
        return exit
      })
    })
  })
