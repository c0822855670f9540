import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { copyIn } from "../../../foundation/database/Copy.ts"
import * as Query from "../../../foundation/database/Query.ts"
import * as Traced from "../../../foundation/schema/Traced.ts"
import { ProjectId } from "../../projects/Domain.ts"
import { type Days, SnapshotId } from "../Domain.ts"
import { type ExportDays, ImportFailed, SnapshotKind, type SnapshotTable } from "../RawRow.ts"
import { type Part, snapshotColumns } from "./Loads.ts"

/** A table without dates, with the days of its sums, null if nobody named them. */
export interface SnapshotPart extends Part<SnapshotTable> {
  readonly range: Days | null
}

/** A snapshot that an import stored, or that was stored already. */
export interface StoredSnapshot {
  readonly id: SnapshotId
  readonly kind: SnapshotKind
  readonly file: string
  readonly range: Days | null
  readonly rows: number
  /** The number of new rows; 0 if the snapshot was stored already. */
  readonly changed: number
}

/** The folder or the archive of a file. An export's list of filters and its chart are beside its tables. */
const exportOf = (file: string) => file.slice(0, Math.max(0, file.lastIndexOf("/")))

/** The days of a table without dates: from the list of filters beside it, else from the chart beside it, else from the request. */
export const rangeOf = (file: string, exported: ReadonlyArray<ExportDays>, request: Days | null): Days | null => {
  const beside = exported.filter((other) => exportOf(other.file) === exportOf(file))
  const by = (which: ExportDays["by"]) =>
    beside.flatMap(({ by, range }) => (by === which && range !== null ? [range] : []))
  const [named] = by("filters")
  if (named !== undefined) return named
  const start = by("chart")
    .map((range) => range.start)
    .toSorted()
    .at(0)
  const end = by("chart")
    .map((range) => range.end)
    .toSorted()
    .at(-1)
  return start === undefined || end === undefined ? request : { end, start }
}

const ofKind = { countries: "country", devices: "device", pages: "page", queries: "query" } as const

const Range = Schema.NullOr(Schema.Struct({ end: Schema.String, start: Schema.String }))
const OfKind = { kind: SnapshotKind, project: ProjectId, range: Range }
const Content = Schema.Struct({ digest: Schema.String, rows: Schema.Int })
const Staged = Schema.Struct({ ...Content.fields, part: Schema.Int })

const copySnapshots = `COPY ranking_staged_snapshots (${snapshotColumns.join(", ")}) FROM STDIN`

/** Staged tables without dates, in the transaction of their import. */
export class StagedSnapshotsRepo extends Effect.Service<StagedSnapshotsRepo>()("rankings/import/StagedSnapshotsRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const days = (range: Days | null) => sql`(${range?.start ?? null}::date, ${range?.end ?? null}::date)`

    const open = Effect.orDie(sql`
      CREATE TEMPORARY TABLE ranking_staged_snapshots (
        part integer, line integer, key text, address text, impressions bigint, clicks bigint, sum_top numeric
      ) ON COMMIT DROP`)

    /** Takes the lines of one import. The staging table is created at the first line, because few imports have tables without dates. */
    const staging = () => {
      let isOpen = false
      return Effect.fnUntraced(function* (lines: string | Uint8Array) {
        if (lines.length === 0) return
        if (!isOpen) yield* open
        isOpen = true
        yield* Effect.orDie(copyIn(copySnapshots, lines))
      })
    }

    /** The rows of a key with several numbers, in their order; empty when each key has one number. */
    const conflicting = Query.all({
      Request: Schema.Void,
      Result: Schema.Struct({ line: Schema.Int, numbers: Schema.String, part: Schema.Int }),
      execute: () => sql`
        SELECT part, line, concat_ws(' ', impressions, clicks, sum_top) AS numbers FROM ranking_staged_snapshots
        WHERE (part, key, address) = (
          SELECT part, key, address FROM ranking_staged_snapshots GROUP BY part, key, address
          HAVING (min(impressions), min(clicks), min(sum_top)) <> (max(impressions), max(clicks), max(sum_top))
          ORDER BY part, key, address LIMIT 1
        ) ORDER BY line LIMIT 1000`
    })

    /** Makes one row per key: URLs with one path add up. */
    const fold = Effect.orDie(sql`
      CREATE TEMPORARY TABLE ranking_incoming_snapshots ON COMMIT DROP AS
      SELECT part, key, sum(impressions)::bigint AS impressions, sum(clicks)::bigint AS clicks, sum(sum_top) AS sum_top FROM (
        SELECT part, key, address, max(impressions) AS impressions, max(clicks) AS clicks, max(sum_top) AS sum_top
        FROM ranking_staged_snapshots GROUP BY part, key, address
      ) AS s GROUP BY part, key`)

    /** The number of rows of each part, and a digest that does not depend on their order. */
    const contents = Query.all({
      Request: Schema.Void,
      Result: Staged,
      execute: () => sql`
        SELECT part, count(*)::int AS rows, bit_xor(hashtextextended(concat_ws(chr(31), key, impressions, clicks, sum_top), 0))::text AS digest
        FROM ranking_incoming_snapshots GROUP BY part`
    })

    /** A snapshot with equal rows and days; unnamed days match any days. */
    const same = Query.first({
      Request: Schema.Struct({ ...OfKind, ...Content.fields }),
      Result: Schema.Struct({ id: SnapshotId, range: Range }),
      execute: ({ digest, kind, project, range, rows }) => sql`
        SELECT id, CASE WHEN first_day IS NOT NULL THEN json_build_object('start', first_day, 'end', last_day) END AS range
        FROM ranking_range_snapshots
        WHERE project_id = ${project} AND kind = ${kind} AND digest = ${digest}::bigint AND rows = ${rows}
          AND (first_day IS NULL OR ${range === null}::boolean OR (first_day, last_day) = ${days(range)})
        ORDER BY first_day IS NULL, created_at DESC, id DESC LIMIT 1`
    })

    /** Removes snapshots of the same days, because newer numbers replace them. */
    const replace = Query.none({
      Request: Schema.Struct(OfKind),
      execute: ({ kind, project, range }) =>
        sql`DELETE FROM ranking_range_snapshots WHERE project_id = ${project} AND kind = ${kind} AND (first_day, last_day) = ${days(range)}`
    })

    const date = Query.none({
      Request: Schema.Struct({ id: SnapshotId, range: Range }),
      execute: ({ id, range }) =>
        sql`UPDATE ranking_range_snapshots SET (first_day, last_day) = ${days(range)} WHERE id = ${id}`
    })

    const insert = Query.one({
      Request: Schema.Struct({ ...OfKind, ...Staged.fields }),
      Result: Schema.Struct({ id: SnapshotId }),
      execute: ({ digest, kind, part, project, range, rows }) => sql`
        WITH made AS (
          INSERT INTO ranking_range_snapshots (project_id, kind, first_day, last_day, rows, digest)
          VALUES (${project}, ${kind}, ${range?.start ?? null}::date, ${range?.end ?? null}::date, ${rows}, ${digest}::bigint) RETURNING id
        ), listed AS (
          INSERT INTO ranking_range_rows (snapshot_id, place, key, impressions, clicks, sum_top)
          SELECT made.id, row_number() OVER (ORDER BY clicks DESC, impressions DESC, key COLLATE "C"), key, impressions, clicks, sum_top
          FROM ranking_incoming_snapshots CROSS JOIN made WHERE part = ${part}
        )
        SELECT id FROM made`
    })

    return {
      conflicting: conflicting(undefined),
      contents: contents(undefined),
      date,
      fold,
      insert,
      replace,
      same,
      staging
    }
  })
}) {}

/** Keeps tables without dates as snapshots. */
export class SnapshotImports extends Effect.Service<SnapshotImports>()("rankings/import/SnapshotImports", {
  dependencies: [StagedSnapshotsRepo.Default],
  effect: Effect.gen(function* () {
    const repo = yield* StagedSnapshotsRepo

    const refuseConflicts = Effect.fnUntraced(function* (parts: ReadonlyArray<SnapshotPart>) {
      const rows = yield* repo.conflicting
      const [first] = rows
      const second = rows.find(({ numbers }) => numbers !== first?.numbers)
      if (first === undefined || second === undefined) return
      const table = parts.find(({ number }) => number === second.part)?.table
      if (table === undefined) return
      return yield* new ImportFailed({
        file: table.file,
        line: second.line,
        reason: `duplicate of line ${first.line} (same ${ofKind[table.kind]}) with different numbers`
      })
    })

    /** Refuses a second table for the same days: both cannot be their sums. */
    const refuseSecond = (parts: ReadonlyArray<SnapshotPart & { readonly digest: string }>) => {
      for (const [index, { digest, range, table }] of parts.entries()) {
        const first = parts
          .slice(0, index)
          .find(
            (other) =>
              range !== null &&
              other.table.kind === table.kind &&
              other.range?.start === range.start &&
              other.range.end === range.end &&
              other.digest !== digest
          )
        if (first === undefined) continue
        const reason = `${first.table.file} has different ${table.kind} for the same days, ${range?.start} to ${range?.end}. Import one of the two`
        return new ImportFailed({ file: table.file, line: 0, reason })
      }
      return Effect.void
    }

    const storeOne = Effect.fnUntraced(function* (
      project: ProjectId,
      { digest, number, range, rows, table: { file, kind } }: SnapshotPart & typeof Content.Type
    ) {
      const of = { kind, project, range }
      const known = Option.getOrUndefined(yield* repo.same({ ...of, digest, rows }))
      const isDated = known !== undefined && (known.range !== null || range === null)
      if (range !== null && !isDated) yield* repo.replace(of)
      if (known !== undefined && !isDated) yield* repo.date({ id: known.id, range })
      if (known !== undefined) return { changed: 0, file, id: known.id, kind, range: known.range ?? range, rows }
      const { id } = yield* repo.insert({ ...of, digest, part: number, rows })
      return { changed: rows, file, id, kind, range, rows }
    })

    /** Runs in the import's transaction, under the lock of the site. */
    const store = Traced.fn("SnapshotImports.store")(function* (
      project: ProjectId,
      parts: ReadonlyArray<SnapshotPart>
    ) {
      const none: ReadonlyArray<StoredSnapshot> = []
      if (parts.length === 0) return none
      yield* refuseConflicts(parts)
      yield* repo.fold
      const contents = new Map((yield* repo.contents).map((content) => [content.part, content]))
      const staged = parts.flatMap((part) => {
        const content = contents.get(part.number)
        return content === undefined ? [] : [{ ...part, digest: content.digest, rows: content.rows }]
      })
      yield* refuseSecond(staged)
      return yield* Effect.forEach(staged, (part) => storeOne(project, part))
    })

    return { staging: repo.staging, store }
  })
}) {}
