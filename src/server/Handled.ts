import * as HttpApi from "@effect/platform/HttpApi"
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as HttpRouter from "@effect/platform/HttpRouter"
import * as HttpServerRespondable from "@effect/platform/HttpServerRespondable"
import * as Chunk from "effect/Chunk"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { Api } from "../Api.ts"
import { BodyLimit, BodyValues } from "../http/BodyLimit.ts"
import type { BodyBounds } from "./JsonBody.ts"
import { routesOf } from "./Routes.ts"

/** No endpoint of the contract. */
export const noBody: BodyBounds = { bytes: 0, values: 0 }

/** How much the body of a request may be, by method and path. */
const bodyBounds = () => {
  const bounds = new Map<string, BodyBounds>()
  HttpApi.reflect(Api, {
    onGroup: () => {},
    onEndpoint: ({ endpoint }) =>
      bounds.set(`${endpoint.method} ${endpoint.path}`, {
        bytes: Context.get(endpoint.annotations, BodyLimit),
        values: Context.get(endpoint.annotations, BodyValues)
      })
  })
  return bounds
}

/** Everything that is handled, by path and method: the endpoints of the contract, and the pages. */
export const table = Effect.map(HttpApiBuilder.Router.router, ({ routes }) => {
  const bounds = bodyBounds()
  return routesOf(
    Chunk.map(routes, (route) => {
      const { method, path, uninterruptible } = route
      const answered = Effect.flatMap(route.handler, HttpServerRespondable.toResponse)
      return {
        body: bounds.get(`${method} ${path}`) ?? noBody,
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
    if (Array.isArray(known)) known.push(value)
    else found[name] = known === undefined ? value : [known, value]
  }
  return found
}
