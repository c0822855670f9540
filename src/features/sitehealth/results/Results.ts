import * as SqlClient from "@effect/sql/SqlClient"
import type * as Statement from "@effect/sql/Statement"
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { FindingUnit } from "../../../crawl/diff/CrawlDiff.ts"
import { diffOf } from "../../../crawl/diff/Diff.ts"
import { CrawlResult } from "../../../crawl/report/CrawlResult.ts"
import { Finding, FindingStatus, Severity, severityRank, unitsOf } from "../../../crawl/report/Finding.ts"
import { MeasuredPage } from "../../../crawl/report/MeasuredPage.ts"
import * as Query from "../../../foundation/database/Query.ts"
import { namedBase } from "../../../foundation/http/Request.ts"
import { Conflict, NotFound } from "../../../foundation/schema/DomainError.ts"
import { mapped, unhurried, withList } from "../../../foundation/schema/Steps.ts"
import * as Traced from "../../../foundation/schema/Traced.ts"
import type { AccountId } from "../../accounts/Domain.ts"
import type { Batch } from "../../accounts/Handlers.ts"
import { OwnedId } from "../../accounts/Owned.ts"
import { ProjectId } from "../../projects/Domain.ts"
import { type Run, RunId } from "../Domain.ts"
import { doneByApi, fixDirectives } from "../fixes/Fixes.ts"
import { Runs } from "../Runs.ts"
import { DeadLinkFilters, type FindingFilters, ListedDeadLink, PageFilters } from "./Api.ts"

/** Changed pages between runs with kept results. */
export class ChangedPagesRepo extends Effect.Service<ChangedPagesRepo>()("sitehealth/ChangedPagesRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    /**
     * Paths with another title, canonical or status in one run than in another, in code-point order. Runs count if they ended between two moments; pages
     * without a response do not. All paths with escapes are included too, because `paths` may be unescaped.
     */
    const changed = Query.all({
      Request: Schema.Struct({
        from: Schema.DateTimeUtc,
        paths: Schema.parseJson(Schema.Array(Schema.String)),
        project: OwnedId(ProjectId),
        to: Schema.DateTimeUtc
      }),
      Result: Schema.Struct({ path: Schema.String }),
      execute: ({ from, paths, project, to }) => sql`
        SELECT path FROM (
          SELECT DISTINCT regexp_replace(split_part(p ->> 'url', '#', 1), '^[a-z]+://[^/]*', '') AS path,
            p ->> 'title' AS title, p ->> 'canonical_url' AS canonical, p ->> 'http_status' AS status
          FROM site_health_runs r CROSS JOIN LATERAL json_array_elements(r.result -> 'pages') AS p
          WHERE r.project_id = ${project} AND r.result IS NOT NULL AND r.finished_at >= ${from}::timestamptz AND r.finished_at < ${to}::timestamptz
            AND p ->> 'http_status' IS NOT NULL
        ) AS states
        WHERE path LIKE '%\\%%' OR path IN (SELECT json_array_elements_text(${paths}::json))
        GROUP BY path HAVING count(*) > 1 ORDER BY path COLLATE "C"`
    })

    return { changed }
  })
}) {}

/** A result in its column. Its pages may be megabytes, so they are read and written in steps between other work. */
export const StoredResult = Schema.Struct(
  { pages: Schema.Array(Schema.Unknown) },
  Schema.Record({ key: Schema.String, value: Schema.Unknown })
)
type StoredResult = typeof StoredResult.Type

const decodePage = Schema.decodeUnknownSync(MeasuredPage)
const encodePage = Schema.encodeSync(MeasuredPage)
const decodeRest = Schema.decodeUnknownSync(CrawlResult)
const encodeRest = Schema.encodeSync(CrawlResult)

/** The cost of reading or writing a page, in characters. */
const worth = 2048

/** Decodes a stored result. */
export const decodeResult = (stored: StoredResult): Effect.Effect<CrawlResult> =>
  Effect.map(unhurried(mapped(stored.pages, worth, (page) => decodePage(page))), (pages) => ({
    ...decodeRest({ ...stored, pages: [] }),
    pages
  }))

/** A result as JSON. */
export const encodeResult = (result: CrawlResult): Effect.Effect<Uint8Array> => {
  const { pages: _, ...rest } = encodeRest({ ...result, pages: [] })
  return unhurried(withList(rest, "pages", result.pages, worth, (page) => JSON.stringify(encodePage(page))))
}

/** A part of a result's list: `count` entries after the position `after`. */
const Part = { after: Schema.UndefinedOr(Schema.Array(Schema.String)), count: Schema.Int, run: OwnedId(RunId) }

/** Decodes the result of a row. */
const whole = <A extends { readonly result: StoredResult }>(row: Effect.Effect<Option.Option<A>>) =>
  Effect.flatMap(
    row,
    Option.match({
      onNone: () => Effect.succeedNone,
      onSome: (found) => Effect.asSome(Effect.map(decodeResult(found.result), (result) => ({ ...found, result })))
    })
  )

/** Reads the results of runs, whole and in parts. */
export class ResultsRepo extends Effect.Service<ResultsRepo>()("sitehealth/ResultsRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    const result = Query.first({
      Request: OwnedId(RunId),
      Result: Schema.Struct({ result: StoredResult }),
      execute: (run) => sql`SELECT result FROM site_health_runs WHERE id = ${run} AND result IS NOT NULL`
    })

    /** Whether an earlier run `e` saw the whole site with the options of `r`, so their scores are comparable. */
    const isComparable = sql`e.status = 'completed'
      AND (e.max_pages, e.check_dead_links, e.check_external_links, e.render)
        = (r.max_pages, r.check_dead_links, r.check_external_links, r.render)`

    /** A run `r` with the site's earlier runs `e` from the same start with a result. */
    const withEarlier = sql`site_health_runs r JOIN site_health_runs e ON e.project_id = r.project_id AND e.url = r.url
      AND (e.created_at, e.id) < (r.created_at, r.id) AND e.result IS NOT NULL AND e.verify IS NULL`
    const newest = sql`ORDER BY e.created_at DESC, e.id DESC LIMIT 1`

    /** The latest earlier run. */
    const earlier = Query.first({
      Request: RunId,
      Result: Schema.Struct({ id: RunId, comparable: Schema.Boolean, result: StoredResult }),
      execute: (id) => sql`
        SELECT e.id, ${isComparable} AS comparable, e.result FROM ${withEarlier} WHERE r.id = ${id} ${newest}`
    })

    /** The latest earlier run of the whole site with the same options. */
    const comparable = Query.first({
      Request: RunId,
      Result: Schema.Struct({ id: RunId, result: StoredResult }),
      execute: (id) => sql`
        SELECT e.id, e.result FROM ${withEarlier} AND ${isComparable} WHERE r.id = ${id} ${newest}`
    })

    /** The result that a run verifies, and the checks to repeat; no row for a run of the whole site. */
    const verified = Query.first({
      Request: RunId,
      Result: Schema.Struct({ result: StoredResult, rules: Schema.NullOr(Schema.Array(Schema.String)) }),
      execute: (id) => sql`
        SELECT e.result, r.verify_rules AS rules FROM site_health_runs r JOIN site_health_runs e ON e.id = r.verify
        WHERE r.id = ${id} AND e.result IS NOT NULL`
    })

    /** The values that order lists, by the name of the order. */
    const keys = {
      url: sql`entry ->> 'url' COLLATE "C"`,
      title: sql`lower(entry ->> 'title') COLLATE "C"`,
      state: sql`entry ->> 'health_state'`,
      indexability: sql`entry ->> 'indexability_state'`,
      http_status: sql`(entry ->> 'http_status')::integer`,
      depth: sql`(entry ->> 'depth')::integer`,
      words: sql`(entry ->> 'words')::integer`,
      response_ms: sql`(entry ->> 'response_ms')::double precision`,
      linked_from_count: sql`(entry ->> 'linked_from_count')::integer`,
      rendering: sql`entry -> 'rendering' ->> 'state'`
    }

    /** The place of each entry in the requested order. */
    const turnOf = ({ order, sort }: Pick<PageFilters, "order" | "sort">) =>
      sort === undefined
        ? sql`place`
        : order === "desc"
          ? sql`${keys[sort]} DESC NULLS LAST, place`
          : sql`${keys[sort]} NULLS LAST, place`

    /** A part of a list in its order. A result never changes, so a place in the order is a lasting position. */
    const partOf = (
      list: Statement.Fragment,
      filters: Pick<PageFilters, "order" | "sort">,
      { after, count }: Batch
    ) => sql`
      SELECT entry, turn::text AS place, total FROM (
        SELECT entry, row_number() OVER (ORDER BY ${turnOf(filters)}) AS turn, count(*) OVER ()::integer AS total FROM ${list}
      ) AS ordered WHERE turn > ${after?.[0] ?? "0"}::bigint ORDER BY turn LIMIT ${count}`

    const pages = Query.all({
      Request: Schema.Struct({ ...Part, filters: PageFilters }),
      Result: Schema.Struct({ entry: MeasuredPage, place: Schema.String, total: Schema.Int }),
      execute: ({ filters, run, ...batch }) => {
        const { q = null, reason = null, state = null } = filters
        const list = sql`site_health_runs r, json_array_elements(r.result -> 'pages') WITH ORDINALITY AS list(entry, place)
          WHERE r.id = ${run}
            AND (${state}::text IS NULL OR entry ->> 'health_state' = ${state}::text)
            AND (${reason}::text IS NULL OR entry ->> 'health_reason' = ${reason}::text)
            AND (${q}::text IS NULL OR strpos(lower(concat_ws(E'\n', entry ->> 'url', entry ->> 'title')), lower(${q}::text)) > 0)`
        return partOf(list, filters, batch)
      }
    })

    const deadLinks = Query.all({
      Request: Schema.Struct({ ...Part, filters: DeadLinkFilters }),
      Result: Schema.Struct({ entry: ListedDeadLink, place: Schema.String, total: Schema.Int }),
      execute: ({ filters, run, ...batch }) => {
        const { kind = null, q = null, reason = null } = filters
        const of = (name: "internal" | "external", path: "dead_links" | "external_links") => sql`
          SELECT ${name} AS kind, link, place FROM site_health_runs r,
            json_array_elements(r.result -> 'summary' -> ${path}::text -> 'items') WITH ORDINALITY AS list(link, place) WHERE r.id = ${run}`
        const list = sql`(
            SELECT row_number() OVER (ORDER BY kind DESC, place) AS place, kind,
              (link::jsonb || jsonb_build_object('kind', kind, 'linked_from_count', json_array_length(link -> 'all_linked_from'))) AS entry
            FROM (${of("internal", "dead_links")} UNION ALL ${of("external", "external_links")}) AS links
          ) AS list
          WHERE (${kind}::text IS NULL OR kind = ${kind}::text)
            AND (${reason}::text IS NULL OR (entry ->> 'http_status' >= '500') = (${reason}::text = 'http_5xx'))
            AND (${q}::text IS NULL
              OR strpos(lower(concat_ws(E'\n', entry ->> 'url', entry ->> 'anchor_text', entry ->> 'all_linked_from')), lower(${q}::text)) > 0)`
        return partOf(list, filters, batch)
      }
    })

    /** The issues that pass the filters, in the order of the catalogue, with the score points that each costs. */
    const findings = Query.all({
      Request: Schema.Struct({
        run: OwnedId(RunId),
        rule: Schema.UndefinedOr(Schema.String),
        severity: Schema.UndefinedOr(Severity),
        status: Schema.UndefinedOr(FindingStatus)
      }),
      Result: Schema.Struct({ entry: Finding, points: Schema.Number }),
      execute: ({ rule, run, severity, status }) => sql`
        SELECT entry, coalesce((lost ->> (entry ->> 'rule'))::float8, 0) AS points FROM site_health_runs r
          CROSS JOIN LATERAL (
            SELECT json_object_agg(one ->> 'rule', one -> 'points') AS lost
            FROM json_array_elements(r.result #> '{score,breakdown,lost}') AS one
          ) AS charges,
          json_array_elements(r.result -> 'findings') WITH ORDINALITY AS list(entry, place)
        WHERE r.id = ${run}
          AND (${rule ?? null}::text IS NULL OR entry ->> 'rule' = ${rule ?? null}::text)
          AND (${severity ?? null}::text IS NULL OR entry ->> 'severity' = ${severity ?? null}::text)
          AND (${status ?? null}::text IS NULL OR entry ->> 'status' = ${status ?? null}::text)
        ORDER BY list.place`
    })

    return {
      comparable: (run: Parameters<typeof comparable>[0]) => whole(comparable(run)),
      earlier: (run: Parameters<typeof earlier>[0]) => whole(earlier(run)),
      deadLinks,
      findings,
      pages,
      result: (run: Parameters<typeof result>[0]) => whole(result(run)),
      verified: (run: Parameters<typeof verified>[0]) => whole(verified(run))
    }
  })
}) {}

const none = ({ status }: Run) =>
  new Conflict({
    message:
      status === "queued" || status === "running"
        ? `The crawl is ${status}: there is no result yet. Wait until it has finished.`
        : status === "completed" || status === "partial"
          ? `The crawl is ${status}, but its result has been deleted. Start a new crawl.`
          : `The crawl is ${status}: it has no result. Start a new crawl.`
  })

const inPart = new Conflict({
  message: "A recheck covers only a part of the site and cannot be compared. Compare crawls of the whole site."
})

const alone = new Conflict({ message: "There is no earlier crawl of this site with a result and the same start URL" })

/** An entry of a list with its 1-based index, and the length of the list. A result never changes, so an index is a lasting position. */
export interface Listed<A> {
  readonly entry: A
  readonly place: string
  readonly total: number
}

const turn: Readonly<Record<FindingStatus, number>> = { fail: 0, not_assessed: 1, pass: 2 }

const worstFirst = (a: Finding, b: Finding) =>
  turn[a.status] - turn[b.status] || severityRank[a.severity] - severityRank[b.severity] || b.count - a.count

/** Score points by check; a check that costs nothing may be missing. */
type Points = ReadonlyMap<string, number>

const dearestFirst =
  (points: Points) =>
  (a: Finding, b: Finding): number =>
    turn[a.status] - turn[b.status] || (points.get(b.rule) ?? 0) - (points.get(a.rule) ?? 0) || worstFirst(a, b)

const named = (part: string | undefined): ((url: string) => boolean) => {
  if (part === undefined) return () => true
  const wanted = part.toLowerCase()
  return (url) => url.toLowerCase().includes(wanted)
}

/** Issues in list order; with part of a URL, only issues on such a URL. */
export const ordered = (
  findings: ReadonlyArray<Finding>,
  { sort, url }: FindingFilters,
  points: Points
): ReadonlyArray<Finding> => {
  const having = url === undefined ? findings : findings.filter(({ pages }) => pages.some(named(url)))
  return sort === undefined ? having : having.toSorted(sort === "impact" ? dearestFirst(points) : worstFirst)
}

/** One entry for each check and URL of the list. */
export const byUrl = (
  findings: ReadonlyArray<Finding>,
  filters: FindingFilters,
  points: Points
): ReadonlyArray<FindingUnit> =>
  unitsOf(ordered(findings, filters, points)).filter(({ url }) => named(filters.url)(url))

/** The entries after a position, each with its index. */
export const batchOf = <A>(entries: ReadonlyArray<A>, { after, count }: Batch): ReadonlyArray<Listed<A>> => {
  const start = Number(after?.[0] ?? 0)
  return entries
    .slice(start, start + count)
    .map((entry, index) => ({ entry, place: String(start + index + 1), total: entries.length }))
}

/** The results of an account's runs. */
export class Results extends Effect.Service<Results>()("sitehealth/Results", {
  dependencies: [ResultsRepo.Default, Runs.Default],
  effect: Effect.gen(function* () {
    const repo = yield* ResultsRepo
    const runs = yield* Runs
    const base = yield* namedBase

    /** The run, if it has a result. */
    const having = Traced.fn("Results.having")(function* (account: AccountId, id: RunId) {
      const run = yield* runs.own(account, id)
      return run.value.result_available ? run : yield* none(run.value)
    })

    /** A run with its whole result. */
    const get = Traced.fn("Results.get")(function* (account: AccountId, id: RunId) {
      const run = yield* having(account, id)
      const { result } = yield* Effect.mapError(Effect.flatten(repo.result(run)), () => none(run.value))
      return { result, run }
    })

    /** URLs of the run that pass the filters, in list order. */
    const pages = Traced.fn("Results.pages")(function* (
      account: AccountId,
      id: RunId,
      filters: PageFilters,
      batch: Batch
    ) {
      return yield* repo.pages({ ...batch, filters, run: yield* having(account, id) })
    })

    /** Broken links of the run that pass the filters, in list order. */
    const deadLinks = Traced.fn("Results.deadLinks")(function* (
      account: AccountId,
      id: RunId,
      filters: DeadLinkFilters,
      batch: Batch
    ) {
      return yield* repo.deadLinks({ ...batch, filters, run: yield* having(account, id) })
    })

    /** Issues, or failing URLs of checks, that pass the filters, in list order. */
    const findings = Traced.fn("Results.findings")(function* (
      account: AccountId,
      id: RunId,
      filters: FindingFilters,
      batch: Batch
    ) {
      const { rows, rule, severity, status } = filters
      const found = yield* repo.findings({ rule, run: yield* having(account, id), severity, status })
      const points = new Map(found.map(({ entry, points }) => [entry.rule, points]))
      const all = found.map(({ entry }) => entry)
      const list = rows === undefined ? ordered : byUrl
      return batchOf<Finding | FindingUnit>(list(all, filters, points), batch)
    })

    /** The fixes for a run's issues. */
    const fixes = (account: AccountId, id: RunId) =>
      Effect.map(get(account, id), ({ result, run }) => fixDirectives(result, doneByApi(base, run.value)))

    const fix = (account: AccountId, run: RunId, id: string) =>
      Effect.flatMap(fixes(account, run), (all) =>
        Effect.mapError(
          Arr.findFirst(all, (one) => one.id === id),
          () => NotFound.of("fix")
        )
      )

    /** The run to compare with. */
    const other = Effect.fnUntraced(function* (account: AccountId, id: RunId) {
      const { result, run } = yield* get(account, id)
      return run.value.request.verify === null ? { id, result } : yield* inPart
    })

    const compared = Effect.fnUntraced(function* (
      { result, run }: Effect.Effect.Success<ReturnType<typeof get>>,
      before: Effect.Effect<{ readonly id: RunId; readonly result: CrawlResult }, Conflict | NotFound>
    ) {
      if (run.value.request.verify !== null) return yield* inPart
      const { id, result: earlier } = yield* before
      return { run: run.value.id, against: id, ...diffOf(earlier, result) }
    })

    const newestBefore = (id: RunId) => Effect.mapError(Effect.flatten(repo.earlier(id)), () => alone)

    /** The changes between a run and another run of the account, by default the latest earlier one from the same start. */
    const diff = Traced.fn("Results.diff")(function* (account: AccountId, id: RunId, against: RunId | undefined) {
      const later = yield* get(account, id)
      return yield* compared(later, against === undefined ? newestBefore(id) : other(account, against))
    })

    /** A run with its whole result, and the changes since the latest earlier run from the same start, if there is one. */
    const report = Traced.fn("Results.report")(function* (account: AccountId, id: RunId) {
      const later = yield* get(account, id)
      return { diff: yield* Effect.option(compared(later, newestBefore(id))), result: later.result }
    })

    return { deadLinks, diff, findings, fix, fixes, get, having, pages, report }
  })
}) {}
