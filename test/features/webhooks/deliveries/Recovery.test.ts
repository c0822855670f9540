import { expect } from "bun:test"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Events } from "../../../../src/features/events/Events.ts"
import { recoveredAtOnce } from "../../../../src/features/webhooks/Domain.ts"
import { suite } from "../../../harness.ts"
import * as Server from "../../../server.ts"
import { subscribe } from "../pipeline.ts"

// Without workers recovered deliveries stay in the queue.
const it = suite(Layer.provideMerge(Events.Default, Server.layer))

const count = recoveredAtOnce * 2 + 9

it("a recovery of more events than fit a transaction resends each once, even if many have the same time", function* () {
  const sql = yield* SqlClient.SqlClient
  const { account, key } = yield* Server.customer()
  const webhook = yield* subscribe(key, "http://127.0.0.1:2/", ["audit.failed"])
  yield* sql`
  INSERT INTO events (id, account_id, type, body, created_at)
  SELECT 'evt_' || lpad(nth::text, 26, '0'), ${account}, CASE WHEN nth % 3 = 0 THEN 'audit.completed' ELSE 'audit.failed' END,
    '{}', now() - interval '1 second' * (nth / 700)
  FROM generate_series(1, ${count}) nth`
  const recover = Effect.map(
    Server.send("POST", `${webhook.path}/recover`, { body: { since: "2020-01-01T00:00:00Z" }, key }),
    ({ body }) => body.data.recovered
  )
  const listed = count - Math.floor(count / 3)
  expect(yield* recover).toBe(listed)
  const [made] = yield* sql`
  SELECT count(*)::int AS count, count(DISTINCT event_id)::int AS events, array_agg(DISTINCT event_type) AS types
  FROM webhook_deliveries WHERE webhook_id = ${webhook.id}`
  expect(made).toEqual({ count: listed, events: listed, types: ["audit.failed"] })
  expect(yield* recover).toBe(0)
})
