import * as HttpApi from "@effect/platform/HttpApi"
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as HttpRouter from "@effect/platform/HttpRouter"
import * as HttpServerRespondable from "@effect/platform/HttpServerRespondable"
import * as Chunk from "effect/Chunk"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { Api } from "../Api.ts"
import { BodyLimit } from "../http/BodyLimit.ts"
import { routesOf } from "./Routes.ts"

/** Bytes that the body of a request may have, by method and path; none where the contract has no such endpoint. */
const bodyLimits = () => {
  const limits = new Map<string, number>()
  HttpApi.reflect(Api, {
    onGroup: () => {},
    onEndpoint: ({ endpoint }) =>
      limits.set(`${endpoint.method} ${endpoint.path}`, Context.get(endpoint.annotations, BodyLimit))
  })
  return limits
}

/** Everything that is handled, by path and method: the endpoints of the contract, and the pages. */
export const table = Effect.map(HttpApiBuilder.Router.router, ({ routes }) => {
  const limits = bodyLimits()
  return routesOf(
    Chunk.map(routes, (route) => {
      const { method, path, uninterruptible } = route
      const answered = Effect.flatMap(route.handler, HttpServerRespondable.toResponse)
      return {
        bodyLimit: limits.get(`${method} ${path}`) ?? 0,
        method,
        path,
        // Only what handles a request is interrupted when its caller leaves: it is always answered, logged and counted.
        run: uninterruptible ? answered : Effect.interruptible(answered),
        /** What the handler finds in its context of the route. */
        matched: (params: Readonly<Record<string, string>>): HttpRouter.RouteContext => ({
          [HttpRouter.RouteContextTypeId]: HttpRouter.RouteContextTypeId,
          params,
          route
        })
      }
    })
  )
})

/** The parameters of a query as handlers get them: one that is given more than once is a list. */
export const searchParams = (query: string): Readonly<Record<string, string | Array<string>>> => {
  const found: Record<string, string | Array<string>> = Object.create(null)
  if (query === "") return found
  for (const [name, value] of new URLSearchParams(query)) {
    const known = found[name]
    found[name] = known === undefined ? value : [known, value].flat()
  }
  return found
}
