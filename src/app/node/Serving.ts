import * as HttpMiddleware from "@effect/platform/HttpMiddleware"
import * as HttpServer from "@effect/platform/HttpServer"
import * as BunContext from "@effect/platform-bun/BunContext"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { Accounts } from "../../features/accounts/Accounts.ts"
import { Sessions } from "../../features/accounts/Sessions.ts"
import { sessionScopes } from "../../features/accounts/SessionsApi.ts"
import { dataDirectory } from "../../foundation/database/Location.ts"
import * as Console from "../console/Console.ts"
import * as Mcp from "../mcp/Mcp.ts"
import * as Server from "../server/Server.ts"
import { announce, baseOf, linkTo, sessionSeconds } from "./Console.ts"
import { Collector } from "./Telemetry.ts"
import * as Welcome from "./Welcome.ts"

const welcome = Layer.scopedDiscard(
  Effect.gen(function* () {
    const { address } = yield* HttpServer.HttpServer
    const accounts = yield* Accounts
    const sessions = yield* Sessions
    const base = address._tag === "TcpAddress" ? baseOf(address.hostname, address.port) : address.path
    yield* announce(base)
    const file = yield* Welcome.FirstKeyFile
    const first = yield* accounts.firstKey(Welcome.handOver(file))
    // A link works like a key, so a log without the key must not have the link.
    const link = yield* Option.match(Option.isSome(file) ? Option.none() : first, {
      onNone: () => Effect.succeedNone,
      onSome: ({ account }) =>
        sessions.invite(account, { scopes: sessionScopes.operator, seconds: sessionSeconds }).pipe(
          Effect.flatMap(({ code }) => linkTo(code, Effect.succeed(base))),
          Effect.asSome
        )
    })
    const key = Option.map(first, ({ key }) => key)
    yield* Welcome.print({ base, directory: yield* dataDirectory, file, key, link })
  })
).pipe(Layer.provide([Accounts.Default, BunContext.layer, Sessions.Default]))

/** Probes, which machines send every few seconds. */
const probes = new Set(["/healthz", "/readyz", "/metrics"])

/** A span costs a read of the request's headers, so there are no spans without a collector, or for probes. */
const spans = Layer.unwrapEffect(
  Effect.map(
    Collector,
    Option.match({
      onNone: () => Layer.locallyScoped(HttpMiddleware.currentTracerDisabledWhen, () => true),
      onSome: () => Layer.locallyScoped(HttpMiddleware.currentTracerDisabledWhen, ({ url }) => probes.has(url))
    })
  )
)

/** A node that serves requests; its first start prints the first key. */
export const layer = welcome.pipe(
  Layer.provide(Server.layerWith(Layer.merge(Mcp.layer, Console.layer))),
  Layer.provide(spans)
)
