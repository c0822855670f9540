import { describe, expect } from "bun:test"
import * as SqlClient from "@effect/sql/SqlClient"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { RetentionRepo, retentionLayer as worker } from "../../../src/features/sitehealth/Worker.ts"
import { purge, rowsAtOnce } from "../../../src/foundation/database/Aging.ts"
import { suite } from "../../harness.ts"
import * as Server from "../../server.ts"
import { until } from "../../waiting.ts"
import { customer } from "./stored.ts"

// Crawls are kept for 30 days here, and no worker removes any unless a test starts it.
const it = suite(Layer.provideMerge(RetentionRepo.Default, Server.layer))

const purged = Effect.flatMap(RetentionRepo, ({ batch }) => purge(batch, 30))

describe("a crawl that ended before the retention time", () => {
  it("is removed in any final state, and a younger crawl is kept", function* () {
    const { left, made } = yield* customer
    const statuses = ["completed", "partial", "failed", "cancelled"] as const
    yield* Effect.forEach(statuses, (status) => made({ days: 31, status }))
    const young = yield* Effect.forEach([29, 28], (days) => made({ days }))
    yield* purged
    expect(yield* left).toEqual(young)
  })

  it("is kept while it has not ended", function* () {
    const { left, made } = yield* customer
    const run = yield* made({ days: 400, status: "running" })
    yield* purged
    expect(yield* left).toEqual([run])
  })

  it("is kept if it is the latest of its site, or the one that the latest is compared with", function* () {
    const { left, made, root } = yield* customer
    yield* made({ days: 90 })
    const before = yield* made({ days: 80 })
    yield* made({ days: 75, url: `${root}shop` })
    const latest = yield* made({ days: 70 })
    yield* made({ days: 60, status: "failed" })
    yield* purged
    expect(yield* left).toEqual([before, latest])
  })

  it("is kept if it is the last of a schedule, or the one that the next of the schedule is compared with", function* () {
    const sql = yield* SqlClient.SqlClient
    const { account, left, made, project, root } = yield* customer
    yield* made({ days: 95, url: `${root}shop` })
    const compared = yield* made({ days: 90, url: `${root}shop` })
    const last = yield* made({ days: 80, status: "failed", url: `${root}shop` })
    const latest = yield* made({ days: 70 })
    yield* sql`
      INSERT INTO site_health_schedules (account_id, project_id, every, every_minutes, url, check_dead_links, last_run_id)
      VALUES (${account}, ${project}, '6h', 360, ${`${root}shop`}, true, ${last})`
    yield* purged
    expect(yield* left).toEqual([compared, last, latest])
  })

  it("is kept with its result as long as its recheck, and removed afterwards", function* () {
    const sql = yield* SqlClient.SqlClient
    const { left, made } = yield* customer
    const base = yield* made({ days: 50 })
    const verification = yield* made({ days: 20, verify: base })
    const newer = yield* Effect.forEach([40, 39], (days) => made({ days }))
    yield* purged
    expect(yield* left).toEqual([base, ...newer, verification])
    expect(yield* sql`SELECT result IS NOT NULL AS kept FROM site_health_runs WHERE id = ${base}`).toEqual([
      { kept: true }
    ])
    const runningOne = yield* made({ days: 60, status: "running", verify: base })
    yield* sql`DELETE FROM site_health_runs WHERE id = ${verification}`
    yield* purged
    expect(yield* left).toEqual([runningOne, base, ...newer])
    yield* sql`DELETE FROM site_health_runs WHERE id = ${runningOne}`
    yield* purged
    expect(yield* left).toEqual(newer)
  })

  it("loses only its result while an Idempotency-Key refers to it, which returns it as before", function* () {
    const sql = yield* SqlClient.SqlClient
    const { key, left, made, project, root } = yield* customer
    const headers = { "idempotency-key": "a key of long ago" }
    const path = `/api/v1/projects/${project}/site-health/runs`
    const first = yield* Server.send("POST", path, { body: {}, headers, key })
    const id: string = first.body.data.id
    yield* sql`
      UPDATE site_health_runs SET status = 'completed', phase = 'finished', result = '{}', started_at = now(),
        created_at = now() - interval '40 days', finished_at = now() - interval '40 days' WHERE id = ${id}`
    const newer = yield* Effect.forEach([39, 38], (days) => made({ days, url: root }))
    yield* purged
    expect(yield* left).toEqual([id, ...newer])
    const replay = yield* Server.send("POST", path, { body: {}, headers, key })
    expect({ status: replay.status, ...replay.body }).toMatchObject({
      data: { id, result_available: false, status: "completed" },
      meta: { idempotent_replay: true },
      status: 200
    })
    const findings = yield* Server.send("GET", `/api/v1/runs/${id}/findings`, { key })
    expect(findings).toMatchObject({
      body: { error: { message: "The crawl is completed, but its result has been deleted. Start a new crawl." } },
      status: 409
    })
    const changed = yield* Effect.either(
      sql`UPDATE site_health_runs SET url = 'https://other.example/' WHERE id = ${id}`
    )
    expect(changed._tag).toBe("Left")
  })
})

it("a crawl is kept when a recheck of it begins at the same moment", function* () {
  const sql = yield* SqlClient.SqlClient
  const { left, made } = yield* customer
  const old = yield* made({ days: 40 })
  const newer = yield* Effect.forEach([39, 38], (days) => made({ days }))
  yield* Effect.gen(function* () {
    yield* sql`SELECT FROM site_health_runs WHERE id = ${old} FOR KEY SHARE`
    yield* Effect.promise(() => it.runtime.runPromise(purged))
  }).pipe(sql.withTransaction)
  expect(yield* left).toEqual([old, ...newer])
})

it("expired crawls are removed in batches, past kept ones, and two servers share the work", function* () {
  const sql = yield* SqlClient.SqlClient
  const { account, left, made, project, root } = yield* customer
  // Removes the crawls of other tests.
  yield* purged
  const stay = yield* Effect.forEach([36, 35], (days) => made({ days }))
  const count = rowsAtOnce * 3 + 7
  yield* sql`
    INSERT INTO site_health_runs (account_id, project_id, url, max_pages, check_dead_links, status, phase, created_at, finished_at)
    SELECT ${account}, ${project}, ${root}, 50, true, 'cancelled', 'finished', at, at
    FROM generate_series(1, ${count}) n, LATERAL (SELECT now() - interval '33 days' - n % 9 * interval '1 day' AS at) AS t`
  const [one, other] = yield* Effect.all([purged, purged], { concurrency: "unbounded" })
  expect(one + other).toBe(count)
  expect(yield* left).toEqual(stay)
})

describe("the retention worker", () => {
  const working = (days: string) =>
    Layer.build(Layer.fresh(worker)).pipe(
      Effect.withConfigProvider(ConfigProvider.fromMap(new Map([["FINDABLE_RUN_RETENTION_DAYS", days]])))
    )

  it("removes crawls that are older than its setting", function* () {
    const { left, made } = yield* customer
    yield* made({ days: 9, status: "failed" })
    const young = yield* made({ days: 7, status: "failed" })
    yield* working("8")
    yield* until(left, (ids) => ids.length === 1)
    expect(yield* left).toEqual([young])
  })

  for (const days of ["0", "-1", "1.5", "for ever", "36501"]) {
    it(`does not start with ${days} days`, function* () {
      expect((yield* Effect.either(working(days)))._tag).toBe("Left")
    })
  }
})
