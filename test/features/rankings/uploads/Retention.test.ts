import { expect } from "bun:test"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { RetentionRepo } from "../../../../src/features/rankings/uploads/Worker.ts"
import { purge } from "../../../../src/foundation/database/Aging.ts"
import { suite } from "../../../harness.ts"
import * as Server from "../../../server.ts"

const it = suite(Layer.provideMerge(RetentionRepo.Default, Server.layer))

it.effect(
  "records of imports go when they ended longer ago than they are kept; facts, and imports that are not over, stay",
  () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { batch } = yield* RetentionRepo
      const { account } = yield* Server.customer()
      const project = yield* Server.projectOf(account, `https://${crypto.randomUUID()}.example/`)
      const made = (status: string, days: number) => sql`
      INSERT INTO ranking_uploads (account_id, project_id, status, format, replaces, hash, outcome, error, created_at, finished_at)
      SELECT ${account}, ${project.id}, ${status}, 'gsc-csv', false, ${status === "receiving" ? null : "hash"}, CASE WHEN ${status} = 'completed' THEN '{}'::json END,
        CASE WHEN ${status} = 'failed' THEN '{}'::json END, at, CASE WHEN ${status} IN ('completed', 'failed') THEN at END
      FROM (SELECT clock_timestamp() - ${days} * interval '1 day' AS at) AS t`
      for (const status of ["completed", "failed", "queued", "receiving"]) yield* made(status, 31)
      yield* made("completed", 29)
      yield* sql`
      INSERT INTO ranking_imports (site_id, source, rows, changed, dropped, hash, recorded_at)
      VALUES (${project.id}, 'gsc-csv', 1, 1, '{}', 'hash', clock_timestamp() - interval '31 days')`
      expect(yield* purge(batch, 30)).toBe(2)
      expect(yield* sql`SELECT status FROM ranking_uploads WHERE account_id = ${account} ORDER BY status`).toEqual([
        { status: "completed" },
        { status: "queued" },
        { status: "receiving" }
      ])
      expect(yield* sql`SELECT hash FROM ranking_imports WHERE site_id = ${project.id}`).toEqual([{ hash: "hash" }])
    })
)
