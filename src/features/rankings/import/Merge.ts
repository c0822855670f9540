import * as SqlClient from "@effect/sql/SqlClient"
import type { Fragment } from "@effect/sql/Statement"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { copyIn } from "../../../foundation/database/Copy.ts"
import * as Query from "../../../foundation/database/Query.ts"
import { Refused } from "../../../foundation/schema/DomainError.ts"
import * as Traced from "../../../foundation/schema/Traced.ts"
import type { ProjectId } from "../../projects/Domain.ts"
import { ImportFailed, type Level } from "../RawRow.ts"
import { rowsOfADay } from "../searchconsole/SearchAnalytics.ts"
import { IncomingRepo } from "./Incoming.ts"
import { columns, type Load, levelsOf, type Part, PartExtent } from "./Loads.ts"
import { DaysRepo, type Segments, type Source } from "./Log.ts"

/** The target of `ranking_incoming`: the facts of a site at one level, on the days of the import. */
interface Target {
  readonly site: number
  readonly level: Level
  readonly days: ReadonlyArray<string>
  readonly exact: boolean
  /** Whether the import has all data of its days, so stored facts that it lacks are removed. */
  readonly whole: boolean
}

/** A target, with its days that have query totals beside segments by country and device. */
interface Merge extends Target {
  readonly segmented: ReadonlyArray<string>
}

const tables = {
  pages: "ranking_page_facts",
  property: "ranking_property_facts",
  queries: "ranking_query_facts"
} as const

const Shrunk = Schema.Struct({ day: Schema.String, stored: Schema.String, incoming: Schema.String })

/** Merges facts, in the import's transaction and under the lock of the site. */
export class MergeRepo extends Effect.Service<MergeRepo>()("rankings/import/MergeRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    const facts = ({ level }: Target) => sql(tables[level])
    const dayList = (days: ReadonlyArray<string>) =>
      sql`(${sql.literal(days.map((day) => `'${day}'::date`).join(", "))})`
    const stored = ({ days, site }: Target) => sql`r.site = ${site} AND r.day IN ${dayList(days)}`
    const same = sql`r.day = i.day AND r.key = i.key`

    const partitions = ({ days }: Target) =>
      sql`SELECT ensure_ranking_partitions(${days.at(0) ?? ""}::date, ${days.at(-1) ?? ""}::date)`

    /** The order is the primary key's. Without an order the planner would look for any row in the facts of all sites. */
    const hasRows = (target: Target) =>
      Effect.map(
        sql`SELECT FROM ${facts(target)} r WHERE ${stored(target)} ORDER BY r.site, r.day, r.key, r.variant LIMIT 1`,
        (rows) => rows.length > 0
      )

    /** A bit for each grain of a day and text. On days with query totals, segments alone do not count as a whole. */
    const grains = ({ segmented }: Merge, of: Fragment, day: Fragment, key: Fragment): Fragment =>
      sql`(bit_or(1 << ${of}) OVER (PARTITION BY ${day}, ${key}))
        ${segmented.length === 0 ? sql`` : sql`| CASE WHEN ${day} IN ${dayList(segmented)} THEN 1 ELSE 0 END`}`

    const insert = (target: Merge, several: boolean) => sql`
      INSERT INTO ${facts(target)} AS r (site, day, key, variant, impressions, clicks, counts, exact, sum_top)
      SELECT ${target.site}::integer, day, key, variant, impressions, clicks,
        ranking_counts(grain, ${several ? grains(target, sql`grain`, sql`day`, sql`key`) : sql`1 << grain`}), ${target.exact}::boolean, sum_top
      FROM ranking_incoming`

    const upsert = (target: Merge, several: boolean) => sql`
      ${insert(target, several)}
      ON CONFLICT (site, day, key, variant) DO UPDATE
      SET impressions = excluded.impressions, clicks = excluded.clicks, sum_top = excluded.sum_top, exact = excluded.exact
      WHERE (r.impressions, r.clicks, r.sum_top, r.exact)
        IS DISTINCT FROM (excluded.impressions, excluded.clicks, excluded.sum_top, excluded.exact)`

    /** Deletes the facts that a day no longer has. */
    const forget = (target: Target) => sql`
      DELETE FROM ${facts(target)} r WHERE ${stored(target)}
        AND NOT EXISTS (SELECT FROM ranking_incoming i WHERE ${same} AND i.variant = r.variant)`

    /** Rounded numbers are dropped where exact ones are stored. */
    const yieldToExact = (target: Target) => sql`
      DELETE FROM ranking_incoming i USING ${facts(target)} r WHERE ${stored(target)} AND ${same} AND r.exact`

    /** Exact numbers replace rounded ones, and any number replaces a number without an address. */
    const displace = (target: Target) => sql`
      DELETE FROM ${facts(target)} r USING (SELECT DISTINCT day, key FROM ranking_incoming) AS i
      WHERE ${stored(target)} AND ${same} AND (r.variant = 0 OR ${target.exact ? sql`NOT r.exact` : sql`false`})`

    const severalGrains = Query.one({
      Request: Schema.Int,
      Result: Schema.Struct({ several: Schema.Boolean }),
      execute: (site) => sql`SELECT count(DISTINCT grain) > 1 AS several FROM ranking_variants WHERE site = ${site}`
    })

    /** Decides which of several grains counts, for the texts and days of the import. */
    const recount = (target: Merge) => sql`
      UPDATE ${facts(target)} r SET counts = c.counts FROM (
        SELECT r.day, r.key, r.variant, r.counts AS before, ranking_counts(v.grain, ${grains(target, sql`v.grain`, sql`r.day`, sql`r.key`)}) AS counts
        FROM ${facts(target)} r JOIN (SELECT DISTINCT day, key FROM ranking_incoming) AS i ON ${same}
        JOIN ranking_variants v ON v.site = r.site AND v.id = r.variant WHERE ${stored(target)}
      ) AS c
      WHERE ${stored(target)} AND r.day = c.day AND r.key = c.key AND r.variant = c.variant AND c.counts <> c.before`

    /** Returns the number of facts that are new, changed or gone. */
    const merge = Traced.fn("MergeRepo.merge")(function* (target: Merge) {
      if (target.days.length === 0) return 0
      yield* partitions(target)
      const isFresh = !(yield* hasRows(target))
      if (!isFresh) yield* sql`ANALYZE ranking_incoming`
      const gone = isFresh ? 0 : target.whole ? yield* Query.affected(forget(target)) : 0
      if (!isFresh && !target.exact) yield* yieldToExact(target)
      const displaced = isFresh || target.whole ? 0 : yield* Query.affected(displace(target))
      const several = target.segmented.length > 0 || (yield* severalGrains(target.site)).several
      const written = yield* Query.affected(isFresh ? insert(target, several) : upsert(target, several))
      if (several && !isFresh) yield* recount(target)
      return gone + displaced + written
    }, Effect.orDie)

    /** A day that would keep less than half of its impressions, if any. */
    const shrunk = (target: Target) =>
      Query.first({
        Request: Schema.Void,
        Result: Shrunk,
        execute: () => sql`
          SELECT d.day::text, d.stored::text, coalesce(i.incoming, 0)::text AS incoming FROM (
            SELECT r.day, sum(r.impressions) AS stored FROM ${facts(target)} r WHERE ${stored(target)} AND r.counts & 1 = 1 GROUP BY r.day
          ) AS d LEFT JOIN (SELECT day, sum(impressions) AS incoming FROM ranking_incoming GROUP BY day) AS i USING (day)
          WHERE coalesce(i.incoming, 0) * 2 < d.stored ORDER BY d.day LIMIT 1`
      })(undefined)

    return { merge, shrunk }
  })
}) {}

/** Numbers texts in their order. The lock of the site prevents concurrent additions. */
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

/** A day from the Search Console API: its levels, and its knowledge of queries by country and device. */
export interface Synced {
  readonly day: string
  readonly levels: ReadonlyArray<Level>
  readonly segments: Segments
  /** Levels that the API's limit of rows cut off. */
  readonly cutOff: ReadonlyArray<Level>
}

/** The staged levels, and how to merge them. */
interface StagedLevels {
  readonly site: number
  readonly source: Source
  readonly parts: ReadonlyArray<Part>
  /** Whether times of rows are hours, which add up. */
  readonly isHourly: boolean
  /** The data that a synchronisation fetched, which count as covered even when empty. */
  readonly synced: Synced | undefined
  /** Whether a bulk export may leave less than half of a day. */
  readonly replaces: boolean
}

/** The result for one level: the number of facts that are new, changed or gone, and the days that are now known. */
interface Merged {
  readonly level: Level
  readonly changed: number
  readonly days: ReadonlyArray<string>
}

const levels = ["queries", "pages", "property"] as const

/** Bulk exports and synchronised days have all data of a day; tables and API responses may have a part. */
const isWhole = (source: Source): boolean => source === "bigquery" || source === "sync"

/** The format of the numbers. A synchronisation counts as the API's, whose responses may also be imported as files. */
const formatOf = (source: Source) => (source === "sync" ? "gsc-api" : source)

/** An import's knowledge of queries by country and device; null for parts of a day. */
const segmentsOf = ({ source, synced }: StagedLevels) => (source === "bigquery" ? "bulk" : (synced?.segments ?? null))

/** Merges staged data level by level. */
export class Levels extends Effect.Service<Levels>()("rankings/import/Levels", {
  dependencies: [DaysRepo.Default, IncomingRepo.Default, MergeRepo.Default, TextsRepo.Default],
  effect: Effect.gen(function* () {
    const known = yield* DaysRepo
    const incoming = yield* IncomingRepo
    const merger = yield* MergeRepo
    const texts = yield* TextsRepo

    /** Fails for a fact with two numbers; the error names the second row, and then the first. */
    const refuseConflicts = Effect.fnUntraced(function* (
      of: Parameters<typeof incoming.conflicting>[0],
      parts: StagedLevels["parts"]
    ) {
      const rows = yield* incoming.conflicting(of)
      const pairOf = (isPair: (a: (typeof rows)[number], b: (typeof rows)[number]) => boolean) => {
        const second = rows.find((row, index) => rows.slice(0, index).some((before) => isPair(before, row)))
        const first = second && rows.find((row) => isPair(row, second))
        return first && second && ([first, second] as const)
      }
      const pair =
        pairOf((a, b) => a.piece === b.piece && a.numbers !== b.numbers) ??
        pairOf((a, b) => a.piece !== b.piece && a.part !== b.part)
      if (pair === undefined) return
      const [first, second] = pair
      const [before, here] = [first, second].map(
        ({ part }) => parts.find(({ number }) => number === part)?.table.file ?? ""
      )
      return yield* new ImportFailed({
        file: here ?? "",
        line: second.line,
        reason: `duplicate of ${before === here ? "" : `${before}, `}line ${first.line} (same date, query and page) with different numbers`
      })
    })

    const refuseShrinking = Effect.fnUntraced(function* (target: Parameters<typeof merger.shrunk>[0]) {
      const found = Option.getOrUndefined(yield* merger.shrunk(target))
      if (found === undefined) return
      const { day, incoming, stored } = found
      return yield* new Refused({
        message: `${day} would shrink from ${stored} to ${incoming} impressions. Import all files of a day together, or use replace (--replace, or replace=true) if the new data are complete`
      })
    })

    const mergeLevel = Effect.fnUntraced(function* (level: Level, staged: StagedLevels) {
      const { isHourly, parts, site, source, synced } = staged
      const mine = parts.filter((part) => levelsOf(part).includes(level))
      const whole = isWhole(source)
      const of = {
        isHourly,
        isMixed: source === "gsc-csv" && mine.length > 1,
        level,
        parts: mine.length === 0 ? [-1] : mine.map(({ number }) => number),
        site
      }
      yield* incoming.open(of, source === "bigquery")
      if (!whole) yield* refuseConflicts(of, parts)
      const counted = yield* incoming.days(of)
      const found = counted.map(({ day }) => day)
      const days = synced?.levels.includes(level) === true ? [synced.day] : found
      const target = { days, exact: mine.every(({ table }) => table.exact), level, site, whole }
      if (source === "bigquery" && !staged.replaces && days.length > 0) yield* refuseShrinking(target)
      const segments = level === "queries" ? segmentsOf(staged) : null
      const cutOff =
        source === "sync"
          ? days.filter(() => synced?.cutOff.includes(level) === true)
          : counted.flatMap(({ day, rows }) => (source === "gsc-api" && rows >= rowsOfADay ? [day] : []))
      yield* known.cover({
        cutOff,
        days,
        level,
        segments,
        site,
        source: formatOf(source),
        synced: source === "sync",
        whole
      })
      const segmented = level === "queries" ? yield* known.segmented({ days, site }) : []
      const changed = yield* merger.merge({ ...target, segmented: segmented.map(({ day }) => day) })
      yield* incoming.close
      return { changed, days, level } satisfies Merged
    })

    /** Runs in the import's transaction, under the lock of the site. */
    const merge = Traced.fn("Levels.merge")(function* (staged: StagedLevels) {
      const all = staged.parts.flatMap(levelsOf)
      yield* texts.variants(staged.site)
      if (all.includes("queries")) yield* texts.pairs(staged.site)
      if (all.includes("pages")) yield* texts.pages(staged.site)
      const touched = levels.filter((level) => all.includes(level) || staged.synced?.levels.includes(level) === true)
      return yield* Effect.forEach(touched, (level) => mergeLevel(level, staged))
    })

    return { merge }
  })
}) {}

const copyRows = `COPY ranking_staging (${columns.join(", ")}) FROM STDIN`
const copyVariants = "COPY ranking_staged_variants (number, address, country, device, appearance) FROM STDIN"

/** Rows of an import, in temporary tables of its transaction. */
export class StagingRepo extends Effect.Service<StagingRepo>()("rankings/import/StagingRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    /** The key of a pair is made while rows arrive, when the server has time, because decoding is slower. */
    const open = (site: ProjectId) =>
      Effect.orDie(
        Effect.zipRight(
          sql`CREATE TEMPORARY TABLE ranking_staging (
            part integer, line integer, day date, query text, page text, folded text, variant integer, impressions bigint, clicks bigint, sum_top numeric,
            second integer, spelling text,
            key uuid GENERATED ALWAYS AS (md5(${sql.literal(`'${site}'`)} || chr(31) || query || chr(31) || page)::uuid) STORED
          ) ON COMMIT DROP`,
          sql`CREATE TEMPORARY TABLE ranking_staged_variants (
            number integer, address text, country text, device text, appearance text,
            key uuid GENERATED ALWAYS AS (md5(address || chr(31) || coalesce(country, chr(30)) || chr(31) || coalesce(device, chr(30)) ||
              chr(31) || coalesce(appearance, chr(30)))::uuid) STORED
          ) ON COMMIT DROP`
        )
      )

    const copied = (statement: string, lines: string | Uint8Array) =>
      lines.length === 0 ? Effect.void : Effect.orDie(copyIn(statement, lines))

    const left = Query.all({
      Request: Schema.Array(Schema.Int),
      Result: PartExtent,
      execute: (parts) => sql`
        SELECT part, min(day)::text AS first_day, max(day)::text AS last_day, count(day)::float8 AS rows
        FROM unnest(${parts}::integer[]) AS part LEFT JOIN ranking_staging USING (part) GROUP BY part`
    })

    const add = ({ rows, variants }: Load) => Effect.zipRight(copied(copyVariants, variants), copied(copyRows, rows))

    /** Removes days of parts, and returns the rest of these parts. The parts are API responses, in which each row counts. */
    const leaveOut = (days: ReadonlyArray<{ readonly day: string; readonly part: number }>) =>
      Effect.orDie(
        Effect.zipRight(
          sql`DELETE FROM ranking_staging s USING json_to_recordset(${JSON.stringify(days)}::json) AS d (day date, part integer)
            WHERE s.day = d.day AND s.part = d.part`,
          left([...new Set(days.map(({ part }) => part))])
        )
      )

    return { add, leaveOut, open }
  })
}) {}
