import * as HttpRouter from "@effect/platform/HttpRouter"
import * as HttpServer from "@effect/platform/HttpServer"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as BunHttpServer from "@effect/platform-bun/BunHttpServer"
import * as BunRuntime from "@effect/platform-bun/BunRuntime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Accounts, Database, Embedded, EmbedderAuth, Guarded } from "findable/server"

// An agency's program: its pages at `/`, the API of Findable below `/search` for signed-in people.

const port = Number(process.env.PORT ?? 0)

const app = Effect.gen(function* () {
  const accounts = yield* Accounts
  // The same account at each start, for any number of processes.
  const { id: account } = yield* accounts.findOrCreate("the agency", "agency_team")

  /** Signed-in people may do everything; the agency's own sessions take the place of keys. */
  const sessions = EmbedderAuth.layer(({ cookies }) =>
    cookies.session === "known"
      ? Effect.succeed({ account, scopes: ["*", "site-health:write"] })
      : new EmbedderAuth.NotAuthorized({ message: "Log in first", reason: "missing_key" })
  )
  const api = yield* Effect.provide(Embedded.make({ prefix: "/search" }), sessions)

  return HttpRouter.empty.pipe(
    HttpRouter.get("/", HttpServerResponse.text("The agency")),
    HttpRouter.mountApp("/search", api, { includePrefix: true })
  )
})

const server = Layer.unwrapScoped(Effect.map(app, (router) => HttpServer.serve(router))).pipe(
  HttpServer.withLogAddress,
  Layer.provide(BunHttpServer.layer({ port })),
  Layer.provide([Accounts.Default, Guarded.layer]),
  Layer.provide(Database.layer)
)

BunRuntime.runMain(Layer.launch(server))
