// What the platform costs a request: CPU time of one request in this process, without a socket and without a database. Each row adds a part to the row above it.
import * as HttpApi from "@effect/platform/HttpApi"
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as HttpApiMiddleware from "@effect/platform/HttpApiMiddleware"
import * as HttpApiSecurity from "@effect/platform/HttpApiSecurity"
import * as HttpApp from "@effect/platform/HttpApp"
import * as HttpMiddleware from "@effect/platform/HttpMiddleware"
import * as HttpRouter from "@effect/platform/HttpRouter"
import * as HttpServer from "@effect/platform/HttpServer"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { identity } from "effect/Function"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"

type Handle = (request: Request) => Promise<Response>

const [rounds = 7, requests = 10_000] = process.argv.slice(2).map(Number)

const text = JSON.stringify({ data: Array.from({ length: 50 }, (_, at) => ({ id: at, query: `word ${at}` })) })

const answer = HttpServerResponse.text(text, { contentType: "application/json" })

const Page = Schema.Struct({
  cursor: Schema.optional(Schema.String),
  limit: Schema.optionalWith(Schema.NumberFromString.pipe(Schema.int(), Schema.between(1, 200)), { default: () => 50 })
})

/** A contract with one operation, which takes the parts of a request that it names. */
const contract = HttpApiEndpoint.get("keywords", "/api/v1/projects/:id/keywords")

class Caller extends Context.Tag("bench/Caller")<Caller, { readonly account: string }>() {}

class Authorized extends HttpApiMiddleware.Tag<Authorized>()("bench/Authorized", {
  provides: Caller,
  security: { key: HttpApiSecurity.apiKey({ in: "header", key: "x-api-key" }) }
}) {}

const authorized = Layer.succeed(Authorized, {
  key: (key) => Effect.promise(async () => ({ account: Redacted.value(key) }))
})

/** Effects as a use case has them: a service is read and a value passed on, so many times. */
const steps = (count: number) =>
  Effect.gen(function* () {
    let length = 0
    for (let step = 0; step < count; step++) length += (yield* Effect.map(Caller, ({ account }) => account)).length
    return length
  })

/** Lines are formatted as the product formats them, and not written. */
const logger = Logger.replace(
  Logger.defaultLogger,
  Logger.map(Logger.logfmtLogger, () => undefined)
)

/** Without a collector the product makes no spans: the platform asks for both. */
const spans = (areMade: boolean) =>
  Layer.merge(
    Layer.setTracerEnabled(areMade),
    Layer.locallyScoped(HttpMiddleware.currentTracerDisabledWhen, () => !areMade)
  )

const untraced = await Effect.runPromise(Effect.provide(Effect.runtime<never>(), spans(false)))

const handlerOf = (
  api: Layer.Layer<HttpApi.Api>,
  isTraced = false,
  middleware: (app: HttpApp.Default) => HttpApp.Default = identity
): Handle =>
  HttpApiBuilder.toWebHandler(Layer.mergeAll(api, HttpServer.layerContext, logger, spans(isTraced)), {
    middleware
  }).handler

const webHandlerOf: (app: HttpApp.Default) => Handle = HttpApp.toWebHandlerRuntime(untraced)

const headed = Effect.map<HttpServerResponse.HttpServerResponse, HttpServerResponse.HttpServerResponse>(
  HttpServerResponse.setHeaders({
    "cache-control": "private, no-store",
    vary: "Accept, Accept-Encoding",
    "x-content-type-options": "nosniff",
    "x-ratelimit-limit": "600",
    "x-ratelimit-remaining": "599",
    "x-request-id": "req_00000000000000000000000000"
  })
)

const logged = (app: HttpApp.Default) =>
  Effect.tap(app, ({ status }) =>
    Effect.annotateLogs(Effect.logInfo("GET /api/v1/projects/:id/keywords"), { ms: 1.5, request_id: "req_0", status })
  )

const plainApi = HttpApi.make("bench").add(HttpApiGroup.make("all").add(contract.addSuccess(Schema.Unknown)))

const described = contract
  .setPath(Schema.Struct({ id: Schema.UUID }))
  .setUrlParams(Page)
  .addSuccess(Schema.Unknown)

const pagedApi = HttpApi.make("bench").add(HttpApiGroup.make("all").add(described))

const keyedApi = HttpApi.make("bench").add(HttpApiGroup.make("all").add(described.middleware(Authorized)))

const plain = HttpApiBuilder.api(plainApi).pipe(
  Layer.provide(HttpApiBuilder.group(plainApi, "all", (all) => all.handle("keywords", () => answer)))
)

const paged = HttpApiBuilder.api(pagedApi).pipe(
  Layer.provide(HttpApiBuilder.group(pagedApi, "all", (all) => all.handle("keywords", () => answer)))
)

const keyed = (count: number) =>
  HttpApiBuilder.api(keyedApi).pipe(
    Layer.provide(
      HttpApiBuilder.group(keyedApi, "all", (all) =>
        all.handle("keywords", () => Effect.zipRight(steps(count), answer))
      )
    ),
    Layer.provide(authorized)
  )

const parts: ReadonlyArray<readonly [string, Handle]> = [
  [
    "by hand: the path and the key are read, a response made",
    async (request) => {
      const { pathname, searchParams } = new URL(request.url)
      const [, , , , id] = pathname.split("/")
      const limit = Number(searchParams.get("limit") ?? "50")
      const account = await Promise.resolve(request.headers.get("x-api-key"))
      if (id === undefined || account === null || limit > 200) return new Response(null, { status: 422 })
      return new Response(text, { headers: { "content-type": "application/json" } })
    }
  ],
  ["a fiber, the request and the response of the platform", webHandlerOf(answer)],
  [
    "the router, with a parameter in the path",
    webHandlerOf(HttpRouter.empty.pipe(HttpRouter.get("/api/v1/projects/:id/keywords", answer), Effect.orDie))
  ],
  ["HttpApi with one operation, without schemas", handlerOf(plain)],
  ["schemas of the path and of the query parameters", handlerOf(paged)],
  ["a middleware that reads the key", handlerOf(keyed(0))],
  ["fifty steps of a use case", handlerOf(keyed(50))],
  ["six headers of the response", handlerOf(keyed(50), false, headed)],
  ["a line of the access log, formatted", handlerOf(keyed(50), false, (app) => logged(headed(app)))],
  ["a span, as with a collector", handlerOf(keyed(50), true, (app) => logged(headed(app)))]
]

const url = "http://127.0.0.1/api/v1/projects/0191d3a2-7c1e-7b59-a0c4-6d1f7e0b2f11/keywords?limit=50"

const one = Effect.succeed(1)

/** Two values as one, in the ways that a program can say it, and a value for a part of a program. */
const pieces: ReadonlyArray<readonly [string, Effect.Effect<unknown>]> = [
  ["Effect.flatMap and Effect.map", Effect.flatMap(one, (a) => Effect.map(one, (b) => [a, b] as const))],
  ["Effect.zip", Effect.zip(one, one)],
  ["Effect.all", Effect.all([one, one])],
  ["Effect.provideService", Effect.provideService(Caller, Caller, { account: "a" })],
  ["Effect.scoped", Effect.scoped(one)],
  ["Effect.withSpan, without a tracer", Effect.withTracerEnabled(Effect.withSpan(one, "span"), false)]
]

/** Microseconds of CPU that each of so many runs takes. */
const cost = async (run: () => Promise<unknown>, count: number) => {
  const before = process.cpuUsage()
  for (let at = 0; at < count; at++) await run()
  const { system, user } = process.cpuUsage(before)
  return (system + user) / count
}

const answered = (handle: Handle) => async () => {
  const response = await handle(new Request(url, { headers: { "x-api-key": "fnd_test_bench" } }))
  const body = await response.text()
  if (response.status !== 200) throw new Error(`${response.status}: ${body}`)
}

const repeats = 100

const repeated = (effect: Effect.Effect<unknown>) => {
  const all = Effect.repeatN(effect, repeats - 1)
  return () => Effect.runPromise(all)
}

const median = (values: ReadonlyArray<number>) => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0

/** The median costs of all, measured in turns, after compilers have warmed up. */
const measured = async (all: ReadonlyArray<() => Promise<unknown>>, count: number) => {
  for (const run of all) await cost(run, 2 * count)
  const costs = all.map((): Array<number> => [])
  for (let round = 0; round < rounds; round++)
    for (const [at, run] of all.entries()) costs[at]?.push(await cost(run, count))
  return costs.map(median)
}

const ofParts = await measured(
  parts.map(([, handle]) => answered(handle)),
  requests
)
for (const [at, [name]] of parts.entries()) {
  const here = ofParts[at] ?? 0
  const added = here - (ofParts[at - 1] ?? 0)
  console.log(`${here.toFixed(1).padStart(7)} µs  ${(at === 0 ? "" : `+${added.toFixed(1)}`).padStart(7)}  ${name}`)
}

console.log()
const [none = 0, ...ofPieces] = await measured(
  [repeated(one), ...pieces.map(([, effect]) => repeated(effect))],
  requests / 10
)
for (const [at, [name]] of pieces.entries())
  console.log(`${(((ofPieces[at] ?? 0) - none) / repeats).toFixed(2).padStart(7)} µs  ${name}`)
process.exit(0)
