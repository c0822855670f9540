import * as HttpApi from "@effect/platform/HttpApi"
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as HttpRouter from "@effect/platform/HttpRouter"
import * as HttpServerRespondable from "@effect/platform/HttpServerRespondable"
import * as Chunk from "effect/Chunk"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Schema from "effect/Schema"
import * as AST from "effect/SchemaAST"
import { Api } from "../../Api.ts"
import {
  AlsoAt,
  BodyDepth,
  BodyFields,
  BodyLimit,
  BodyLists,
  BodyText,
  BodyValues,
  FileBody
} from "../../foundation/http/Contract.ts"
import { distance } from "../../foundation/text/Words.ts"
import type { BodyBounds } from "./JsonBody.ts"

/** A path with the handlers of its methods. */
export interface Route<A> {
  /** The declared pattern, with `:name` for a parameter. */
  readonly path: string
  readonly methods: ReadonlyMap<string, A>
}

/** The route of a path, with the values of its parameters. */
export interface Match<A> {
  readonly route: Route<A>
  readonly params: Readonly<Record<string, string>>
}

const segmentsOf = (path: string) => path.split("/")

const isParameter = (segment: string) => segment.startsWith(":")

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    // An undecodable value stays unchanged, and names nothing, like any malformed id.
    return text
  }
}

const fits = (pattern: ReadonlyArray<string>, actual: ReadonlyArray<string>) =>
  pattern.every((segment, at) => (isParameter(segment) ? actual[at] !== "" : segment === actual[at]))

/** Finds the route of a path for any method, which distinguishes 405 from 404. A handler of GET serves HEAD too. */
export const routesOf = <A extends { readonly method: string; readonly path: string }>(all: Iterable<A>) => {
  const methods = new Map<string, Map<string, A>>()
  for (const one of all) {
    const known = methods.get(one.path) ?? new Map<string, A>()
    known.set(one.method, one)
    if (one.method === "GET") known.set("HEAD", one)
    methods.set(one.path, known)
  }
  const routes = Array.from(methods, ([path, methods]) => {
    const segments = segmentsOf(path)
    const parameters = Array.from(segments.entries()).filter(([, segment]) => isParameter(segment))
    return { parameters, route: { methods, path } satisfies Route<A>, segments }
  })
  // A literal segment comes before a parameter.
  routes.sort((a, b) => a.parameters.length - b.parameters.length)
  const byLength = Map.groupBy(routes, ({ segments }) => segments.length)
  return (path: string): Match<A> | undefined => {
    const actual = segmentsOf(path)
    const found = byLength.get(actual.length)?.find(({ segments }) => fits(segments, actual))
    if (found === undefined) return undefined
    const params: Record<string, string> = {}
    for (const [at, name] of found.parameters) params[name.slice(1)] = decoded(actual[at] ?? "")
    return { params, route: found.route }
  }
}

/** The most segments of an unknown path that are compared letter by letter, and the most letters of a segment. For anything else the distance is its length. */
const mostUnknown = 3
const longestSegment = 30

/** The cost of a missing segment, in letters, for a path that was only partly remembered. */
const missing = 3

/**
 * The pattern nearest to an unknown path, by the letters of its segments; a segment may be missing or extra, and an id may be any text. Anybody may request
 * unknown paths, so only segments that no pattern has are compared by letters.
 */
export const nearestRoute = (paths: ReadonlyArray<string>) => {
  const patterns = paths.map((path) => ({ path, segments: segmentsOf(path).slice(1) }))
  const literals = new Set(patterns.flatMap(({ segments }) => segments.filter((segment) => !isParameter(segment))))
  return (path: string): string | undefined => {
    const actual = segmentsOf(path).slice(1, 12)
    const unknown = new Set(actual.filter((segment) => !literals.has(segment)).slice(0, mostUnknown))
    const compared = new Map<string, ReadonlyMap<string, number>>()
    for (const segment of unknown) {
      if (segment.length > longestSegment) continue
      compared.set(segment, new Map(Array.from(literals, (literal) => [literal, distance(segment, literal)])))
    }
    const replacing = (segment: string, pattern: string) => {
      if (segment === pattern) return 0
      // A word in the place of an id is less likely than an id.
      if (isParameter(pattern)) return segment === "" ? missing : literals.has(segment) ? 2 : /\d/.test(segment) ? 0 : 1
      return compared.get(segment)?.get(pattern) ?? Math.max(segment.length, pattern.length)
    }
    const far = (segments: ReadonlyArray<string>) => {
      let row = [0]
      for (const [at, segment] of actual.entries()) row.push((row[at] ?? 0) + Math.min(longestSegment, segment.length))
      for (const pattern of segments) {
        const next = [(row[0] ?? 0) + missing]
        for (const [at, segment] of actual.entries()) {
          next.push(
            Math.min(
              (row[at] ?? 0) + replacing(segment, pattern),
              (row[at + 1] ?? 0) + missing,
              (next[at] ?? 0) + Math.min(longestSegment, segment.length)
            )
          )
        }
        row = next
      }
      return row.at(-1) ?? 0
    }
    let best: { readonly cost: number; readonly path: string } | undefined
    for (const { path, segments } of patterns) {
      const cost = far(segments)
      if (best === undefined || cost < best.cost) best = { cost, path }
    }
    return best?.path.replace(/:(\w+)/g, "{$1}")
  }
}

/** Parameters that choose the fields or the order of records, not which records are read. */
const shaping = new Set(["against", "by", "compare", "cursor", "include", "order", "sort"])

/** The names of an endpoint's query parameters. */
const namesOf = (parameters: Option.Option<Schema.Schema.All>): ReadonlyArray<string> =>
  Option.isNone(parameters)
    ? []
    : AST.getPropertySignatures(AST.encodedAST(parameters.value.ast)).map(({ name }) => String(name))

/** The parameters that make a read smaller: its filters, or, without filters, the size of a page. */
const narrowing = (parameters: ReadonlyArray<string>): ReadonlyArray<string> => {
  const names = parameters.filter((name) => !shaping.has(name))
  const filters = names.filter((name) => name !== "limit")
  return filters.length === 0 ? names : filters
}

/** An endpoint's declaration in the contract. */
interface Declared {
  /** Other paths of the endpoint. */
  readonly alsoAt: ReadonlyArray<string>
  /** Null for a body that is a file, which is read as it arrives. */
  readonly body: BodyBounds | null
  /** The parameters that narrow a read. */
  readonly narrowing: ReadonlyArray<string>
  /** All query parameters; undefined for a route outside the contract, which takes any. */
  readonly parameters: ReadonlyArray<string> | undefined
}

/** The bounds of the annotations, or the defaults. */
const boundsOf = (annotations: Context.Context<never>): BodyBounds => ({
  bytes: Context.get(annotations, BodyLimit),
  depth: Context.get(annotations, BodyDepth),
  fields: Context.get(annotations, BodyFields),
  lists: Context.get(annotations, BodyLists),
  text: Context.get(annotations, BodyText),
  values: Context.get(annotations, BodyValues)
})

/** The declaration of a route outside the contract. */
const undeclared: Declared = {
  alsoAt: [],
  body: boundsOf(Context.empty()),
  narrowing: [],
  parameters: undefined
}

/** The declarations of the contract, by method and path. */
const declarations = () => {
  const found = new Map<string, Declared>()
  HttpApi.reflect(Api, {
    onGroup: () => {},
    onEndpoint: ({ endpoint }) => {
      const parameters = namesOf(endpoint.urlParamsSchema)
      found.set(`${endpoint.method} ${endpoint.path}`, {
        alsoAt: Context.get(endpoint.annotations, AlsoAt),
        body: Option.isSome(Context.getOption(endpoint.annotations, FileBody)) ? null : boundsOf(endpoint.annotations),
        narrowing: narrowing(parameters),
        parameters
      })
    }
  })
  return found
}

/** All routes of the server, by path and method: the endpoints of the contract, and the pages; also finds the nearest route of an unknown path. */
export const routeTable = Effect.map(HttpApiBuilder.Router.router, ({ routes }) => {
  const declared = declarations()
  const find = routesOf(
    Chunk.flatMap(routes, (route) => {
      const { method, path, uninterruptible } = route
      const answered = Effect.flatMap(route.handler, HttpServerRespondable.toResponse)
      const { alsoAt, ...facts } = declared.get(`${method} ${path}`) ?? undeclared
      return Chunk.map(Chunk.make(path, ...alsoAt), (path) => ({
        ...facts,
        isRead: method === "GET",
        method,
        path,
        // Only the handler is interrupted when the caller leaves: every request gets a response, is logged and counted.
        run: uninterruptible ? answered : Effect.interruptible(answered),
        /** The route context that the platform gives a handler. */
        matched: (params: Readonly<Record<string, string>>): HttpRouter.RouteContext => ({
          [HttpRouter.RouteContextTypeId]: HttpRouter.RouteContextTypeId,
          params,
          route
        })
      }))
    })
  )
  return { find, nearest: nearestRoute([...new Set(Chunk.map(routes, ({ path }) => path))]) }
})

/**
 * The parameters of a query for handlers; a repeated one is a list. An empty cursor, as of an unfilled form, counts as absent. So do names that begin with `_`,
 * which callers add against caches or for tracing.
 */
export const searchParams = (query: string): Readonly<Record<string, string | Array<string>>> => {
  const found: Record<string, string | Array<string>> = Object.create(null)
  if (query === "") return found
  for (const [name, value] of new URLSearchParams(query)) {
    if (name.startsWith("_") || (name === "cursor" && value === "")) continue
    const known = found[name]
    if (Array.isArray(known)) known.push(value)
    else found[name] = known === undefined ? value : [known, value]
  }
  return found
}
