import { describe, expect } from "bun:test"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { GrowthProjects } from "../../../src/features/experiments/GrowthProjects.ts"
import { DomainName } from "../../../src/features/experiments/GrowthProjectsApi.ts"
import { Imports } from "../../../src/features/rankings/import/Imports.ts"
import { SitesRepo } from "../../../src/features/rankings/Site.ts"
import { csv, importInto, owner } from "../../features/rankings/storing.ts"
import { suite } from "../../harness.ts"
import * as Server from "../../server.ts"

/** Enough queries and history to make PostgreSQL plan for each number of records when it expects more or fewer. */
const many = 20_000

const run = "0192f0c4-7a57-7c3e-9d1b-5f2f8f6f0a11"
const last = (name: string) => `${name}_${String(many).padStart(26, "0")}`

/** A customer with many records in every list that grows. */
const furnish = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  // The server would gather statistics at its own time.
  yield* sql`DO $$ DECLARE kept regclass; BEGIN
    FOR kept IN SELECT oid FROM pg_class WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace LOOP
      EXECUTE format('ALTER TABLE %s SET (autovacuum_enabled = false)', kept);
    END LOOP;
  END $$`
  const { account, key, site } = yield* owner
  const lines = Array.from({ length: many }, (_, n) => {
    const day = n % 5 === 0 ? "01" : "08"
    return `2026-10-${day},words of query ${n},/page/${n % 50},${n % 7},${10 + ((n * 7919) % 500)},${1 + (n % 40)}`
  })
  yield* importInto(site, "gsc-csv", [{ text: csv(...lines) }])
  const projects = yield* GrowthProjects
  const growth = yield* projects.create(account, yield* Schema.decode(DomainName)("example.com"))
  const { body } = yield* Server.send("POST", "/api/v1/webhooks", {
    body: { events: ["audit.failed"], url: "http://127.0.0.1:2/" },
    key
  })
  const webhook: string = body.data.id
  const past = sql`(SELECT n, now() - n * interval '1 minute' AS at FROM generate_series(1, ${many}) AS n) AS past`
  const url = sql.literal("'https://example.com/' || n % 100")
  const failure = JSON.stringify({ code: "run_timed_out", lighthouse_code: null, message: "late" })
  yield* sql`
    INSERT INTO projects (account_id, name, url, host, created_at)
    SELECT ${account}, n, 'https://' || n || '.example.org/', n || '.example.org', at FROM ${past}`
  yield* sql`
    INSERT INTO site_health_runs (id, account_id, project_id, url, max_pages, check_dead_links, status, phase, created_at, finished_at, result)
    SELECT CASE n WHEN 1 THEN ${run}::uuid ELSE gen_random_uuid() END, ${account}, ${site}, ${url}, 10, true, 'completed', 'finished', at, at,
      '{"findings": [], "pages": []}' FROM ${past}`
  yield* sql`
    INSERT INTO site_health_schedules (account_id, project_id, every, every_minutes, url, check_dead_links, created_at)
    SELECT ${account}, ${site}, '1d', 1440, ${url}, true, at FROM ${past}`
  yield* sql`
    INSERT INTO audits (account_id, status, source, url, device, failure, measured_at, created_at)
    SELECT ${account}, 'failed', 'psi', ${url}, CASE n % 2 WHEN 0 THEN 'mobile' ELSE 'desktop' END, ${failure}::json, at, at FROM ${past}`
  yield* sql`
    INSERT INTO audit_schedules (account_id, url, device, source, every, every_minutes, created_at)
    SELECT ${account}, 'https://example.com/' || n, 'mobile', 'psi', '1d', 1440, at FROM ${past}`
  yield* sql`
    INSERT INTO growth_projects (account_id, domain, created_at) SELECT ${account}, n || '.example.org', at FROM ${past}`
  yield* sql`
    INSERT INTO experiments (account_id, project_id, name, status, created_at)
    SELECT ${account}, ${growth.id}, n, 'draft', at FROM ${past}`
  yield* sql`
    INSERT INTO files (account_id, project_id, kind, terms, status, hash, error, created_at, finished_at)
    SELECT ${account}, ${site}, 'rankings', '{"format": "gsc-csv"}', 'failed', n, '{"code": "invalid_file", "file": null, "line": null, "message": "no columns"}', at, at FROM ${past}`
  yield* sql`
    INSERT INTO events (id, account_id, type, body, created_at)
    SELECT 'evt_' || lpad(n::text, 26, '0'), ${account}, CASE n % 9 WHEN 0 THEN 'audit.failed' ELSE 'backlink.lost' END, '{"data": {}}', at FROM ${past}`
  yield* sql`
    INSERT INTO webhook_log (id, webhook_id, event_id, event_type, status, attempts, created_at)
    SELECT 'dlv_' || lpad(n::text, 26, '0'), ${webhook}, 'evt_' || lpad(n::text, 26, '0'), 'audit.failed', 'delivered', '[]', at FROM ${past}`
  return { growth: growth.id, key, site, webhook }
})

class Furnished extends Context.Tag("test/Furnished")<Furnished, Effect.Effect.Success<typeof furnish>>() {}

/** One connection, which counts only its own plans. */
const server = Layer.mergeAll(GrowthProjects.Default, Imports.Default, SitesRepo.Default).pipe(
  Layer.provideMerge(Server.layerWith({ FINDABLE_DATABASE_POOL: "1" }))
)

const it = suite(Layer.provideMerge(Layer.effect(Furnished, furnish), server), { timeout: 300_000 })

/**
 * All requests that are made often. Tables of performance are left out: their cost grows with the days that they cover, and they are planned for these days.
 * Requests that read one row by its primary key and need the result of a crawl are left out too.
 */
const pathsOf = ({ growth, site, webhook }: Furnished["Type"]): ReadonlyArray<string> => [
  // The first five executions decide: one record is the cheapest.
  "/keywords?limit=1",
  "/keywords",
  "/keywords?limit=100",
  `/keywords?site_id=${site}`,
  "/keywords?status=new",
  "/keywords?status=lost",
  "/keywords?min_impressions=400",
  "/keywords?page_path=/page/7",
  "/keywords?brand=false",
  "/keywords?sort=position&order=asc",
  "/keywords?sort=clicks&order=asc",
  "/keywords?query=words",
  "/keywords?query=ry%20199",
  "/keywords?query=w",
  "/keywords?query=nothing",
  "/keywords?query=19&min_impressions=20",
  "/projects?limit=1",
  "/projects",
  "/projects?include=health,rankings",
  `/projects/${site}`,
  `/projects/${site}/rankings/imports`,
  `/projects/${site}/site-health/runs`,
  `/projects/${site}/site-health/history?rule=broken_link`,
  `/projects/${site}/site-health/schedules`,
  `/runs/${run}`,
  `/runs/${run}/findings?status=fail`,
  `/runs/${run}/pages`,
  "/audits",
  "/audits?status=failed",
  "/audits?device=mobile",
  "/audits?url=https://example.com/7",
  "/audit-schedules",
  "/experiments",
  "/experiments?status=draft",
  "/growth-projects",
  `/growth-projects/${growth}`,
  "/webhooks",
  `/webhooks/${webhook}`,
  `/webhooks/${webhook}/deliveries`,
  `/webhooks/${webhook}/deliveries?status=delivered`,
  `/webhooks/${webhook}/deliveries/${last("dlv")}`,
  "/events",
  "/events?type=audit.failed",
  `/events/${last("evt")}`,
  "/key"
]

/** Returns the path of the next page, if there is one. */
const ask = (path: string, times: number) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const { key } = yield* Furnished
    let next: string | undefined
    for (let n = 0; n < times; n++) {
      yield* sql`UPDATE api_key_passes SET passes = '{}'`
      const { body, status } = yield* Server.send("GET", path, { key })
      expect({ body: status === 200 ? undefined : body, path, status }).toEqual({ body: undefined, path, status: 200 })
      next = body.links?.next
    }
    return next
  })

/** How often each prepared statement was planned for the values of one execution. */
const plans = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ custom: number; generic: number; statement: string }>`
    SELECT statement, custom_plans::int AS custom, generic_plans::int AS generic FROM pg_prepared_statements`
  return new Map(rows.map(({ custom, generic, statement }) => [statement, { custom, generic }]))
})

/** The statements of a path that are planned for each execution, after any number of executions. */
const plannedAnew = (path: string) =>
  Effect.gen(function* () {
    // After five executions PostgreSQL decides.
    yield* ask(path, 6)
    const before = yield* plans
    const next = yield* ask(path, 2)
    const after = [...(yield* plans)]
    const executed = after.filter(([text, { generic }]) => generic > (before.get(text)?.generic ?? 0))
    // A slow request brings a statement that looks after its key, which may be among its first five executions.
    const anew = after.filter(([text, { custom }]) => custom > Math.max(5, before.get(text)?.custom ?? 0))
    return { found: { anew: anew.map(([text]) => text), isMeasured: executed.length + anew.length > 1, path }, next }
  })

describe(`with ${many} records in every list, no statement of a request is planned again for each request`, () => {
  it("before and after the database has gathered statistics", function* () {
    const sql = yield* SqlClient.SqlClient
    const paths = pathsOf(yield* Furnished)
    for (const statistics of ["none", "new"]) {
      if (statistics === "new") yield* sql`ANALYZE`
      for (const first of paths) {
        const { found, next } = yield* plannedAnew(`/api/v1${first}`)
        const others = next === undefined ? [] : [(yield* plannedAnew(next)).found]
        for (const { anew, isMeasured, path } of [found, ...others]) {
          expect({ anew, isMeasured, path, statistics }).toEqual({ anew: [], isMeasured: true, path, statistics })
        }
      }
    }
  })
})
