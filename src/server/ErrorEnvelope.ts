import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import type * as HttpApp from "@effect/platform/HttpApp"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Api } from "../Api.ts"
import { type ApiError, apiError } from "../http/Failure.ts"
import * as Entropy from "../secrets/Entropy.ts"
import { withAnswerHeaders } from "./AnswerHeaders.ts"
import * as Cors from "./Cors.ts"
import { docsPath } from "./Docs.ts"
import { Drain } from "./Drain.ts"
import { answer, errorOf } from "./ErrorAnswer.ts"
import { withJsonBody } from "./JsonBody.ts"
import { RequestId } from "./RequestId.ts"
import { type Route, routesOf } from "./Routes.ts"
import { observed } from "./Traffic.ts"

const noRoute = apiError("not_found", "There is no such route")

const wrongMethod = (route: Route) =>
  apiError("method_not_allowed", `This route answers ${route.methods.join(", ")}`, {
    headers: { allow: route.methods.join(", ") }
  })

/**
 * The one place that every answer passes, whatever happened: route and method are judged before anything else, failures of all kinds become the
 * error envelope, and the request id is in the header, the envelope and the log.
 */
export const layer = HttpApiBuilder.middleware(
  Effect.gen(function* () {
    const drain = yield* Drain
    const entropy = yield* Entropy.Entropy
    const find = routesOf(Api, [docsPath])
    const cors = yield* Cors.make

    return (app: HttpApp.Default) =>
      Effect.gen(function* () {
        const request = yield* HttpServerRequest.HttpServerRequest
        const requestId = RequestId.fromRandom(yield* entropy.bytes(26))
        const route = find(request.url.split("?", 1)[0] ?? "/")
        const routed = (): HttpApp.Default<ApiError> => {
          if (route === undefined) return noRoute
          if (route.methods.includes(request.method)) {
            const read = withJsonBody(request, route.bodyLimits.get(request.method) ?? 0)
            return Effect.provideService(app, HttpServerRequest.HttpServerRequest, read)
          }
          return cors.preflight(request, route) ?? wrongMethod(route)
        }
        const response = yield* drain.pass(routed()).pipe(
          Effect.catchAllCause((cause) => Effect.map(errorOf(cause), (error) => answer(error, requestId))),
          Effect.provideService(RequestId, requestId),
          Effect.annotateLogs({ method: request.method, path: route?.path ?? "unknown", request_id: requestId }),
          observed(request.method, route?.path)
        )
        return withAnswerHeaders(cors.shared(request, response), route?.path, requestId)
      })
  })
).pipe(Layer.provide(Entropy.layer))
