import { expect } from "bun:test"
import { readdirSync, readFileSync } from "node:fs"
import { join, resolve } from "node:path"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Accounts } from "../../../src/features/accounts/Accounts.ts"
import { Projects } from "../../../src/features/projects/Projects.ts"
import * as Cluster from "../../cluster.ts"
import { suite } from "../../harness.ts"

const it = suite(Layer.mergeAll(Accounts.Default, Projects.Default).pipe(Layer.provideMerge(Cluster.layer)))

// The statements are those of the release whose newest migration was 0010: its nodes run beside ours while an installation is renewed.

const account = Effect.gen(function* () {
  const { id } = yield* Effect.flatMap(Accounts, (accounts) => accounts.create("before", "free"))
  const project = yield* Effect.flatMap(Projects, (projects) => projects.create(id, { url: "https://a.example" }))
  return { id, project: project.id }
})

it.effect(
  "a node of the release before keeps and finds the keys of runs, and sees that a key stands for something else",
  () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { id, project } = yield* account
      const [run] = yield* sql<{ id: string }>`
      INSERT INTO site_health_runs (account_id, project_id, url, max_pages, check_dead_links)
      VALUES (${id}, ${project}, 'https://a.example/', 25, true) RETURNING id`
      yield* sql`INSERT INTO site_health_keys VALUES (${id}, ${"key-of-a-run"}, ${'["a"]'}::json, ${run?.id ?? ""})`
      yield* sql`
      INSERT INTO idempotency_keys (account_id, key, request, answer) VALUES (${id}, 'key-of-a-project', '["b"]'::json, '{}'::json)`
      const find = (key: string) => sql`
      SELECT request::text AS request, run_id AS run FROM site_health_keys WHERE account_id = ${id} AND key = ${key}`
      expect(yield* find("key-of-a-run")).toEqual([{ request: '["a"]', run: run?.id }])
      expect(yield* find("key-of-a-project")).toEqual([
        { request: '["b"]', run: "00000000-0000-0000-0000-000000000000" }
      ])
      const kept = yield* sql`SELECT key FROM idempotency_keys WHERE account_id = ${id} AND run_id = ${run?.id ?? ""}`
      expect(kept).toEqual([{ key: "key-of-a-run" }])
    })
)

it.effect("what a node of the release before publishes waits in the queue", () =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const { id } = yield* account
    yield* sql`
      INSERT INTO webhooks (id, account_id, url, events, secret)
      VALUES ('wh_01kakx3q7m8v2b5n9r4t6w0yzc', ${id}, 'https://a.example/', ARRAY['audit.failed'], 'v1.x')`
    const published = yield* sql`
      WITH event AS (
        INSERT INTO events (id, account_id, type, body, created_at)
        VALUES ('evt_01kakx3q7m8v2b5n9r4t6w0yz1', ${id}, 'audit.failed', '{}', now())
        RETURNING id, type, created_at
      ), delivery AS (
        INSERT INTO webhook_deliveries (webhook_id, event_id, event_type, created_at)
        SELECT 'wh_01kakx3q7m8v2b5n9r4t6w0yzc', event.id, event.type, event.created_at FROM event RETURNING id
      )
      SELECT (SELECT count(*)::int FROM event) AS published, (SELECT id FROM delivery) AS delivery`
    const queued =
      yield* sql`SELECT id FROM webhook_queue WHERE event_id = 'evt_01kakx3q7m8v2b5n9r4t6w0yz1' AND NOT waiting`
    expect(published).toEqual([{ delivery: queued[0]?.id, published: 1 }])
  })
)

it.effect("a node of the release before searches the records that there are", () =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* sql`INSERT INTO ranking_blocks (generation, impressions, clicks, key, records, queries) VALUES (1, 2, 1, gen_random_uuid(), 32, 'a')`
    expect(yield* sql`SELECT impressions, records FROM ranking_stretches s WHERE s.generation = 1`).toMatchObject([
      { records: 32 }
    ])
  })
)

it.effect("a list that a node of the release before computes is there in every order when it is published", () =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const { id, project } = yield* account
    const [generation] = yield* sql<{ id: string }>`
      INSERT INTO ranking_generations (account_id, site_id, period_start, period_end) VALUES (${id}, ${project}, '2026-10-02', '2026-10-08')
      RETURNING id::text`
    yield* sql`
      INSERT INTO rankings (generation, key, impressions, clicks, current_position, previous_position, position_delta, ranking_status, query, page)
      SELECT ${generation?.id ?? ""}::bigint, gen_random_uuid(), n, n / 2, CASE WHEN n < 90 THEN n END, 3, 3 - n, CASE WHEN n < 90 THEN 'dropping' ELSE 'lost' END, 'q', '/'
      FROM generate_series(1, 100) AS n`
    yield* sql`UPDATE ranking_generations SET published = 1 WHERE id = ${generation?.id ?? ""}::bigint`
    const ordered = yield* sql`
      SELECT sort, ranking_status AS status, value, cardinality(keys) AS records FROM ranking_orders WHERE generation = ${generation?.id ?? ""}::bigint
      ORDER BY sort, status, value`
    expect(ordered).toEqual([
      { records: 64, sort: "clicks", status: "dropping", value: -13 },
      { records: 25, sort: "clicks", status: "dropping", value: 0 },
      { records: 11, sort: "clicks", status: "lost", value: -45 },
      { records: 64, sort: "position", status: "dropping", value: 64 },
      { records: 25, sort: "position", status: "dropping", value: 89 },
      { records: 11, sort: "position", status: "lost", value: 0 },
      { records: 64, sort: "position_delta", status: "dropping", value: 61 },
      { records: 25, sort: "position_delta", status: "dropping", value: 86 },
      { records: 11, sort: "position_delta", status: "lost", value: 97 }
    ])
  })
)

it.effect("a node of the release before leaves a designed draft to a start that fixes its pages", () =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const { id, project } = yield* account
    const start = (design: string | null) =>
      Effect.gen(function* () {
        const [created] = yield* sql<{ id: string }>`
          WITH g AS (INSERT INTO growth_projects (account_id, domain) VALUES (${id}, 'a.example') RETURNING id)
          INSERT INTO experiments (account_id, project_id, name, status, design)
          SELECT ${id}, g.id, 'Titles', 'draft', ${design}::json FROM g RETURNING id`
        return yield* sql<{ status: string }>`
          UPDATE experiments SET status = 'running', started_at = clock_timestamp()
          WHERE id = ${created?.id ?? ""} AND account_id = ${id} AND status = 'draft' RETURNING status`
      })
    expect(yield* start(null)).toEqual([{ status: "running" }])
    expect(yield* start(JSON.stringify({ site_id: project }))).toEqual([])
  })
)

it.effect(
  "what is kept for the release before is in the guide's table and in the database, and no statement of ours uses it",
  () =>
    Effect.gen(function* () {
      const source = resolve(import.meta.dir, "../../../src")
      const guide = readFileSync(join(source, "README.md"), "utf8")
      const rows = [...guide.matchAll(/^\| ((?:function|view) .*?) \| `\d{4}`, .*? \| .*? \| \d{4}-\d{2}-\d{2} \|$/gm)]
      const kept = rows.flatMap(([, names = ""]) =>
        [...names.matchAll(/(?:function|view) `(\w+)`/g)].map(([, name = ""]) => name)
      )
      expect(kept.length).toBeGreaterThan(3)
      const sql = yield* SqlClient.SqlClient
      const there = yield* sql<{ name: string }>`
      SELECT proname AS name FROM pg_proc WHERE proname = ANY (${kept}::text[])
      UNION SELECT viewname FROM pg_views WHERE viewname = ANY (${kept}::text[])`
      expect(there.map(({ name }) => name).sort()).toEqual(kept.sort())
      const ours = readdirSync(source, { encoding: "utf8", recursive: true })
        .filter((name) => name.endsWith(".ts"))
        .map((name) => readFileSync(join(source, name), "utf8"))
      expect(kept.filter((name) => ours.some((text) => new RegExp(`\\b${name}\\b`).test(text)))).toEqual([])
    })
)
