import { describe, expect } from "bun:test"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { QueueRepo } from "../../../src/features/files/Worker.ts"
import { overall } from "../../../src/foundation/database/LeaseMonitor.ts"
import { rowsRead } from "../../explained.ts"
import { suite } from "../../harness.ts"
import * as Server from "../../server.ts"
import { owner } from "../rankings/storing.ts"

const it = suite(QueueRepo.Default.pipe(Layer.provideMerge(Server.layer)))

type Owner = Effect.Effect.Success<typeof owner>

/** Waiting files, the first one waiting longest, one after the other in the given sites. */
const queue = (count: number, ...owners: ReadonlyArray<Pick<Owner, "account" | "site">>) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const rows = JSON.stringify(owners)
    yield* sql`
      INSERT INTO files (account_id, project_id, kind, terms, status, hash, created_at)
      SELECT account, site, 'rankings', '{}', 'queued', 'hash', clock_timestamp()
      FROM generate_series(1, ${count}::int), json_to_recordset(${rows}::json) AS owners (account uuid, site uuid)`
  })

const forget = Effect.flatMap(SqlClient.SqlClient, (sql) => sql`DELETE FROM files`)

const claimed = Effect.flatMap(QueueRepo, (repo) => Effect.map(repo.queues.rankings.claim, Option.getOrThrow))

/** As many times at once as there are servers. */
const together = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.replicateEffect(effect, 12, { concurrency: "unbounded" })

const many = <A, E, R>(count: number, effect: Effect.Effect<A, E, R>) => Effect.replicateEffect(effect, count)

describe("the queue of imports", () => {
  it("serves twelve servers at a time from twelve accounts, whatever one of them has queued", () =>
    Effect.gen(function* () {
      const greedy = yield* owner
      const sites = yield* Effect.forEach(Array.from({ length: 12 }), (_, index) =>
        Server.projectOf(greedy.account, `https://site-${index}.example`)
      )
      yield* queue(20, ...sites.map(({ id }) => ({ account: greedy.account, site: id })))
      yield* queue(1, ...(yield* many(11, owner)))
      // Open connections let the first claims of this database arrive together.
      const sql = yield* SqlClient.SqlClient
      yield* together(sql`SELECT pg_sleep(0.2)`)
      const claims = yield* together(claimed)
      const accounts = yield* sql`
        SELECT DISTINCT account_id FROM files WHERE id = ANY(${claims.map(({ id }) => id)}::uuid[])`
      expect(accounts).toHaveLength(12)
    }).pipe(Effect.ensuring(Effect.orDie(forget))))

  it("imports one file of a site at a time, in order of arrival", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const one = yield* owner
      for (let n = 0; n < 3; n++) yield* queue(1, one)
      const inOrder = yield* sql<{ id: string }>`SELECT id FROM files ORDER BY created_at`
      const { end, queues } = yield* QueueRepo
      for (const { id } of inOrder) {
        const claim = yield* claimed
        expect(claim.id).toBe(id)
        expect(Option.isNone(yield* queues.rankings.claim)).toBe(true)
        yield* end({ error: {}, id, lease: claim.lease, outcome: null })
      }
    }).pipe(Effect.ensuring(Effect.orDie(forget))))

  it("keeps kinds apart: a worker takes no file of another kind, neither a waiting one nor one of a dead worker", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* queue(1, yield* owner)
      const { backlinks, rankings } = (yield* QueueRepo).queues
      expect(Option.isNone(yield* backlinks.claim)).toBe(true)
      yield* claimed
      yield* sql`UPDATE files SET leased_until = clock_timestamp() - interval '1 second'`
      expect(yield* backlinks.release).toEqual([])
      yield* sql`UPDATE files SET attempts = 3`
      expect(Option.isNone(yield* backlinks.bury)).toBe(true)
      expect(Option.isSome(yield* rankings.bury)).toBe(true)
    }).pipe(Effect.ensuring(Effect.orDie(forget))))
})

describe("a claim and a poll of the queue", () => {
  it("read a handful of rows among two thousand waiting files, and the poll also skips files behind running imports", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      // The maximum number of waiting files of an account.
      const each = 20
      yield* queue(each, ...(yield* many(100, owner)))
      yield* sql`ANALYZE files`
      const { rankings: leased } = (yield* QueueRepo).queues
      const handful = 20
      const claims = (yield* many(5, rowsRead("files", leased.claim))).flat()
      expect(claims).toHaveLength(5)
      expect(Math.max(...claims)).toBeLessThan(handful)
      const { look } = overall(sql, [leased.rows])
      // A skipped file is read twice: as a waiting one, and as a candidate for the first of its site.
      const behind = 2 * claims.length * (each - 1)
      expect(Math.max(...(yield* rowsRead("files", look)))).toBeLessThan(behind + handful)
      yield* sql`UPDATE files SET status = 'queued', lease = NULL, leased_until = NULL`
      expect(Math.max(...(yield* rowsRead("files", look)))).toBeLessThan(handful)
    }).pipe(Effect.ensuring(Effect.orDie(forget))))
})
