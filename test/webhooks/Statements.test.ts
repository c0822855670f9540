import { expect } from "bun:test"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Statement from "@effect/sql/Statement"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { AccountId } from "../../src/accounts/Domain.ts"
import { BacklinksRepo } from "../../src/backlinks/Repo.ts"
import { EventBody } from "../../src/events/EventBody.ts"
import { EventId } from "../../src/events/EventId.ts"
import { EventsRepo } from "../../src/events/Repo.ts"
import { InterventionId } from "../../src/interventions/Domain.ts"
import { InterventionsRepo } from "../../src/interventions/Repo.ts"
import { ProjectId } from "../../src/projects/Domain.ts"
import { OwnersRepo } from "../../src/projects/OwnersRepo.ts"
import { Sealed } from "../../src/secrets/Cipher.ts"
import { VisibilityRepo } from "../../src/visibility/Repo.ts"
import { DeliveryId, WebhookId } from "../../src/webhooks/Domain.ts"
import { DeliveriesRepo } from "../../src/webhooks/deliveries/DeliveriesRepo.ts"
import { before } from "../../src/webhooks/deliveries/Position.ts"
import { QueueRepo } from "../../src/webhooks/deliveries/QueueRepo.ts"
import { RecordRepo } from "../../src/webhooks/deliveries/RecordRepo.ts"
import { RetentionRepo } from "../../src/webhooks/deliveries/RetentionRepo.ts"
import { SubscriptionsRepo } from "../../src/webhooks/subscriptions/SubscriptionsRepo.ts"
import { WebhookUrl } from "../../src/webhooks/subscriptions/WebhookUrl.ts"
import * as Cluster from "../cluster.ts"
import { suite } from "../harness.ts"
import { ownedBy } from "../owned.ts"

const repos = Layer.mergeAll(
  BacklinksRepo.Default,
  DeliveriesRepo.Default,
  EventsRepo.Default,
  InterventionsRepo.Default,
  OwnersRepo.Default,
  QueueRepo.Default,
  RecordRepo.Default,
  RetentionRepo.Default,
  SubscriptionsRepo.Default,
  VisibilityRepo.Default
)
const it = suite(Layer.provideMerge(repos, Cluster.layer))

const uuid = "0192f0c4-7a57-7c3e-9d1b-5f2f8f6f0a11"
const suffix = "01kakx3q7m8v2b5n9r4t6w0yzc"
const account = AccountId.make(uuid)
const project = ProjectId.make(uuid)
const webhook = WebhookId.make(`wh_${suffix}`)
const delivery = DeliveryId.make(`dlv_${suffix}`)
const time = DateTime.unsafeMake("2026-11-21T09:30:00Z")
const held = { id: delivery, lease: uuid }
const ended = { ...held, latencyMs: 1.5, response: { body: "x", truncated: false }, statusCode: 200, timings: null }
const secret = Sealed.make(`v1.${"0".repeat(16)}.${"A".repeat(16)}.AAAA`)
const subscription = {
  description: null,
  events: ["audit.failed"],
  id: webhook,
  url: WebhookUrl.make("https://a.example/")
} as const
const intervention = { connector: "c", deployedAt: time, project, summary: "s", url: "https://a.example/" }

/** Every statement of these rooms, called with whatever fits its types. */
const everything = Effect.gen(function* () {
  const backlinks = yield* BacklinksRepo
  const deliveries = yield* DeliveriesRepo
  const events = yield* EventsRepo
  const interventions = yield* InterventionsRepo
  const owners = yield* OwnersRepo
  const queue = yield* QueueRepo
  const retention = yield* RetentionRepo
  const record = yield* RecordRepo
  const subscriptions = yield* SubscriptionsRepo
  const visibility = yield* VisibilityRepo
  const id = InterventionId.make(uuid)
  const owned = ownedBy(account, webhook)
  const listed = { count: 2, eventType: "audit.failed", status: "failed", webhook: owned } as const
  const body = EventBody.make("{}")
  return {
    backlinksInsert: backlinks.insert({ domains: [{ authority: 1, domain: "a" }], project, takenAt: time }),
    backlinksLost: backlinks.lost({ authority: 60, project, takenAt: time }),
    backlinksNewest: backlinks.newest(project),
    deliveriesAbandon: deliveries.abandon(webhook),
    deliveriesFind: deliveries.find({ id: delivery, webhook: owned }),
    deliveriesList: deliveries.list({ ...listed, after: undefined }),
    deliveriesListAfter: deliveries.list({ ...listed, after: ["2026-11-21T09:30:00.000000+00:00", delivery] }),
    deliveriesRecover: deliveries.recover({ after: before("2026-11-21"), webhook: owned }),
    deliveriesRedeliver: deliveries.redeliver({ id: delivery, webhook: owned }),
    deliveriesWake: deliveries.wakeWorkers,
    eventsInsert: events.insert({
      account,
      createdAt: time,
      events: [{ body, id: EventId.make(`evt_${suffix}`), occurrence: "x" }],
      type: "audit.failed"
    }),
    interventionsHold: interventions.hold(id),
    interventionsInsert: interventions.insert(intervention),
    interventionsRollBack: interventions.rollBack({ id, reason: null, rolledBackAt: time }),
    ownersHold: owners.hold(project),
    queueAbandon: queue.abandonInactive,
    queueClaim: queue.claim({ kind: "failing", slots: 3 }),
    queueExpire: queue.expire,
    queueHandBack: queue.handBack(held),
    queueLateness: queue.lateness,
    recordAccepted: record.accepted(ended),
    recordDeactivate: record.deactivate({ reason: "gone", webhook }),
    recordRecovered: record.recovered(webhook),
    recordRefused: record.refused({ ...ended, error: { code: "http", message: "m" }, reason: null, waitMs: 5 }),
    recordRefusedForGood: record.refused({
      ...ended,
      error: { code: "http", message: "m" },
      reason: "attempts_exhausted",
      waitMs: null
    }),
    recordStanding: record.standing(held),
    retentionOld: retention.old({ after: before("-infinity"), days: 1 }),
    retentionRemove: retention.remove({ days: 1, ids: [] }),
    subscriptionsCount: subscriptions.count(account),
    subscriptionsFind: subscriptions.find({ account, id: webhook }),
    subscriptionsInsert: subscriptions.insert({ ...subscription, account, secret }),
    subscriptionsList: subscriptions.list({ account, after: ["2026-11-21T09:30:00.000000+00:00", webhook], count: 2 }),
    subscriptionsLock: subscriptions.lock({ account, id: webhook }),
    subscriptionsLockAccount: subscriptions.lockAccount(account),
    subscriptionsRemove: subscriptions.remove({ account, id: webhook }),
    subscriptionsRotate: subscriptions.rotate({ account, id: webhook, secret }),
    subscriptionsTarget: subscriptions.target({ account, id: webhook }),
    subscriptionsUpdate: subscriptions.update({ ...subscription, is_active: true }),
    visibilityInsert: visibility.insert({
      project,
      reading: { citation_rate: 1, engine: "e", sentiment: null },
      takenAt: time
    }),
    visibilityKnown: visibility.known({ engine: "e", project })
  }
})

it.effect("every statement can be prepared against the schema", () =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const statements = yield* everything
    for (const [name, statement] of Object.entries(statements)) {
      const texts: Array<string> = []
      const capture = Statement.withTransformer((original) => {
        texts.push(original.compile()[0])
        return Effect.succeed(sql`SELECT 1 WHERE false`)
      })
      // Without rows, a statement that always answers one fails: that is no fault here.
      yield* Effect.exit(capture(Effect.orDie(statement)))
      expect({ name, statements: texts.length }).toEqual({ name, statements: 1 })
      yield* sql.withTransaction(
        Effect.zipRight(
          Effect.mapError(sql.unsafe(`PREPARE checked AS ${texts[0]}`), ({ cause }) => `${name}: ${cause}`),
          sql`DEALLOCATE checked`
        )
      )
    }
  })
)
