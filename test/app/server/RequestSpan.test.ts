import { expect, test } from "bun:test"
import * as HttpApp from "@effect/platform/HttpApp"
import * as HttpMiddleware from "@effect/platform/HttpMiddleware"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Tracer from "effect/Tracer"
import { spanned } from "../../../src/app/server/RequestSpan.ts"

/** The spans that are made of a request, as a tracer knows them at their end. */
const spansOf = (answered: Effect.Effect<unknown, never, HttpServerRequest.HttpServerRequest>, url: string) => {
  const made: Array<Tracer.Span> = []
  const { context, span } = Effect.runSync(Effect.tracer)
  const tracer = Tracer.make({
    context,
    span: (...parts) => {
      const one = span(...parts)
      made.push(one)
      return one
    }
  })
  const source = new Request(url, {
    headers: {
      authorization: "Bearer secret",
      host: "example.com",
      traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
      "user-agent": "a browser"
    }
  })
  const request = HttpServerRequest.fromWeb(source).modify({ remoteAddress: "192.0.2.1" })
  Effect.runSync(
    answered.pipe(Effect.provideService(HttpServerRequest.HttpServerRequest, request), Effect.withTracer(tracer))
  )
  return made.map(({ attributes, kind, name, parent, status, traceId }) => ({
    attributes: Object.fromEntries(attributes),
    end: status._tag,
    kind,
    name,
    parent: Option.map(parent, ({ spanId }) => spanId),
    traceId
  }))
}

const app = HttpServerResponse.text("told", { headers: { etag: "a", "set-cookie": "secret" }, status: 201 })

test("the span of a request says what that of the platform's own servers says", () => {
  for (const url of ["http://example.com/api/v1/keywords?limit=5&status=new", "http://example.com/"]) {
    const [own, ...more] = spansOf(spanned(app), url)
    expect(own?.attributes["url.full"]).toBe(url)
    expect(own?.attributes["http.request.header.authorization"]).not.toContain("secret")
    expect(more).toEqual([])
    expect([own]).toEqual(
      spansOf(
        HttpApp.toHandled(app, () => Effect.void),
        url
      )
    )
  }
})

test("a request that nobody traces has no span", () => {
  const silent = Effect.locally(spanned(app), HttpMiddleware.currentTracerDisabledWhen, () => true)
  expect(spansOf(silent, "http://example.com/")).toEqual([])
})
