import { describe, expect } from "bun:test"
import * as SqlClient from "@effect/sql/SqlClient"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { Accounts } from "../../../../src/features/accounts/Accounts.ts"
import { Events } from "../../../../src/features/events/Events.ts"
import { ListsRepo } from "../../../../src/features/webhooks/deliveries/Deliveries.ts"
import { DeliveriesRepo } from "../../../../src/features/webhooks/deliveries/DeliveriesRepo.ts"
import { QueueRepo } from "../../../../src/features/webhooks/deliveries/Queue.ts"
import { Attempts } from "../../../../src/features/webhooks/deliveries/Sender.ts"
import { Ping } from "../../../../src/features/webhooks/subscriptions/Ping.ts"
import { CreateSubscription } from "../../../../src/features/webhooks/subscriptions/Subscription.ts"
import { Subscriptions } from "../../../../src/features/webhooks/subscriptions/Subscriptions.ts"
import { Outbound } from "../../../../src/foundation/outbound/Outbound.ts"
import * as OutboundLive from "../../../../src/foundation/outbound/OutboundLive.ts"
import { ResolveFailed } from "../../../../src/foundation/outbound/Vet.ts"
import * as cluster from "../../../cluster.ts"
import * as Hostile from "../../../foundation/outbound/hostile.ts"
import { suite } from "../../../harness.ts"
import * as Server from "../../../server.ts"
import { log, publishExample } from "../pipeline.ts"
import { receiver } from "../receiver.ts"

/** What names lead to: each look-up takes the next answer, and the last one stays. */
const answers = new Map<string, Array<ReadonlyArray<string>>>()

const resolver = {
  addresses: (name: string) =>
    Effect.suspend(() => {
      const known = answers.get(name) ?? []
      const [next] = known.length > 1 ? known.splice(0, 1) : known
      return next === undefined ? new ResolveFailed({ message: `${name} has no address` }) : Effect.succeed(next)
    })
}

// The network is closed as in production: no private range is opened.
const it = suite(
  Layer.mergeAll(
    Accounts.Default,
    Attempts.Default,
    DeliveriesRepo.Default,
    Events.Default,
    ListsRepo.Default,
    Ping.Default,
    QueueRepo.Default,
    Subscriptions.Default
  ).pipe(
    Layer.provideMerge(Layer.succeed(Outbound, OutboundLive.make({ allowed: [], authorities: [], resolver }))),
    Layer.provideMerge(cluster.layer),
    Layer.provide(Layer.setConfigProvider(ConfigProvider.fromMap(new Map(Object.entries(Server.settings)))))
  )
)

const decode = Schema.decodeUnknownEither(CreateSubscription)

const account = Effect.flatMap(Accounts, (accounts) => Effect.map(accounts.create("a", "free"), ({ id }) => id))

/** A subscription as it was made while its name led to a public address. */
const subscribed = (name: string, port: number, later: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const owner = yield* account
    const { create } = yield* Subscriptions
    answers.set(name, [["93.184.215.14"], later])
    const url = `http://${name}:${port}/`
    const asked = yield* decode({ events: ["audit.failed"], url })
    return { ...(yield* create(owner, asked)), account: owner }
  })

describe("an address that is not public", () => {
  it("is refused when a webhook is made of it, in all its spellings", function* () {
    const owner = yield* account
    const { create, patch } = yield* Subscriptions
    answers.set("public.example", [["93.184.215.14"]])
    const fine = yield* create(owner, yield* decode({ events: ["audit.failed"], url: "https://public.example/" }))
    expect(Hostile.literals.length).toBeGreaterThanOrEqual(100)
    for (const url of Hostile.literals) {
      const asked = decode({ events: ["audit.failed"], url })
      // Some spellings are no absolute address to begin with.
      if (Either.isLeft(asked)) continue
      for (const refused of [create(owner, asked.right), patch(owner, fine.id, { url: asked.right.url })]) {
        const error = yield* Effect.flip(refused)
        expect({ error, url }).toMatchObject({ error: { _tag: "Invalid", details: [{ path: "url" }] }, url })
      }
    }
  })

  it("is refused behind a name, also when only one of its addresses is of that kind", function* () {
    const owner = yield* account
    const { create } = yield* Subscriptions
    for (const addresses of [
      ["127.0.0.1"],
      ["::1"],
      ["10.0.0.1", "93.184.215.14"],
      ["93.184.215.14", "169.254.169.254"],
      ["::ffff:127.0.0.1"]
    ]) {
      answers.set("inner.example", [addresses])
      const error = yield* Effect.flip(
        create(owner, yield* decode({ events: ["audit.failed"], url: "https://inner.example/" }))
      )
      expect(error.details?.[0]?.message).toStartWith("must be public")
    }
  })

  it("is never asked when a name that was public leads there later, and the log says why", function* () {
    const target = yield* receiver()
    const { attempt } = yield* Attempts
    const { claim, renew } = yield* QueueRepo
    const { ping } = yield* Ping
    const webhook = yield* subscribed("rebound.example", Number(new URL(target.url).port), ["127.0.0.1"])
    yield* publishExample["audit.failed"](webhook.account)
    const worker = crypto.randomUUID()
    yield* renew(worker)
    const turns = [{ count: 10, since: "-infinity", webhook: webhook.id }]
    const outcomes = yield* Effect.forEach(yield* claim({ turns, worker }), attempt)
    expect(outcomes).toMatchObject([{ error: { code: "blocked" }, response: null, statusCode: null }])
    const answer = yield* ping(webhook.account, webhook.id, { verify_rejection: false })
    expect(answer).toMatchObject({ delivered: false, error: { code: "blocked" }, status_code: null })
    expect(target.received).toEqual([])
  })

  it("that got into the database all the same is not asked either, in any of its spellings", function* () {
    const sql = yield* SqlClient.SqlClient
    const { ping } = yield* Ping
    const webhook = yield* subscribed("stored.example", 80, ["93.184.215.14"])
    for (const url of Hostile.literals) {
      if (Either.isLeft(decode({ events: ["audit.failed"], url }))) continue
      yield* sql`UPDATE webhooks SET url = ${url} WHERE id = ${webhook.id}`
      expect((yield* ping(webhook.account, webhook.id, { verify_rejection: false })).error?.code).toBe("blocked")
    }
    expect(yield* log(webhook)).toEqual([])
  })
})

it("a name that does not resolve is refused with the name of the field", function* () {
  const { create } = yield* Subscriptions
  const asked = yield* decode({ events: ["audit.failed"], url: "https://nowhere.example/" })
  const error = yield* Effect.flip(create(yield* account, asked))
  expect(error.details).toEqual([
    expect.objectContaining({
      message: "must have a host that resolves: nowhere.example has no address",
      path: "url"
    })
  ])
})
