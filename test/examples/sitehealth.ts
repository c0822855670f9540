import * as HttpServer from "@effect/platform/HttpServer"
import * as BunHttpServer from "@effect/platform-bun/BunHttpServer"
import * as BunRuntime from "@effect/platform-bun/BunRuntime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Tracer from "effect/Tracer"
import { Feeds } from "findable/events"
import { Accounts, Database, Embedded, EmbedderAuth, Guarded, Outbound, Workers } from "findable/server"

// Site health alone in another program: its API below `/health`, crawls through the program's client, its events in process, its spans traced.

const port = Number(process.env.PORT ?? 0)
let requests = 0
const spans = new Set<string>()

/** The protected client behind a counter. Because it is not the product's own, crawls run in this process, and all of their requests pass here. */
const counting = Layer.effect(
  Outbound,
  Effect.map(Outbound, (guarded) => ({
    ...guarded,
    exchange: (request) =>
      Effect.suspend(() => {
        requests++
        return guarded.exchange(request)
      })
  }))
).pipe(Layer.provide(Guarded.layer))

/** Any tracer can take this place, such as that of `@effect/opentelemetry`. */
const tracing = Layer.unwrapEffect(
  Effect.map(Effect.tracer, (tracer) =>
    Layer.setTracer(
      Tracer.make({
        context: tracer.context,
        span: (...span) => {
          spans.add(span[0])
          return tracer.span(...span)
        }
      })
    )
  )
)

const app = Effect.gen(function* () {
  const accounts = yield* Accounts
  // The same account at each start, for any number of processes.
  const { id: account } = yield* accounts.findOrCreate("the shop", "agency_team")
  const visitors = EmbedderAuth.layer(() => Effect.succeed({ account, scopes: ["*", "site-health:write"] }))
  return yield* Effect.provide(Embedded.siteHealth({ prefix: "/health" }), visitors)
})

/** Reads events while the program runs, and continues at the next start. */
const events = Layer.scopedDiscard(
  Effect.flatMap(Feeds, (feeds) =>
    Effect.forkScoped(
      feeds.follow("the shop", ({ data, type }) =>
        Effect.sync(() => console.log(JSON.stringify({ data, requests, spans: [...spans], type })))
      )
    )
  )
)

const server = Layer.unwrapScoped(Effect.map(app, (api) => HttpServer.serve(api))).pipe(
  HttpServer.withLogAddress,
  Layer.provide(BunHttpServer.layer({ port })),
  Layer.merge(Layer.merge(events, Workers.siteHealth)),
  Layer.provide([Accounts.Default, Feeds.Default]),
  Layer.provide(counting),
  Layer.provide(Database.layer),
  Layer.provide(tracing)
)

BunRuntime.runMain(Layer.launch(server))
