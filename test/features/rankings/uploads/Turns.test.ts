import { describe, expect } from "bun:test"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { QueueRepo } from "../../../../src/features/rankings/uploads/Worker.ts"
import { overall } from "../../../../src/foundation/database/LeaseMonitor.ts"
import { rowsRead } from "../../../explained.ts"
import { suite } from "../../../harness.ts"
import * as Server from "../../../server.ts"
import { owner } from "../storing.ts"

const it = suite(QueueRepo.Default.pipe(Layer.provideMerge(Server.layer)))

type Owner = Effect.Effect.Success<typeof owner>

/** Files that wait, the first of them for the longest time, one after the other in the projects that are named. */
const queue = (count: number, ...owners: ReadonlyArray<Pick<Owner, "account" | "site">>) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const rows = JSON.stringify(owners)
    yield* sql`
      INSERT INTO ranking_uploads (account_id, project_id, format, replaces, status, hash, created_at)
      SELECT account, site, 'gsc-csv', false, 'queued', 'hash', clock_timestamp()
      FROM generate_series(1, ${count}::int), json_to_recordset(${rows}::json) AS owners (account uuid, site uuid)`
  })

const forget = Effect.flatMap(SqlClient.SqlClient, (sql) => sql`DELETE FROM ranking_uploads`)

const claimed = Effect.flatMap(QueueRepo, (repo) => Effect.map(repo.queue.claim, Option.getOrThrow))

/** The project whose file is imported next; it ends as failed. */
const next = Effect.gen(function* () {
  const { end } = yield* QueueRepo
  const { id, lease, project } = yield* claimed
  yield* end({ error: { code: "import_failed", file: null, line: null, message: "test" }, id, lease, outcome: null })
  return project
})

const many = <A, E, R>(count: number, effect: Effect.Effect<A, E, R>) => Effect.replicateEffect(effect, count)

describe("the queue of imports", () => {
  it.effect("lets another account's first file wait for nothing but the import in hand", () =>
    Effect.gen(function* () {
      const [first, other] = yield* Effect.all([owner, owner])
      const further = yield* Server.projectOf(first.account, "https://second.example")
      yield* queue(500, first, { account: first.account, site: further.id })
      const { end } = yield* QueueRepo
      const { id, lease, project } = yield* claimed
      expect(project).toBe(first.site)
      yield* queue(1, other)
      yield* end({
        error: { code: "import_failed", file: null, line: null, message: "test" },
        id,
        lease,
        outcome: null
      })
      expect(yield* next).toBe(other.site)
      expect([first.site, further.id]).toContain(yield* next)
    }).pipe(Effect.ensuring(Effect.orDie(forget)))
  )

  it.effect("goes round the accounts, and through the files of each in the order in which they came", () =>
    Effect.gen(function* () {
      const owners = yield* many(4, owner)
      for (const one of owners) yield* queue(3, one)
      const inTurn = owners.toSorted((a, b) => (a.account < b.account ? -1 : 1)).map(({ site }) => site)
      const seen = yield* many(12, next)
      const begins = seen.slice(0, 1).map((first) => inTurn.indexOf(first))[0] ?? 0
      const round = [...inTurn.slice(begins), ...inTurn.slice(0, begins)]
      expect(seen).toEqual([...round, ...round, ...round])
    }).pipe(Effect.ensuring(Effect.orDie(forget)))
  )

  it.effect("serves twelve nodes at once from twelve accounts, whatever one of them has queued", () =>
    Effect.gen(function* () {
      const greedy = yield* owner
      const sites = yield* Effect.forEach(Array.from({ length: 12 }), (_, index) =>
        Server.projectOf(greedy.account, `https://site-${index}.example`)
      )
      yield* queue(20, ...sites.map(({ id }) => ({ account: greedy.account, site: id })))
      yield* queue(1, ...(yield* many(11, owner)))
      const claims = yield* Effect.all(
        Array.from({ length: 12 }, () => claimed),
        { concurrency: "unbounded" }
      )
      const sql = yield* SqlClient.SqlClient
      const accounts = yield* sql`
        SELECT DISTINCT account_id FROM ranking_uploads WHERE id = ANY(${claims.map(({ id }) => id)}::uuid[])`
      expect(accounts).toHaveLength(12)
    }).pipe(Effect.ensuring(Effect.orDie(forget)))
  )

  it.effect("imports one file of a project at a time, in the order in which they came", () =>
    Effect.gen(function* () {
      const one = yield* owner
      yield* queue(3, one)
      const { queue: leased } = yield* QueueRepo
      yield* claimed
      expect(Option.isNone(yield* leased.claim)).toBe(true)
    }).pipe(Effect.ensuring(Effect.orDie(forget)))
  )
})

describe("a claim and a look", () => {
  it.effect("read a handful of rows while two thousand files wait; a look also passes over those behind imports", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      // As many as an account may have at once.
      const each = 20
      yield* queue(each, ...(yield* many(100, owner)))
      yield* sql`ANALYZE ranking_uploads`
      const { queue: leased } = yield* QueueRepo
      const handful = 20
      const claims = (yield* many(5, rowsRead("ranking_uploads", leased.claim))).flat()
      expect(claims).toHaveLength(5)
      expect(Math.max(...claims)).toBeLessThan(handful)
      const { look } = overall(sql, [leased.rows])
      // A file that is passed over is read twice: as one that waits, and as the first of its project, which it is not.
      const behind = 2 * claims.length * (each - 1)
      expect(Math.max(...(yield* rowsRead("ranking_uploads", look)))).toBeLessThan(behind + handful)
      yield* sql`UPDATE ranking_uploads SET status = 'queued', lease = NULL, leased_until = NULL`
      expect(Math.max(...(yield* rowsRead("ranking_uploads", look)))).toBeLessThan(handful)
    }).pipe(Effect.ensuring(Effect.orDie(forget)))
  )
})
