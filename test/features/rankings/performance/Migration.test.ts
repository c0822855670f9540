import { expect } from "bun:test"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import { migrate, migrateTo } from "../../../../src/foundation/database/Migrations.ts"
import * as Cluster from "../../../cluster.ts"
import { suite } from "../../../harness.ts"
import { wrongSums } from "../storing.ts"

const it = suite(Cluster.layer)

it.effect("sums of devices and countries are made of the facts that an installation has", () =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* sql.unsafe("DROP SCHEMA public CASCADE; CREATE SCHEMA public")
    // The newest schema without these sums.
    yield* migrateTo(87)
    yield* sql.unsafe(`
      INSERT INTO accounts (id, name, plan) VALUES ('11111111-1111-4111-8111-111111111111', 'a', 'free');
      INSERT INTO projects (id, account_id, name, url, host)
      SELECT gen_random_uuid(), '11111111-1111-4111-8111-111111111111', 'p', 'https://' || host || '/', host FROM unnest(ARRAY['a.example', 'b.example', 'c.example']) AS host;
      INSERT INTO ranking_sites (site_id, newest_day) SELECT id, '2026-10-09' FROM projects;
      SELECT ensure_ranking_partitions('2026-08-01', '2026-10-09');
      INSERT INTO ranking_pairs (site, id, key, query, page) SELECT number, id, gen_random_uuid(), 'q' || id / 2, '/' || id FROM ranking_sites, generate_series(1, 6) AS id;
      INSERT INTO ranking_pages (site, id, key, page) SELECT number, id, gen_random_uuid(), '/' || id FROM ranking_sites, generate_series(1, 6) AS id;
      INSERT INTO ranking_variants (site, id, key, address, country, device)
      SELECT number, id, gen_random_uuid(), '', country, device
      FROM ranking_sites, (VALUES (1, NULL, NULL), (2, 'deu', NULL), (3, NULL, 'MOBILE'), (4, 'deu', 'MOBILE'), (5, 'usa', 'DESKTOP')) AS v (id, country, device)
      WHERE number % 3 <> 0 OR id = 1;`)
    for (const table of ["ranking_query_facts", "ranking_page_facts", "ranking_property_facts"]) {
      yield* sql.unsafe(`
        INSERT INTO ${table} (site, day, key, variant, impressions, clicks, counts, exact, sum_top)
        SELECT v.site, day::date, text, id, 20 + text, id, ranking_counts(grain, CASE text % 2 WHEN 0 THEN 1 ELSE 0 END | 1 << grain), true, 90.5
        FROM ranking_variants v, generate_series(1, 6) AS text, generate_series('2026-08-30'::date, '2026-10-02', '3 days') AS day`)
    }
    yield* migrate
    expect(yield* wrongSums).toEqual([])
    const sites = yield* sql<{ segments: number }>`
      SELECT count(s.id)::int AS segments, (SELECT count(*)::int FROM ranking_query_segments q WHERE q.site = number) AS queries,
        (SELECT count(DISTINCT level)::int FROM ranking_segment_days d WHERE d.site = number) AS levels
      FROM ranking_sites LEFT JOIN ranking_segments s ON s.site = number GROUP BY number ORDER BY number`
    const full = { levels: 3, queries: 48, segments: 4 }
    expect(sites).toEqual([full, full, { levels: 0, queries: 0, segments: 0 }])
  })
)
