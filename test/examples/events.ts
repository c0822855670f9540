import * as SqlClient from "@effect/sql/SqlClient"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Queue from "effect/Queue"
import * as Schema from "effect/Schema"
import { Accounts, Database, Guarded, Projects } from "findable"
import { CreateSubscription, Deliveries, Events, interventionDeployed, Subscriptions } from "findable/events"
import { verify } from "findable/webhooks"

// A deployment tool with its own table: the row and the event are one transaction, so no webhook reports a rolled-back deployment.

const program = Effect.gen(function* () {
  const accounts = yield* Accounts
  const events = yield* Events
  const projects = yield* Projects
  const sql = yield* SqlClient.SqlClient
  const subscriptions = yield* Subscriptions

  const received = yield* Queue.unbounded<{ readonly body: string; readonly header: string | null }>()
  const receiver = Bun.serve({
    fetch: async (request) => {
      const header = request.headers.get("service-signature")
      Queue.unsafeOffer(received, { body: await request.text(), header })
      return new Response("thanks")
    },
    hostname: "127.0.0.1",
    port: 0
  })

  const { id: account } = yield* accounts.findOrCreate("the deployer", "starter")
  const { id: project } = yield* projects.create(account, { url: "https://shop.example" })
  const { secret } = yield* subscriptions.create(
    account,
    yield* Schema.decode(CreateSubscription)({ events: ["intervention.deployed"], url: receiver.url.href })
  )

  yield* sql`CREATE TABLE IF NOT EXISTS deployments (id text PRIMARY KEY)`
  const deploy = (id: string) =>
    Effect.gen(function* () {
      yield* sql`INSERT INTO deployments (id) VALUES (${id})`
      yield* events.publish(account, interventionDeployed, {
        connector: "deployer",
        deployed_at: yield* DateTime.now,
        id,
        project_id: project,
        summary: "A new title",
        url: "https://shop.example/"
      })
    }).pipe(sql.withTransaction)

  const [one, two] = [crypto.randomUUID(), crypto.randomUUID()]
  yield* deploy(one)
  // The same id again violates the table's constraint: neither the row nor the event was written.
  const refused = yield* Effect.either(deploy(one))
  yield* deploy(two)

  const [first, second] = yield* Effect.all([Queue.take(received), Queue.take(received)])
  const verdicts = yield* Effect.promise(() =>
    Promise.all([first, second].map(({ body, header }) => verify({ body, header, now: Date.now() / 1000, secret })))
  )
  const told = new Set([first, second].map(({ body }) => JSON.parse(body).data.id))
  const isWhole = told.has(one) && told.has(two)
  console.log(JSON.stringify({ isWhole, refused: refused._tag, valid: verdicts.map(({ valid }) => valid) }))
  yield* Effect.promise(() => receiver.stop(true))
})

const services = Layer.mergeAll(
  Accounts.Default,
  Deliveries.layer,
  Events.Default,
  Projects.Default,
  Subscriptions.Default
).pipe(Layer.provide(Guarded.layer), Layer.provideMerge(Database.layer))

await Effect.runPromise(Effect.provide(program, services))
