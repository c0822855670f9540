import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"

/** Gives texts their numbers, in the order in which they come. The lock of the site keeps others from adding any meanwhile. */
export class TextsRepo extends Effect.Service<TextsRepo>()("rankings/import/TextsRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    const next = (table: "pages" | "pairs" | "variants", site: number) =>
      sql`(SELECT coalesce(max(id), 0) FROM ${sql(`ranking_${table}`)} WHERE site = ${site}) + row_number() OVER (ORDER BY key)`

    /** The staged variants get their numbers and grains in `ranking_staged_grains`. */
    const variants = (site: number) =>
      Effect.orDie(
        Effect.zipRight(
          sql`INSERT INTO ranking_variants (site, id, key, address, country, device, appearance)
            SELECT ${site}::integer, ${next("variants", site)}, key, address, country, device, appearance
            FROM (
              SELECT DISTINCT ON (key) key, address, country, device, appearance FROM ranking_staged_variants s
              WHERE NOT EXISTS (SELECT FROM ranking_variants v WHERE v.site = ${site} AND v.key = s.key) ORDER BY key
            ) AS new`,
          sql`CREATE TEMPORARY TABLE ranking_staged_grains ON COMMIT DROP AS
            SELECT s.number, v.id, v.grain FROM ranking_staged_variants s JOIN ranking_variants v ON v.site = ${site} AND v.key = s.key`
        )
      )

    const pairs = (site: number) =>
      Effect.orDie(sql`
        INSERT INTO ranking_pairs (site, id, key, query, page, folded)
        SELECT ${site}::integer, ${next("pairs", site)}, key, query, page, folded FROM (
          SELECT DISTINCT ON (key) key, query, page, folded FROM ranking_staging s
          WHERE key IS NOT NULL AND NOT EXISTS (SELECT FROM ranking_pairs k WHERE k.site = ${site} AND k.key = s.key) ORDER BY key
        ) AS new ORDER BY key`)

    const pages = (site: number) =>
      Effect.orDie(sql`
        INSERT INTO ranking_pages (site, id, key, page)
        SELECT ${site}::integer, ${next("pages", site)}, key, page FROM (
          SELECT page, md5(page)::uuid AS key FROM (SELECT DISTINCT page FROM ranking_staging WHERE page IS NOT NULL) AS staged
        ) AS s WHERE NOT EXISTS (SELECT FROM ranking_pages k WHERE k.site = ${site} AND k.key = s.key) ORDER BY key`)

    return { pages, pairs, variants }
  })
}) {}
