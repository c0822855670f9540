import { expect } from "bun:test"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as OutboundLive from "../../../src/foundation/outbound/OutboundLive.ts"
import { ResolveFailed, Resolver } from "../../../src/foundation/outbound/Vet.ts"
import { suite } from "../../harness.ts"
import * as Server from "../../server.ts"
import { eventually } from "../../waiting.ts"

/** A resolver that answers on command, then, until the next command, that it knows nothing. */
const resolver = { asked: 0, answer: Effect.runSync(Deferred.make<ReadonlyArray<string>, ResolveFailed>()) }

const outbound = Layer.provide(
  OutboundLive.layerNoDeps,
  Layer.succeed(Resolver, {
    addresses: () =>
      Effect.suspend(() => {
        resolver.asked++
        return Deferred.await(resolver.answer)
      })
  })
)

const it = suite(Server.layerWith({ FINDABLE_DATABASE_POOL: "3" }, outbound))

it("requests with a key that wait for another's name servers leave the database to the others", function* () {
  const { key } = yield* Server.customer()
  const create = (idempotency: string) =>
    Server.send("POST", "/api/v1/webhooks", {
      body: { events: ["audit.completed"], url: "http://slow.example/hook" },
      headers: { "idempotency-key": idempotency },
      key
    })
  const waiting = yield* Effect.fork(
    Effect.forEach(
      Array.from({ length: 6 }, (_, n) => `subscribe-${n}`),
      create,
      { concurrency: "unbounded" }
    )
  )
  yield* eventually(() => resolver.asked === 6)
  expect((yield* Server.send("GET", "/api/v1/projects", { key })).status).toBe(200)
  yield* Deferred.succeed(resolver.answer, ["127.0.0.1"])
  expect((yield* Fiber.join(waiting)).map(({ status }) => status)).toEqual([201, 201, 201, 201, 201, 201])

  resolver.answer = yield* Deferred.make<ReadonlyArray<string>, ResolveFailed>()
  yield* Deferred.fail(resolver.answer, new ResolveFailed({ message: "no such name" }))
  expect(yield* create("subscribe-1")).toMatchObject({ body: { meta: { idempotent_replay: true } }, status: 200 })
  expect((yield* create("subscribe-9")).status).toBe(422)
})
