import * as HttpApi from "@effect/platform/HttpApi"
import type * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as Context from "effect/Context"
import { BodyLimit } from "../http/BodyLimit.ts"

/** One path of the contract with the methods that it has. */
export interface Route {
  readonly path: string
  readonly methods: ReadonlyArray<string>
  /** Bytes that a body may have, for each method. */
  readonly bodyLimits: ReadonlyMap<string, number>
}

const segmentsOf = (path: string) => path.split("/")

const fits = (pattern: ReadonlyArray<string>, actual: ReadonlyArray<string>) =>
  pattern.length === actual.length &&
  pattern.every((segment, at) => (segment.startsWith(":") ? actual[at] !== "" : segment === actual[at]))

const parametersOf = (segments: ReadonlyArray<string>) => segments.filter((segment) => segment.startsWith(":")).length

/** Finds the route of a path, whatever the method: what the router cannot tell, so that 405 and 404 differ. */
export const routesOf = <Id extends string, Groups extends HttpApiGroup.HttpApiGroup.Any, E, R>(
  api: HttpApi.HttpApi<Id, Groups, E, R>,
  /** Paths of GET routes outside the contract. */
  pages: ReadonlyArray<string>
) => {
  const methods = new Map(pages.map((path) => [path, ["GET", "HEAD"]]))
  const bodyLimits = new Map<string, Map<string, number>>()
  HttpApi.reflect(api, {
    onGroup: () => {},
    onEndpoint: ({ endpoint }) => {
      const known = methods.get(endpoint.path) ?? []
      known.push(...(endpoint.method === "GET" ? ["GET", "HEAD"] : [endpoint.method]))
      methods.set(endpoint.path, known)
      const limits = bodyLimits.get(endpoint.path) ?? new Map()
      bodyLimits.set(endpoint.path, limits.set(endpoint.method, Context.get(endpoint.annotations, BodyLimit)))
    }
  })
  const routes = Array.from(methods, ([path, known]) => ({
    route: { path, methods: known, bodyLimits: bodyLimits.get(path) ?? new Map() } satisfies Route,
    segments: segmentsOf(path)
  }))
  // As the router does, a path that is spelt out comes before one with a parameter in its place.
  routes.sort((a, b) => parametersOf(a.segments) - parametersOf(b.segments))
  return (path: string): Route | undefined => {
    const actual = segmentsOf(path)
    return routes.find(({ segments }) => fits(segments, actual))?.route
  }
}
