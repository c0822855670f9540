import * as SqlClient from "@effect/sql/SqlClient"
import type * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Query from "../../foundation/database/Query.ts"
import { Conflict, Invalid, NotFound } from "../../foundation/schema/DomainError.ts"
import * as Traced from "../../foundation/schema/Traced.ts"
import type { AccountId } from "../accounts/Domain.ts"
import type { Batch } from "../accounts/Handlers.ts"
import { OwnedId } from "../accounts/Owned.ts"
import { ProjectId } from "../projects/Domain.ts"
import { Projects } from "../projects/Projects.ts"
import * as Property from "../rankings/Property.ts"
import { SourcesRepo } from "../rankings/sync/Sync.ts"
import { RunId } from "../sitehealth/Domain.ts"
import type { Inspect } from "./Api.ts"
import { Inspection, offered, type Queued } from "./Domain.ts"

const Project = OwnedId(ProjectId)

/** An inspection, and its place in the list. */
const Listed = Schema.Struct({ ...Inspection.fields, created_at: Schema.String })

/** The owners' view of inspections, and the queueing of URLs. */
export class InspectionsRepo extends Effect.Service<InspectionsRepo>()("inspections/InspectionsRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const columns =
      sql.literal(`i.id, i.url, i.status, i.verdict, i.coverage_state, i.indexing_state, i.google_canonical, i.user_canonical,
      iso(i.last_crawl_at) AS last_crawl_at, iso(i.inspected_at) AS inspected_at, iso(i.changed_at) AS changed_at, i.run_id, i.indexability_state,
      CASE WHEN i.run_id IS NOT NULL AND i.verdict IN ('PASS', 'FAIL', 'NEUTRAL')
        THEN (i.verdict = 'PASS') = (i.indexability_state = 'indexable') END AS agrees,
      i.error, iso(i.created_at) AS created_at`)

    const page = Query.newestFirst(sql, {
      Request: Schema.Struct({
        changedSince: Schema.UndefinedOr(Schema.DateTimeUtc),
        project: Project,
        verdict: Schema.UndefinedOr(Schema.String)
      }),
      Result: Listed,
      table: "i",
      rows: ({ changedSince, project, verdict }) => sql`
        SELECT ${columns} FROM inspections i WHERE project_id = ${project}
          AND ${verdict === undefined ? sql`true` : sql`verdict = ${verdict}`}
          AND ${changedSince === undefined ? sql`true` : sql`changed_at >= ${changedSince}::timestamptz`}`
    })

    /** The pages that a run offers: the named run, or else the project's newest run with results. */
    const offeredBy = Query.all({
      Request: Schema.Struct({ project: Project, run: Schema.NullOr(RunId) }),
      Result: Schema.Struct({ run: RunId, urls: Schema.Array(Schema.String) }),
      execute: ({ project, run }) => sql`
        SELECT r.id AS run, ARRAY(
          SELECT entry ->> 'url' FROM json_array_elements(r.result -> 'pages') AS entry WHERE entry ->> 'health_state' = ANY (${offered}::text[])
        ) AS urls
        FROM site_health_runs r WHERE r.project_id = ${project} AND r.result IS NOT NULL
          AND ${run === null ? sql`r.verify IS NULL` : sql`r.id = ${run}`}
        ORDER BY r.created_at DESC, r.id DESC LIMIT 1`
    })

    /** The number of waiting URLs: of the project, and of all projects of its account with the property. */
    const waiting = Query.one({
      Request: Schema.Struct({ property: Schema.String, project: Project }),
      Result: Schema.Struct({ ofAccount: Schema.Int, ofProject: Schema.Int }),
      execute: ({ project, property }) => sql`
        SELECT count(*)::int AS "ofAccount", count(*) FILTER (WHERE project_id = ${project})::int AS "ofProject"
        FROM inspections WHERE status = 'queued' AND project_id IN (
          SELECT site_id FROM ranking_sources
          WHERE property = ${property} AND account_id = (SELECT account_id FROM projects WHERE id = ${project}))`
    })

    /** Queues URLs, each with its state in the newest run that fetched it. Queued URLs keep their places. */
    const queue = Query.one({
      Request: Schema.Struct({ project: Project, urls: Schema.Array(Schema.String) }),
      Result: Schema.Struct({ queued: Schema.Int }),
      execute: ({ project, urls }) => sql`
        WITH newest AS MATERIALIZED (
          SELECT id, result FROM site_health_runs WHERE project_id = ${project} AND result IS NOT NULL AND verify IS NULL
          ORDER BY created_at DESC, id DESC LIMIT 1
        ), seen AS (
          SELECT DISTINCT ON (url) newest.id AS run_id, entry ->> 'url' AS url, entry ->> 'indexability_state' AS state
          FROM newest, json_array_elements(newest.result -> 'pages') AS entry WHERE entry ->> 'fetch_state' <> 'not_fetched'
        ), written AS (
          INSERT INTO inspections AS i (project_id, url, run_id, indexability_state)
          SELECT ${project}::uuid, w.url, s.run_id, s.state FROM unnest(${urls}::text[]) WITH ORDINALITY AS w (url, place)
          LEFT JOIN seen s ON s.url = w.url ORDER BY w.place
          ON CONFLICT (project_id, md5(url)) DO UPDATE SET status = 'queued', error = NULL, tries = 0, queued_at = clock_timestamp(),
            due_at = clock_timestamp(), run_id = excluded.run_id, indexability_state = excluded.indexability_state
          WHERE i.status <> 'queued' RETURNING i.id
        )
        SELECT count(*)::int AS queued FROM written`
    })

    return { offeredBy, page, queue, transaction: Query.transaction(sql), waiting }
  })
}) {}

/** The most waiting URLs of a project: ten days of Google's limit. */
const waitingAtMost = 20_000

const unconnected = new Conflict({
  message:
    "The site is not connected to Search Console. Connect it first: PUT /api/v1/projects/{project_id}/rankings/source"
})

interface Filters {
  readonly changedSince: DateTime.Utc | undefined
  readonly verdict: string | undefined
}

/** Google's inspections of URLs of an account's projects. */
export class Inspections extends Effect.Service<Inspections>()("inspections/Inspections", {
  dependencies: [InspectionsRepo.Default, Projects.Default, SourcesRepo.Default],
  effect: Effect.gen(function* () {
    const projects = yield* Projects
    const repo = yield* InspectionsRepo
    const sources = yield* SourcesRepo

    /** The requested URLs: the named ones, which must all be on the property, or the URLs of a run that are on the property. */
    const wanted = Effect.fnUntraced(function* (
      project: Effect.Effect.Success<ReturnType<typeof projects.own>>,
      { from, run_id, urls }: Inspect,
      property: string
    ) {
      if (urls !== undefined) {
        if (from !== undefined) return yield* Invalid.of("from", "cannot be combined with urls")
        if (run_id !== undefined) return yield* Invalid.of("run_id", "needs from: run")
        const named = urls.map((url) => new URL(url).href)
        const off = named.findIndex((url) => !Property.holds(property, url))
        if (off >= 0)
          return yield* Invalid.of(`urls.${off}`, `must belong to the connected Search Console property ${property}`)
        return named
      }
      if (from === undefined) return yield* Invalid.of("urls", "is required unless from is run")
      const [offered] = yield* repo.offeredBy({ project, run: run_id ?? null })
      if (offered === undefined)
        return yield* run_id === undefined
          ? new Conflict({ message: "The site has no finished crawl. Start a crawl first" })
          : NotFound.of("finished crawl of this site")
      return offered.urls.filter((url) => Property.holds(property, url))
    })

    const queue = Traced.fn("Inspections.queue")(function* (account: AccountId, id: ProjectId, request: Inspect) {
      const project = yield* projects.own(account, id)
      const { property } = yield* Effect.mapError(Effect.flatten(sources.connection(project)), () => unconnected)
      const urls = [...new Set(yield* wanted(project, request, property))]
      const { ofAccount, ofProject } = yield* repo.waiting({ project, property })
      if (ofProject + urls.length > waitingAtMost)
        return yield* Invalid.of(
          request.urls === undefined ? "from" : "urls",
          `would exceed ${waitingAtMost} waiting URLs of the site; ${ofProject} are waiting now. Send fewer URLs, or wait`
        )
      const { queued } = yield* repo.queue({ project, urls })
      return { joined: urls.length - queued, position_estimate: ofAccount, queued } satisfies Queued
    }, repo.transaction)

    const list = Traced.fn("Inspections.list")(function* (
      account: AccountId,
      project: ProjectId,
      filters: Filters,
      { after, count }: Batch
    ) {
      return yield* repo.page({ ...filters, after, count, project: yield* projects.own(account, project) })
    })

    return { list, queue }
  })
}) {}
