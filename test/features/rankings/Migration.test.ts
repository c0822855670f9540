import { expect } from "bun:test"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import { migrate, migrateTo } from "../../../src/foundation/database/Migrations.ts"
import * as Cluster from "../../cluster.ts"
import { suite } from "../../harness.ts"
import { wrongSums } from "./storing.ts"

const it = suite(Cluster.layer)

it.effect("rankings of a released database are carried over: facts, records, synchronised days, ids", () =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* sql.unsafe("DROP SCHEMA public CASCADE; CREATE SCHEMA public")
    // The schema of the release before facts were kept by level.
    yield* migrateTo(10)
    yield* sql.unsafe(`
      INSERT INTO accounts (id, name, plan) VALUES ('11111111-1111-4111-8111-111111111111', 'a', 'free');
      INSERT INTO projects (id, account_id, name, url, host)
      SELECT id::uuid, '11111111-1111-4111-8111-111111111111', 'p', 'https://example.com/', 'example.com'
      FROM unnest(ARRAY['22222222-2222-4222-8222-222222222222', '33333333-3333-4333-8333-333333333333']) AS id;
      INSERT INTO ranking_sites (site_id, newest_day) SELECT id, '2026-10-09' FROM projects;
      INSERT INTO ranking_synced_days SELECT id, '2026-10-08' FROM projects;
      INSERT INTO ranking_imports (site_id, source, first_day, last_day, rows, changed, dropped)
      VALUES ('33333333-3333-4333-8333-333333333333', 'bigquery', '2026-10-07', '2026-10-08', 1, 1, '{}');
      SELECT ensure_ranking_partitions('2026-09-30', '2026-10-09');
      INSERT INTO ranking_keys (site_id, key, query, page, folded)
      SELECT id, md5(id || chr(31) || q || chr(31) || '/a')::uuid, q, '/a', CASE WHEN q = 'B' THEN 'b' END
      FROM projects, unnest(ARRAY['a', 'B']) AS q;
      INSERT INTO ranking_rows (site_id, day, key, variant, impressions, clicks, sum_top, exact, shape)
      SELECT site_id, day::date, key, variant, impressions, 1, impressions * 2.5, query = 'a', 'search' FROM ranking_keys,
        (VALUES ('2026-09-30', 77, 10), ('2026-10-09', 77, 20), ('2026-10-09', 9007199254740991, 5)) AS r (day, variant, impressions);
      INSERT INTO ranking_generations (site_id, account_id, period_start, period_end, records, published)
      SELECT id, account_id, '2026-10-03', '2026-10-09', 1, 1 FROM projects;
      INSERT INTO rankings (generation, key, impressions, clicks, current_position, position_delta, ranking_status, query, page)
      SELECT g.id, key, 25, 2, 2.5, 0, 'new', query, page FROM ranking_generations g JOIN ranking_keys USING (site_id) WHERE query = 'a';
      INSERT INTO ranking_stretches (generation, impressions, clicks, key, records, queries)
      SELECT generation, impressions, clicks, key, 1, query FROM rankings;`)
    yield* migrate

    const facts = yield* sql`
      SELECT s.site_id = '22222222-2222-4222-8222-222222222222' AS first, day::text, query, folded, p.key = md5(s.site_id || chr(31) || query || chr(31) || page)::uuid AS same_id,
        impressions::int, clicks::int, sum_top::float8, exact, counts
      FROM ranking_query_facts f JOIN ranking_sites s ON s.number = f.site JOIN ranking_pairs p ON p.site = f.site AND p.id = f.key
      WHERE query = 'B' OR s.site_id = '22222222-2222-4222-8222-222222222222' ORDER BY 1 DESC, query COLLATE "C", day`
    const [exact, rounded] = [
      { counts: 1, exact: true, first: true, folded: null, query: "a", same_id: true },
      { counts: 1, exact: false, folded: "b", query: "B", same_id: true }
    ]
    const [old, recent] = [
      { clicks: 1, day: "2026-09-30", impressions: 10, sum_top: 25 },
      { clicks: 2, day: "2026-10-09", impressions: 25, sum_top: 62.5 }
    ]
    expect(facts).toEqual([
      { ...rounded, ...old, first: true },
      { ...rounded, ...recent, first: true },
      { ...exact, ...old },
      { ...exact, ...recent },
      { ...rounded, ...old, first: false },
      { ...rounded, ...recent, first: false }
    ])
    expect(
      yield* sql`SELECT day::text, whole, synced, count(*)::int AS sites FROM ranking_days GROUP BY 1, 2, 3 ORDER BY 1`
    ).toEqual([
      { day: "2026-09-30", sites: 2, synced: false, whole: false },
      { day: "2026-10-08", sites: 2, synced: true, whole: true },
      { day: "2026-10-09", sites: 2, synced: false, whole: false }
    ])
    // What a bulk export may have replaced is not to be asked for again.
    expect(
      yield* sql`SELECT s.site_id, day::text, segments FROM ranking_days d JOIN ranking_sites s ON s.number = d.site WHERE segments IS NOT NULL`
    ).toEqual([{ day: "2026-10-08", segments: "bulk", site_id: "33333333-3333-4333-8333-333333333333" }])
    expect(yield* sql`SELECT count(*)::int AS n FROM rankings JOIN ranking_blocks USING (generation, key)`).toEqual([
      { n: 2 }
    ])
    expect(
      yield* sql`SELECT sort, count(*)::int AS n FROM ranking_orders o JOIN rankings r ON r.generation = o.generation AND r.key = ALL (o.keys) GROUP BY sort ORDER BY sort`
    ).toEqual([
      { n: 2, sort: "clicks" },
      { n: 2, sort: "position" },
      { n: 2, sort: "position_delta" }
    ])
    expect(
      yield* sql`SELECT count(*)::int AS months, sum(impressions)::int AS impressions FROM ranking_query_months`
    ).toEqual([{ impressions: 140, months: 8 }])
    expect(yield* wrongSums).toEqual([])
    const coverage =
      yield* sql`SELECT site_id = (coverage ->> 'site_id')::uuid AS own, coverage::jsonb - 'site_id' AS coverage FROM ranking_generations`
    const covered = {
      current: { days_with_data: 2, end: "2026-10-09", start: "2026-10-03" },
      previous: { days_with_data: 1, end: "2026-10-02", start: "2026-09-26" },
      warnings: []
    }
    expect(coverage).toEqual([covered, covered].map((coverage) => ({ coverage, own: true })))
    yield* sql`DELETE FROM projects WHERE id = '22222222-2222-4222-8222-222222222222'`
    expect(yield* sql`SELECT count(DISTINCT site)::int AS sites FROM ranking_query_facts`).toEqual([{ sites: 1 }])
  })
)
