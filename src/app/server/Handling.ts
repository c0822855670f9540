import * as HttpRouter from "@effect/platform/HttpRouter"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { OpenRequests } from "../../features/accounts/OpenRequests.ts"
import { StatementLimit } from "../../foundation/database/StatementLimit.ts"
import { apiError } from "../../foundation/http/ApiError.ts"
import { CurrentRequest } from "../../foundation/http/ServerContext.ts"
import { answer, errorOf } from "./ErrorAnswer.ts"
import { withJsonBody } from "./JsonBody.ts"
import { noBody, routeTable, searchParams } from "./RouteTable.ts"
import { ReadTimeout } from "./Settings.ts"
import { unknownParameters, withWarnings } from "./UnknownParameters.ts"

const noRoute = apiError("not_found", "There is no such route")

/** Finds what handles a request, and runs it with what handlers need. */
export const make = Effect.map(
  Effect.all({ find: routeTable, open: OpenRequests, readTimeout: ReadTimeout }),
  ({ find, open, readTimeout }) => {
    const ofReads = Context.make(StatementLimit, Duration.toMillis(readTimeout))

    /** The route of a request, the handler of its method, and its parameters. */
    const matched = ({ method, url }: HttpServerRequest.HttpServerRequest) => {
      const end = url.indexOf("?")
      const match = find(end === -1 ? url : url.slice(0, end))
      return {
        handled: match?.route.methods.get(method),
        match,
        parameters: searchParams(end === -1 ? "" : url.slice(end + 1))
      }
    }
    type Matched = ReturnType<typeof matched>

    /** The answer of a handler, or another answer in its place; every failure becomes the error envelope. */
    const answered = <E, R>(
      { handled, parameters }: Matched,
      request: HttpServerRequest.HttpServerRequest,
      current: CurrentRequest["Type"],
      response: Effect.Effect<Parameters<typeof withWarnings>[0], E, R>
    ) => {
      const inner = Context.make(CurrentRequest, current).pipe(
        Context.add(HttpServerRequest.HttpServerRequest, withJsonBody(request, handled?.body ?? noBody)),
        Context.add(HttpServerRequest.ParsedSearchParams, parameters)
      )
      return Effect.provide(
        Effect.catchAllCause(open.kept(response), (cause) =>
          Effect.map(errorOf(cause, handled?.narrowing), (error) => answer(error, current.id))
        ),
        inner
      )
    }

    /** Runs the handler of a request; without one there is no such route. */
    const handle = ({ handled, match, parameters }: Matched) => {
      if (handled === undefined || match === undefined) return noRoute
      const routed = Context.make(HttpRouter.RouteContext, handled.matched(match.params))
      const limited: typeof routed = handled.isRead ? Context.merge(routed, ofReads) : routed
      const warnings = unknownParameters(parameters, handled.parameters)
      const response = Effect.provide(handled.run, limited)
      return warnings.length === 0 ? response : Effect.map(response, (response) => withWarnings(response, warnings))
    }

    return { answered, handle, matched }
  }
)
