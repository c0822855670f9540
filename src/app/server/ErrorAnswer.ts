import * as HttpApiError from "@effect/platform/HttpApiError"
import * as HttpRouter from "@effect/platform/HttpRouter"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import type * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import { SqlError } from "@effect/sql/SqlError"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"
import * as MetricBoundaries from "effect/MetricBoundaries"
import * as MetricKey from "effect/MetricKey"
import { OpenRequests, Standing } from "../../features/accounts/OpenRequests.ts"
import { StatementLimit, StatementTooSlow } from "../../foundation/database/Connection.ts"
import {
  absence,
  isAbsent,
  isAway,
  isBusy,
  isFull,
  isReadOnly,
  sqlMessage
} from "../../foundation/database/SqlState.ts"
import { ApiError, apiError, codes, extrasOf } from "../../foundation/http/ApiError.ts"
import { CurrentRequest, jsonResponse, KnownParameters } from "../../foundation/http/Request.ts"
import { nearest } from "../../foundation/text/Words.ts"
import { withJsonBody } from "./JsonBody.ts"
import { routeTable, searchParams } from "./RouteTable.ts"
import { ReadTimeout } from "./Settings.ts"

const away = apiError(
  "service_unavailable",
  "The server cannot reach its database. Nothing was started: try again in 5 seconds.",
  {
    headers: { "retry-after": "5" }
  }
)
const full = apiError(
  "service_unavailable",
  "The database's disk is full. Nothing was stored: free disk space on the server, then try again.",
  {
    headers: { "retry-after": "30" }
  }
)
const readOnly = apiError(
  "service_unavailable",
  "The database is read-only. Nothing was stored: try again in 30 seconds.",
  {
    headers: { "retry-after": "30" }
  }
)
const busy = apiError(
  "service_unavailable",
  "The server is busy: no database connection was free in time. Nothing was started: try again in 5 seconds.",
  { headers: { "retry-after": "5" } }
)
const stopped = apiError("service_unavailable", "The request was interrupted. Send it again.", {
  headers: { "retry-after": "1" }
})
const defect = apiError("internal_error", "Internal error. The server's log has the cause under this request id.")
/** The error for an unknown path, with the nearest known one. */
const noEndpoint = (method: string, path: string, near?: string) =>
  apiError(
    "not_found",
    `No endpoint at ${method} ${path}. ${near === undefined ? "" : `Did you mean ${near}? `}See /docs.`
  )
const notFound = apiError("not_found", "No endpoint at this path. See /docs.")

/** The schema library's message for an unknown field, with the known ones. */
const unexpected = /^is unexpected, expected: (.+)$/

const quoted = /"((?:[^"\\]|\\.)*)"/g

/** The schema library's message for a value of another type: the type, and the beginning of the value. */
const mistyped = /^Expected (.+?), actual (.?)/s

/** Types by the schema library's names. */
const types: Readonly<Record<string, string>> = { boolean: "true or false", number: "a number", string: "a text" }

const ofType = (type: string, start: string) => {
  if (start === "[" && type === "string") return "must be one text, not a list"
  if (type.startsWith("{")) return "must be an object"
  if (type.startsWith("ReadonlyArray<")) return "must be a list"
  return `must be ${types[type] ?? type.charAt(0).toLowerCase() + type.slice(1)}`
}

/** The letters of a name, for comparison: people mean `max_pages` by `maxPages` and `max-pages`. */
const letters = (name: string) => name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "")

/** Other APIs' names for our parameters, by the letters of both. */
const synonyms: Readonly<Record<string, ReadonlyArray<string>>> = {
  cursor: ["after", "nextcursor", "nextpage", "nextpagetoken", "offset", "page", "pagetoken", "skip", "startingafter"],
  end: ["before", "dateto", "enddate", "endday", "to", "until"],
  host: ["domain", "hostname"],
  include: ["embed", "expand", "fields", "with"],
  limit: ["count", "first", "maxresults", "pagelimit", "pagesize", "perpage", "rows", "size", "take", "top"],
  order: ["dir", "direction", "sortdir", "sortdirection", "sortorder"],
  pagepath: ["page", "path", "pageurl", "url"],
  projectid: ["project", "site", "siteid"],
  query: ["keyword", "q", "search", "term"],
  since: ["after", "from", "start", "startdate"],
  siteid: ["project", "projectid", "site"],
  sort: ["orderby", "sortby"],
  start: ["after", "datefrom", "from", "since", "startdate", "startday"],
  status: ["state"]
}

/** The most similar known name at any distance; undefined without known names. Another API's name is as near as ours. */
export const mostSimilar = (name: string, known: ReadonlyArray<string>): string | undefined => {
  const own = known.map((other) => [letters(other), other] as const)
  const foreign = own.flatMap(([spelling, other]) => (synonyms[spelling] ?? []).map((word) => [word, other] as const))
  const spelled = new Map([...foreign, ...own])
  return spelled.get(nearest(letters(name.slice(0, 100)), spelled.keys(), Number.POSITIVE_INFINITY) ?? "")
}

/** The message for a problem with a field; for an unknown field it names the nearest known one. */
export const worded = (path: string, message: string): string => {
  const [, type, start = ""] = mistyped.exec(message) ?? []
  if (type !== undefined) return ofType(type, start)
  const expected = unexpected.exec(message)?.[1]
  if (expected === undefined) return message
  const known = Array.from(expected.matchAll(quoted), ([, name = ""]) => name)
  const close = mostSimilar(path.split(".").at(-1) ?? path, known)
  return close === undefined ? "is not a known field" : `is not a known field. Did you mean ${close}?`
}

/** The most fields in `details`, and characters of each problem, because a problem may quote all sent text. */
const mostProblems = 20
const longestProblem = 500

const short = (text: string) => (text.length > longestProblem ? `${text.slice(0, longestProblem)}…` : text)

type Issues = HttpApiError.HttpApiDecodeError["issues"]

const isAbsence = ({ message }: Issues[number]) => /^Expected (null|undefined), actual/.test(message)

/** One problem per field. The messages of a failed union are joined, except that the field may be absent, because it was sent. */
const problems = (issues: Issues) => {
  const messages = new Map<string, Set<string>>()
  for (const { message, path } of issues.every(isAbsence) ? issues : issues.filter((issue) => !isAbsence(issue))) {
    const field = short(path.map(String).join(".") || "body")
    const said = messages.get(field) ?? (messages.size < mostProblems ? new Set<string>() : undefined)
    if (said !== undefined) messages.set(field, said.add(worded(field, message)))
  }
  return Array.from(messages, ([path, said]) => ({ message: short(Array.from(said).join("; or ")), path }))
}

const invalid = (error: HttpApiError.HttpApiDecodeError) => {
  const details = problems(error.issues)
  const message = details
    .map(({ message, path }) => (path === "body" ? `The request body ${message}` : `${path} ${message}`))
    .join("; ")
  return apiError("validation_error", message, { details })
}

/** The most unknown parameters in a response, and characters of each name. */
const mostNames = 10
const longestName = 100

/** The refusal of unknown query parameters, each with the nearest known one; undefined without unknown ones. */
export const unknownParameters = (
  sent: Readonly<Record<string, unknown>>,
  known: ReadonlyArray<string>
): ApiError<"validation_error"> | undefined => {
  const details = Object.keys(sent)
    .filter((name) => !known.includes(name))
    .slice(0, mostNames)
    .map((name) => {
      const close = mostSimilar(name, known)
      const message =
        close === undefined
          ? "is not a known parameter: this endpoint takes none"
          : `is not a known parameter. Did you mean ${close}?`
      return { message, path: name.slice(0, longestName) }
    })
  if (details.length === 0) return undefined
  return apiError("validation_error", details.map(({ message, path }) => `${path} ${message}`).join("; "), { details })
}

const listed = new Intl.ListFormat("en", { type: "disjunction" })

/** The error for a read that reached the time limit of its statement: the caller narrows the read, or tries again if it has no parameters. */
const tooSlow = ({ seconds }: StatementTooSlow, narrowing: ReadonlyArray<string>) =>
  narrowing.length === 0
    ? apiError("service_unavailable", `The database took more than ${seconds} s. Try again in 30 seconds.`, {
        headers: { "retry-after": "30" }
      })
    : apiError(
        "validation_error",
        `The database took more than ${seconds} s: narrow the request by ${listed.format(narrowing)}`,
        { details: narrowing.map((path) => ({ message: "narrows the request", path })) }
      )

/** The error of a failed request. Defects are logged. `narrowing` names the parameters that make a read smaller. */
export const errorOf = (
  cause: Cause.Cause<unknown>,
  narrowing: ReadonlyArray<string> = []
): Effect.Effect<ApiError> => {
  const error = Cause.squash(cause)
  if (error instanceof ApiError) return Effect.succeed(error)
  if (error instanceof HttpApiError.HttpApiDecodeError) return Effect.succeed(invalid(error))
  // The access log has the error; another line for each would turn a flood of requests into a flood of lines.
  if (error instanceof SqlError && isBusy(error)) return Effect.succeed(busy)
  if (error instanceof SqlError && isAway(error)) {
    const known = isAbsent(error) ? absence(error) : `A database query failed: ${sqlMessage(error)}`
    return Effect.as(Effect.logWarning(known), isFull(error) ? full : isReadOnly(error) ? readOnly : away)
  }
  if (error instanceof StatementTooSlow) return Effect.succeed(tooSlow(error, narrowing))
  if (Cause.isInterruptedOnly(cause)) return Effect.succeed(stopped)
  if (typeof error === "object" && error !== null && "_tag" in error && error._tag === "RouteNotFound") {
    return Effect.succeed(notFound)
  }
  return Effect.as(Effect.logError("Request failed", cause), defect)
}

/** The error envelope. */
const answer = (error: ApiError, requestId: string): HttpServerResponse.HttpServerResponse =>
  jsonResponse(
    {
      error: {
        code: error.code,
        message: error.message,
        request_id: requestId,
        ...extrasOf(error)
      }
    },
    { headers: error.headers, status: codes[error.code].status }
  )

/** A longer path gets no suggestion, because no path of ours has more characters. */
const longestPath = 300

/** Finds the handler of a request, and runs it with the handlers' services. */
export const make = Effect.map(
  Effect.all({ open: OpenRequests, readTimeout: ReadTimeout, routes: routeTable }),
  ({ open, readTimeout, routes: { find, nearest } }) => {
    const ofReads = Context.make(StatementLimit, Duration.toMillis(readTimeout))

    /** The route of a request, the handler of its method, and its parameters. */
    const matched = ({ method, url }: HttpServerRequest.HttpServerRequest) => {
      const end = url.indexOf("?")
      const path = end === -1 ? url : url.slice(0, end)
      const match = find(path)
      return {
        handled: match?.route.methods.get(method),
        match,
        method,
        path,
        parameters: searchParams(end === -1 ? "" : url.slice(end + 1))
      }
    }
    type Matched = ReturnType<typeof matched>

    const noRoute = (method: string, path: string) =>
      path.length > longestPath
        ? noEndpoint(method, `${path.slice(0, longestPath)}…`)
        : noEndpoint(method, path, nearest(path))

    /** The response of a request's handler, or `instead` in its place. Every failure becomes the error envelope. */
    const answered = (
      { handled, match, method, parameters, path }: Matched,
      request: HttpServerRequest.HttpServerRequest,
      current: CurrentRequest["Type"],
      instead?: Effect.Effect<HttpServerResponse.HttpServerResponse, ApiError>
    ) => {
      // Names of parameters are compared only for callers that may use the endpoint.
      const known = Effect.suspend(
        () =>
          (handled?.parameters === undefined ? undefined : unknownParameters(parameters, handled.parameters)) ??
          Effect.void
      )
      const made = open.kept((standing) => {
        if (instead !== undefined) return instead
        if (handled === undefined || match === undefined) return noRoute(method, path)
        const context = Context.make(CurrentRequest, current).pipe(
          Context.add(
            HttpServerRequest.HttpServerRequest,
            handled.body === null ? request : withJsonBody(request, handled.body)
          ),
          Context.add(HttpServerRequest.ParsedSearchParams, parameters),
          Context.add(KnownParameters, known),
          Context.add(HttpRouter.RouteContext, handled.matched(match.params)),
          Context.add(Standing, standing)
        )
        // One context for all services: each `provide` costs a fiftieth of a request.
        return Effect.provide(handled.run, handled.isRead ? Context.merge(context, ofReads) : context)
      })
      return Effect.catchAllCause(made, (cause) =>
        Effect.map(errorOf(cause, handled?.narrowing), (error) => answer(error, current.id))
      )
    }

    return { answered, matched }
  }
)

const boundaries = MetricBoundaries.fromIterable([0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10])

const requestsOf = (method: string, route: string, status: string) =>
  Metric.fromMetricKey(
    MetricKey.counter("findable_http_requests_total", {
      description: "Requests answered, by method, route and status",
      incremental: true
    }).pipe(MetricKey.tagged("method", method), MetricKey.tagged("route", route), MetricKey.tagged("status", status))
  )

const secondsOf = (route: string) =>
  Metric.fromMetricKey(
    MetricKey.histogram(
      "findable_http_request_seconds",
      boundaries,
      "Time from the first byte of a request to its answer, by route"
    ).pipe(MetricKey.tagged("route", route))
  )

const series = new Map<string, (seconds: number) => Effect.Effect<void>>()

const seriesOf = (method: string, route: string, status: string) => {
  const requests = requestsOf(method, route, status)
  const durations = secondsOf(route)
  const counted = Metric.update(requests, 1)
  return (seconds: number) => Effect.zipRight(counted, Metric.update(durations, seconds))
}

/**
 * Counts and times a request under its route's pattern, because ids in paths must make no series. One string looks up a series, because the platform compares
 * tags one by one.
 */
export const observe = (
  method: string,
  route: string | undefined,
  status: number,
  seconds: number
): Effect.Effect<void> => {
  const name = `${method} ${status} ${route ?? "none"}`
  const known = series.get(name)
  const update = known ?? seriesOf(method, route ?? "none", String(status))
  if (known === undefined) series.set(name, update)
  return update(seconds)
}
