import { expect } from "bun:test"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { RetentionRepo } from "../../../src/features/audits/Audits.ts"
import { purge, rowsAtOnce } from "../../../src/foundation/database/Aging.ts"
import { suite } from "../../harness.ts"
import * as Server from "../../server.ts"

const it = suite(Layer.provideMerge(RetentionRepo.Default, Server.layer))

it("audits older than the retention time are removed in batches, and younger ones are kept", function* () {
  const sql = yield* SqlClient.SqlClient
  const { batch } = yield* RetentionRepo
  const { account } = yield* Server.customer()
  const made = (days: number, count: number) => sql`
    INSERT INTO audits (account_id, status, source, url, failure, created_at)
    SELECT ${account}, 'failed', 'psi', 'https://example.com/', '{}', clock_timestamp() - ${days} * interval '1 day' FROM generate_series(1, ${count})`
  yield* made(31, rowsAtOnce * 2 + 3)
  yield* made(29, 2)
  const removed = yield* Effect.all([purge(batch, 30), purge(batch, 30)], { concurrency: "unbounded" })
  expect(removed[0] + removed[1]).toBe(rowsAtOnce * 2 + 3)
  expect(yield* sql`SELECT count(*)::int AS n FROM audits WHERE account_id = ${account}`).toEqual([{ n: 2 }])
})
