import { describe, expect } from "bun:test"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Statement from "@effect/sql/Statement"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { AccountId } from "../../../../src/features/accounts/Domain.ts"
import { EventId } from "../../../../src/features/events/EventKind.ts"
import { WebhookId } from "../../../../src/features/webhooks/Domain.ts"
import { ListsRepo } from "../../../../src/features/webhooks/deliveries/Deliveries.ts"
import { QueueRepo } from "../../../../src/features/webhooks/deliveries/Queue.ts"
import { RecordRepo } from "../../../../src/features/webhooks/deliveries/RecordOutcome.ts"
import { PublishedRepo } from "../../../../src/features/webhooks/events/List.ts"
import { SubscriptionsRepo } from "../../../../src/features/webhooks/subscriptions/Subscriptions.ts"
import * as cluster from "../../../cluster.ts"
import { suite } from "../../../harness.ts"
import { often } from "../../../often.ts"
import { ownedBy } from "../../../owned.ts"
import { unfiltered } from "../pipeline.ts"

const finished = often(100_000)
const waiting = 10_000
const account = AccountId.make("0192f0c4-7a57-7c3e-9d1b-5f2f8f6f0a11")
/** The account with twenty of the webhooks, and the log. */
const tenant = AccountId.make("0192f0c4-7a57-7c3e-9d1b-5f2f8f6f0a12")
const nth = (index: number) => String(index).padStart(26, "0")
const webhook = WebhookId.make(`wh_${nth(1)}`)

/** A long log of one webhook, and many webhooks that wait for a later attempt; without foreign keys, because only the plans matter. */
const filled = Layer.effectDiscard(
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* sql`SET LOCAL session_replication_role = replica`
    yield* sql`INSERT INTO accounts (id, name, plan) VALUES (${account}, 'large', 'agency_team')`
    yield* sql`
      INSERT INTO webhooks (id, account_id, url, events, secret)
      SELECT 'wh_' || lpad(n::text, 26, '0'), ${account}, 'http://127.0.0.1:2/', ARRAY['audit.failed'], ${`v1.${"0".repeat(16)}.${"A".repeat(16)}.AAAA`}
      FROM generate_series(1, ${waiting}) n`
    yield* sql`INSERT INTO accounts (id, name, plan) VALUES (${tenant}, 'tenant', 'agency_team')`
    yield* sql`UPDATE webhooks SET account_id = ${tenant} WHERE id <= ${`wh_${nth(20)}`}`
    yield* sql`
      INSERT INTO webhook_log (id, webhook_id, event_id, event_type, status, failure_reason, attempts, created_at, finished_at)
      SELECT 'dlv_' || lpad(n::text, 26, '0'), ${webhook}, 'evt_' || lpad(n::text, 26, '0'),
        CASE n % 3 WHEN 0 THEN 'audit.failed' ELSE 'backlink.lost' END, CASE n % 1000 WHEN 0 THEN 'failed' ELSE 'delivered' END,
        CASE n % 1000 WHEN 0 THEN 'attempts_exhausted' END, '[]', '2026-01-01T00:00:00Z'::timestamptz + n * interval '1 second', now()
      FROM generate_series(1, ${finished}) n`
    yield* sql`
      INSERT INTO webhook_queue (webhook_id, event_id, event_type, waiting, next_attempt_at)
      SELECT id, 'evt_' || id, 'audit.failed', true, now() + interval '1 hour' FROM webhooks`
    yield* sql`
      INSERT INTO events (position, id, account_id, type, body, created_at)
      SELECT n, 'evt_' || lpad(n::text, 26, '0'), ${account}, CASE n % 1000 WHEN 0 THEN 'audit.failed' ELSE 'backlink.lost' END, '{}',
        '2026-01-01T00:00:00Z'::timestamptz + n * interval '1 second'
      FROM generate_series(1, ${finished / 10}) n`
  }).pipe((effect) => Effect.flatMap(SqlClient.SqlClient, (sql) => sql.withTransaction(effect)))
)
const analysed = Layer.effectDiscard(Effect.flatMap(SqlClient.SqlClient, (sql) => sql`ANALYZE`))

const it = suite(
  Layer.mergeAll(
    ListsRepo.Default,
    PublishedRepo.Default,
    QueueRepo.Default,
    RecordRepo.Default,
    SubscriptionsRepo.Default
  ).pipe(Layer.provideMerge(Layer.provideMerge(analysed, Layer.provideMerge(filled, cluster.layer)))),
  { timeout: 180_000 }
)

/** Database pages that a statement reads, from memory or disk. */
const buffersOf = <A, E, R>(statement: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const sent: Array<readonly [string, ReadonlyArray<unknown>]> = []
    const capture = Statement.withTransformer((original) => {
      sent.push(original.compile())
      return Effect.succeed(sql`SELECT 1 WHERE false`)
    })
    yield* Effect.exit(capture(statement))
    const [text = "", parameters = []] = sent[0] ?? []
    const explain = sql.unsafe<{ readonly "QUERY PLAN": ReadonlyArray<{ readonly Plan: Record<string, number> }> }>(
      `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${text}`,
      parameters
    )
    // A function is planned at its first call in a session.
    const [row] = yield* sql.withTransaction(Effect.zipRight(explain, explain))
    const plan = row?.["QUERY PLAN"][0]?.Plan
    return (plan?.["Shared Hit Blocks"] ?? Number.NaN) + (plan?.["Shared Read Blocks"] ?? Number.NaN)
  })

describe(`with ${finished} finished deliveries, and ${waiting} waiting webhooks`, () => {
  it("a poll and a claim touch at most 200 database pages each", function* () {
    const sql = yield* SqlClient.SqlClient
    const queue = yield* QueueRepo
    const worker = crypto.randomUUID()
    yield* queue.renew(worker)
    const claim = (id: string) => queue.claim({ turns: [{ count: 4, since: "-infinity", webhook: id }], worker })
    expect(yield* buffersOf(queue.poll(""))).toBeLessThanOrEqual(200)
    expect(yield* buffersOf(claim(webhook))).toBeLessThanOrEqual(200)
    yield* sql`UPDATE webhook_queue SET waiting = false, next_attempt_at = now() WHERE webhook_id < ${`wh_${nth(21)}`}`
    expect(yield* buffersOf(queue.poll(""))).toBeLessThanOrEqual(200)
    expect(yield* buffersOf(claim(webhook))).toBeLessThanOrEqual(200)
  })

  it("claims are HOT updates: they touch no index", function* () {
    const sql = yield* SqlClient.SqlClient
    const queue = yield* QueueRepo
    const worker = crypto.randomUUID()
    yield* queue.renew(worker)
    // A rewritten table, with the free space that new rows leave.
    yield* sql`VACUUM FULL webhook_queue`
    yield* sql`
      INSERT INTO webhook_queue (webhook_id, event_id, event_type)
      SELECT id, 'evt_' || lpad('7', 26, '0'), 'audit.failed' FROM webhooks WHERE id > ${`wh_${nth(waiting - 50)}`}`
    const turns = Array.from({ length: 50 }, (_, index) => ({
      count: 1,
      since: "-infinity",
      webhook: `wh_${nth(waiting - index)}`
    }))
    const updates = Effect.map(
      sql<{ all: number; hot: number }>`
        SELECT pg_stat_get_xact_tuples_updated(oid)::int AS all, pg_stat_get_xact_tuples_hot_updated(oid)::int AS hot
        FROM pg_class WHERE relname = 'webhook_queue'`,
      ([row]) => row ?? { all: 0, hot: 0 }
    )
    const [before, after] = yield* sql.withTransaction(
      Effect.gen(function* () {
        const before = yield* updates
        yield* queue.claim({ turns, worker })
        return [before, yield* updates] as const
      })
    )
    expect({ all: after.all - before.all, hot: after.hot - before.hot }).toEqual({ all: 50, hot: 50 })
  })

  it("polls, claims and accepted deliveries are planned once per session", function* () {
    const sql = yield* SqlClient.SqlClient
    const queue = yield* QueueRepo
    const record = yield* RecordRepo
    const worker = crypto.randomUUID()
    yield* queue.renew(worker)
    // A cached plan is listed in the session; a plan for a single call is not.
    const kept = yield* sql.withTransaction(
      Effect.gen(function* () {
        yield* queue.poll("")
        yield* queue.claim({ turns: [{ count: 1, since: "-infinity", webhook }], worker })
        yield* record.accepted({ attempts: ["{}"], ids: ["dlv_1"], numbers: [1], webhooks: [webhook], worker })
        return yield* sql<{ statement: string }>`
          SELECT DISTINCT substring(ident FROM 'WITH (RECURSIVE turns|due|accepted) AS') AS statement
          FROM pg_backend_memory_contexts WHERE name = 'CachedPlan' AND ident ~ 'WITH (RECURSIVE turns|due|accepted) AS' ORDER BY 1`
      })
    )
    expect(kept.map(({ statement }) => statement)).toEqual(["RECURSIVE turns", "accepted", "due"])
  })

  const since = DateTime.unsafeMake("2026-01-05T00:00:00Z")
  const until = DateTime.unsafeMake("2026-01-05T01:00:00Z")
  const narrowed = {
    "by nothing": {},
    "by status": { status: "failed" },
    "by event type": { eventType: "audit.failed" },
    "by both": { eventType: "audit.failed", status: "failed" },
    "by time": { since, until },
    "by event": { event: EventId.make(`evt_${nth(377_777)}`) },
    "by a status that no delivery has": { status: "delivering" }
  } as const
  for (const [name, filters] of Object.entries(narrowed)) {
    it(`the delivery log ${name} is read from indexes`, function* () {
      const repo = yield* ListsRepo
      const asked = { ...unfiltered, ...filters, count: 21, webhook: ownedBy(account, webhook) }
      expect(yield* buffersOf(repo.ofWebhook({ ...asked, after: undefined }))).toBeLessThanOrEqual(700)
      const after = ["2026-01-05T00:30:00.000000+00:00", `dlv_${nth(400_000)}`]
      expect(yield* buffersOf(repo.ofWebhook({ ...asked, after }))).toBeLessThanOrEqual(700)
    })
  }

  for (const status of [undefined, "failed", "delivered", "pending", "delivering"] as const) {
    it(`the deliveries of twenty webhooks ${status ?? "in any state"} are read from indexes`, function* () {
      const lists = yield* ListsRepo
      const asked = { account: tenant, count: 21, status }
      expect(yield* buffersOf(lists.ofAccount({ ...asked, after: undefined }))).toBeLessThanOrEqual(2000)
      const after = ["2026-01-05T00:30:00.000000+00:00", `dlv_${nth(400_000)}`]
      expect(yield* buffersOf(lists.ofAccount({ ...asked, after }))).toBeLessThanOrEqual(2000)
    })
  }

  it("the summary of a webhook reads the deliveries of its last day, not its whole log", function* () {
    const subscriptions = yield* SubscriptionsRepo
    expect(yield* buffersOf(subscriptions.find({ account: tenant, id: webhook }))).toBeLessThanOrEqual(200)
    const all = { account: tenant, after: undefined, count: 21 }
    expect(yield* buffersOf(subscriptions.list(all))).toBeLessThanOrEqual(1000)
  })

  it("the events of an account are read from indexes, all of them and those of a rare type", function* () {
    const repo = yield* PublishedRepo
    const none = { after: undefined, project: undefined, since: undefined, types: undefined, until: undefined }
    const asked = { ...none, account, count: 21 }
    const few = { ...asked, types: ["audit.failed", "audit.completed"] } as const
    for (const list of [repo.newest, repo.inOrder]) {
      expect(yield* buffersOf(list(asked))).toBeLessThanOrEqual(100)
      expect(yield* buffersOf(list(few))).toBeLessThanOrEqual(150)
    }
  })
})
