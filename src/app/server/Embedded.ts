import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import type * as HttpApp from "@effect/platform/HttpApp"
import * as HttpServer from "@effect/platform/HttpServer"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Prefix } from "../../foundation/http/Request.ts"
import * as Entropy from "../../foundation/secrets/Entropy.ts"
import * as ApiRoutes from "./ApiRoutes.ts"
import * as ErrorEnvelope from "./ErrorEnvelope.ts"

/** A path that no route has. */
const nowhere = "//"

/** The request without the prefix, which the API's paths do not have. */
const without = (prefix: string, request: HttpServerRequest.HttpServerRequest) => {
  const rest = request.url.startsWith(prefix) ? request.url.slice(prefix.length) : nowhere
  return request.modify({
    url: rest === "" || rest.startsWith("?") ? `/${rest}` : rest.startsWith("/") ? rest : nowhere
  })
}

/** Routes with their middleware. */
const around = <A, E, R>(routes: Layer.Layer<A, E, R>) =>
  ErrorEnvelope.closeFirst.pipe(
    Layer.provideMerge(routes),
    Layer.provideMerge(ApiRoutes.shared),
    Layer.provideMerge(Layer.mergeAll(HttpApiBuilder.Router.Live, Entropy.layer, HttpServer.layerContext))
  )

/** The place of the app in the program that mounts it. */
interface Mounted {
  /** The path of the app; the whole host by default. */
  readonly prefix?: `/${string}` | ""
}

const whole = around(ApiRoutes.layer)
const siteHealthOnly = around(ApiRoutes.siteHealth)

const mounted = <E, R>(
  parts: Layer.Layer<Layer.Layer.Success<typeof whole | typeof siteHealthOnly>, E, R>,
  prefix: Mounted["prefix"] = ""
) =>
  Effect.flatMap(Layer.build(Layer.fresh(parts)), (context) =>
    Effect.map(
      Effect.provide(ErrorEnvelope.make, context),
      (app): HttpApp.Default =>
        Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) =>
          app.pipe(
            Effect.provideService(HttpServerRequest.HttpServerRequest, without(prefix, request)),
            Effect.provide(context)
          )
        )
    )
  ).pipe(Effect.provideService(Prefix, prefix))

/**
 * The whole API without a listener: an app that serves each request below the prefix, including the reference at `/docs` and the OpenAPI document, and returns
 * 404 to all others. The app needs the middleware of keys and scopes: the product's, or the program's. Routes of other APIs in the program stay separate.
 * Handlers in flight finish before its scope ends; the program's listener waits for responses in transit.
 */
export const make = ({ prefix }: Mounted = {}) => mounted(whole, prefix)

/** The API of site health alone without a listener: sites, runs with their results and schedules, checks, and their reference. */
export const siteHealth = ({ prefix }: Mounted = {}) => mounted(siteHealthOnly, prefix)
