import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"

/** The newest day of the sites. */
export const lastDay = "2026-10-31"

const days = 480

/** The day so many days after another. */
export const spread = (day: string, by: number) =>
  new Date(Date.parse(`${day}T00:00:00Z`) + by * 86_400_000).toISOString().slice(0, 10)

const syllables = "ba chi do fra gle hin jo kar lem mo nur pa qui ro str ten ul ving wex yo zan".split(" ")
const words = Array.from({ length: 4000 }, (_, n) =>
  [n % 21, Math.floor(n / 21) % 21, Math.floor(n / 441) % 21].map((place) => syllables[place]).join("")
)

/**
 * Fills a site with rows over 480 days, the facts of a month by one statement. A day has rows ÷ 480 of rows ÷ 20 pairs: the first ones nearly each
 * day and with the most impressions, most of them now and then with one or two. Three pairs in four have a query of their own; a page has 25 pairs.
 * Pages have twice the impressions of their queries: the others are of queries that are anonymised. All have a country and a device, as in a bulk export.
 */
export const fill = Effect.fnUntraced(function* (id: string, rows: number) {
  const sql = yield* SqlClient.SqlClient
  const pairs = Math.max(1000, Math.floor(rows / 20))
  const perDay = Math.floor(rows / days)
  const first = spread(lastDay, 1 - days)
  yield* sql`INSERT INTO ranking_sites (site_id, newest_day, is_stale) VALUES (${id}, ${lastDay}, true)`
  const [row] = yield* sql<{ number: number }>`SELECT number FROM ranking_sites WHERE site_id = ${id}`
  const site = row?.number ?? 0
  yield* sql`CREATE TABLE IF NOT EXISTS bench_words AS SELECT n::int - 1 AS n, word FROM unnest(${`{${words.join(",")}}`}::text[]) WITH ORDINALITY AS w (word, n)`
  yield* sql`ANALYZE bench_words`
  yield* sql`
    INSERT INTO ranking_pairs (site, id, key, query, page)
    SELECT ${site}::int, id, md5(${id} || id)::uuid, a.word || ' ' || b.word || CASE WHEN q % 3 = 0 THEN ' ' || q ELSE '' END, '/blog/' || p
    FROM (
      SELECT id, CASE WHEN id % 4 = 0 THEN id / 4 ELSE id END AS q, (id::bigint * 7919) % (${pairs}::int / 25) AS p FROM generate_series(1, ${pairs}::int) AS id
    ) AS i JOIN bench_words a ON a.n = (q::bigint * 2654435761) % 4000 JOIN bench_words b ON b.n = (q::bigint * 40503) / 7 % 4000 ORDER BY id`
  yield* sql`
    INSERT INTO ranking_pages (site, id, key, page)
    SELECT ${site}::int, p + 1, md5('/blog/' || p)::uuid, '/blog/' || p FROM generate_series(0, ${pairs}::int / 25 - 1) AS p`
  yield* sql`
    INSERT INTO ranking_variants (site, id, key, address, country, device)
    SELECT ${site}::int, row_number() OVER (), md5(concat_ws(chr(31), country, device))::uuid, '', country, device
    FROM (VALUES (NULL, NULL), ('deu', 'MOBILE'), ('deu', 'DESKTOP'), ('fra', 'MOBILE'), ('usa', 'DESKTOP')) AS v (country, device)`
  yield* sql`SELECT ensure_ranking_partitions(${first}::date, ${lastDay}::date)`
  yield* sql`ANALYZE ranking_pairs, ranking_pages`
  const months = yield* sql<{ start: string; end: string }>`
    SELECT greatest(m::date, ${first}::date)::text AS start, least((m + interval '1 month')::date - 1, ${lastDay}::date)::text AS end
    FROM generate_series(date_trunc('month', ${first}::timestamp), ${lastDay}::timestamp, interval '1 month') AS m`
  for (const { end, start } of months) {
    yield* sql`
      INSERT INTO ranking_query_facts (site, day, key, variant, impressions, clicks, counts, exact, sum_top)
      SELECT ${site}::int, day, key, 2 + key % 4, impressions, impressions / 20, 15, true, impressions * (1 + key % 30) FROM (
        SELECT day, key, 1 + floor(${rows}::float8 / 40 / (key + 20) * (0.5 + random()))::bigint AS impressions FROM (
          SELECT DISTINCT day::date AS day, 1 + floor(${pairs}::int * power(random(), 2.5))::int AS key
          FROM generate_series(${start}::timestamp, ${end}::timestamp, interval '1 day') AS day, generate_series(1, ${Math.floor(perDay * 1.3)}::int)
        ) AS k
      ) AS f ORDER BY day, key`
    yield* sql`
      INSERT INTO ranking_page_facts (site, day, key, variant, impressions, clicks, counts, exact, sum_top)
      SELECT site, day, 1 + (key::bigint * 7919) % (${pairs}::int / 25), variant, sum(impressions) * 2, sum(clicks), 15, true, sum(sum_top) * 2
      FROM ranking_query_facts WHERE site = ${site} AND day BETWEEN ${start}::date AND ${end}::date GROUP BY 1, 2, 3, variant ORDER BY 2, 3`
    yield* sql`
      INSERT INTO ranking_property_facts (site, day, key, variant, impressions, clicks, counts, exact, sum_top)
      SELECT ${site}::int, day, 0, v, sum(impressions), sum(clicks), 15, true, sum(sum_top)
      FROM ranking_page_facts, generate_series(2, 5) AS v WHERE site = ${site} AND day BETWEEN ${start}::date AND ${end}::date GROUP BY day, v`
  }
  yield* sql`UPDATE ranking_days SET whole = true WHERE site = ${site}`
})
