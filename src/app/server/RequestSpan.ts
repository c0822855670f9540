import * as Headers from "@effect/platform/Headers"
import type * as HttpApp from "@effect/platform/HttpApp"
import * as HttpMiddleware from "@effect/platform/HttpMiddleware"
import * as HttpServerError from "@effect/platform/HttpServerError"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import type * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as HttpTraceContext from "@effect/platform/HttpTraceContext"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"

/** Attributes of OpenTelemetry's conventions for HTTP. */
type Attributes = Readonly<Record<string, string | number>>

/** Headers to redact. */
type Redacted = ReadonlyArray<string | RegExp>

const ofHeaders = (side: "request" | "response", headers: Headers.Headers, redacted: Redacted): Attributes => {
  const shown = Object.entries(Headers.redact(headers, redacted))
  return Object.fromEntries(shown.map(([name, value]) => [`http.${side}.header.${name}`, String(value)]))
}

const ofUrl = ({ href, pathname, protocol, search }: URL): Attributes => ({
  "url.full": href,
  "url.path": pathname,
  "url.scheme": protocol.replace(":", ""),
  ...(search === "" ? {} : { "url.query": search.slice(1) })
})

/** Credentials in a URL are redacted. */
const withoutSecrets = (url: URL): URL => {
  if (`${url.username}${url.password}` !== "") [url.username, url.password] = ["REDACTED", "REDACTED"]
  return url
}

const ofRequest = (request: HttpServerRequest.HttpServerRequest, redacted: Redacted): Attributes => {
  const { headers, method, remoteAddress } = request
  const url = Option.map(HttpServerRequest.toURL(request), (url) => ofUrl(withoutSecrets(url)))
  return {
    "http.request.method": method,
    ...Option.getOrElse(url, () => ({})),
    ...(headers["user-agent"] === undefined ? {} : { "user_agent.original": headers["user-agent"] }),
    ...(Option.isNone(remoteAddress) ? {} : { "client.address": remoteAddress.value }),
    ...ofHeaders("request", headers, redacted)
  }
}

const ofAnswer = ({ headers, status }: HttpServerResponse.HttpServerResponse, redacted: Redacted): Attributes => ({
  "http.response.status_code": status,
  ...ofHeaders("response", headers, redacted)
})

/**
 * Gives a traced request its span, a child of the one that `traceparent` names, with the attributes of the platform's own servers. An untraced request has no
 * span and costs nothing.
 */
export const spanned = <E>(app: HttpApp.Default<E>): HttpApp.Default<E> =>
  Effect.withFiberRuntime((fiber) => {
    const context = fiber.currentContext
    const request = Context.unsafeGet(context, HttpServerRequest.HttpServerRequest)
    if (fiber.getFiberRef(HttpMiddleware.currentTracerDisabledWhen)(request)) return app
    const redacted = fiber.getFiberRef(Headers.currentRedactedNames)
    const options = {
      attributes: ofRequest(request, redacted),
      captureStackTrace: false,
      kind: "server",
      parent: Option.getOrUndefined(HttpTraceContext.fromHeaders(request.headers))
    } as const
    return Effect.useSpan(Context.get(context, HttpMiddleware.SpanNameGenerator)(request), options, (span) => {
      const annotate = (answer: HttpServerResponse.HttpServerResponse) =>
        Effect.sync(() => {
          for (const [name, value] of Object.entries(ofAnswer(answer, redacted))) span.attribute(name, value)
        })
      return Effect.onExit(Effect.withParentSpan(app, span), (exit) => annotate(HttpServerError.exitResponse(exit)))
    })
  })
