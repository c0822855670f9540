import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as HttpServer from "@effect/platform/HttpServer"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Authorize from "../../features/accounts/Authorize.ts"
import { PublicBase } from "../../foundation/http/PublicUrl.ts"
import * as Entropy from "../../foundation/secrets/Entropy.ts"
import * as ApiRoutes from "./ApiRoutes.ts"
import { closeFirst } from "./Drain.ts"
import * as ErrorEnvelope from "./ErrorEnvelope.ts"
import * as Listener from "./Listener.ts"
import { Host } from "./Settings.ts"

const isLoopback = (host: string) => /^(?:localhost|127(?:\.\d+){3}|\[?::1\]?)$/i.test(host)

/** Without a public address links name the `Host` of each request, which is safe on the loopback alone. */
const warned = Layer.effectDiscard(
  Effect.flatMap(Effect.all({ base: PublicBase, host: Host }), ({ base, host }) =>
    Effect.when(
      Effect.logWarning(
        `The server listens on ${host} and FINDABLE_PUBLIC_URL is not set: links in answers name the host that each request claims. Set FINDABLE_PUBLIC_URL`
      ),
      () => Option.isNone(base) && !isLoopback(host)
    )
  )
)

const serving = Layer.unwrapEffect(Effect.map(ErrorEnvelope.make, (app) => HttpServer.serve(app))).pipe(
  Layer.provide([HttpApiBuilder.Router.Live, Entropy.layer])
)

/** Serves the API and further routes on `FINDABLE_HOST:FINDABLE_PORT`; requests in flight finish before its scope ends. */
export const layerWith = <E, R>(routes: Layer.Layer<never, E, R>) =>
  closeFirst.pipe(
    Layer.provideMerge(serving),
    Layer.provide(warned),
    Layer.provide([ApiRoutes.layer, routes]),
    Layer.provide([Authorize.layer, Entropy.layer]),
    Layer.provide(ApiRoutes.shared),
    Layer.provideMerge(Listener.layer)
  )
