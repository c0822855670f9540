import * as SqlClient from "@effect/sql/SqlClient"
import type * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Query from "../../foundation/database/Query.ts"
import { apiError, waitHeaders } from "../../foundation/http/ApiError.ts"
import { NotFound } from "../../foundation/schema/DomainError.ts"
import * as Traced from "../../foundation/schema/Traced.ts"
import type { AccountId } from "../accounts/Domain.ts"
import type { Batch } from "../accounts/Handlers.ts"
import { OwnedId } from "../accounts/Owned.ts"
import { ProjectId } from "../projects/Domain.ts"
import { Projects } from "../projects/Projects.ts"
import { Backlink, BacklinkId, Change, Kind, ReferringDomain, Rel, Source, State } from "./Domain.ts"
import { AllowanceRepo } from "./Pace.ts"

const Project = OwnedId(ProjectId)

/** Filters of a list of backlinks. */
const Filters = Schema.Struct({
  domain: Schema.UndefinedOr(Schema.String),
  rel: Schema.UndefinedOr(Schema.Union(Rel, Schema.Literal("none"))),
  source: Schema.UndefinedOr(Source),
  state: Schema.UndefinedOr(State),
  targetPath: Schema.UndefinedOr(Schema.String)
})

const Listed = Schema.Struct({ ...Backlink.fields, created_at: Schema.String })
const ListedChange = Schema.Struct({ ...Change.fields, created_at: Schema.String })

/** Reads backlinks for their owners. */
export class BacklinksRepo extends Effect.Service<BacklinksRepo>()("backlinks/BacklinksRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    // Values of our own check win over reported ones.
    const seen = sql.literal("b.last_live_at IS NOT NULL")
    const target = sql.literal("CASE WHEN b.last_live_at IS NOT NULL THEN b.target_url ELSE reported.target_url END")
    const rel = sql.literal("CASE WHEN b.last_live_at IS NOT NULL THEN b.rel ELSE coalesce(reported.rel, '{}') END")
    const reported = sql.literal(`LEFT JOIN LATERAL (
        SELECT target_url, anchor_text, rel FROM backlink_reports r WHERE r.backlink_id = b.id
        ORDER BY target_url IS NULL, last_reported_at DESC, source LIMIT 1) AS reported ON true`)

    const page = Query.newestFirst(sql, {
      Request: Schema.Struct({ ...Filters.fields, project: Project }),
      Result: Listed,
      table: "b",
      rows: ({ domain, project, rel: marked, source, state, targetPath }) => sql`
        SELECT b.id, b.source_url, b.source_domain, ${target} AS target_url,
          CASE WHEN ${seen} THEN nullif(b.anchor_text, '') ELSE reported.anchor_text END AS anchor_text, ${rel} AS rel, b.state,
          CASE WHEN b.state IN ('blocked', 'unknown') THEN b.reason END AS reason, b.http_status, iso(b.first_seen_at) AS first_seen_at,
          iso(b.last_live_at) AS last_live_at, iso(b.checked_at) AS checked_at,
          (SELECT coalesce(json_agg(json_build_object('source', r.source, 'first_reported_at', iso(r.first_reported_at),
             'last_reported_at', iso(r.last_reported_at)) ORDER BY r.source), '[]') FROM backlink_reports r WHERE r.backlink_id = b.id) AS sources,
          backlink_authority(b.project_id, b.source_domain, b.root_domain) AS authority, iso(b.created_at) AS created_at
        FROM backlinks b ${reported} WHERE b.project_id = ${project}
          AND ${state === undefined ? sql`true` : sql`b.state = ${state}`}
          AND ${domain === undefined ? sql`true` : sql`(b.source_domain = ${domain} OR b.root_domain = ${domain})`}
          AND ${source === undefined ? sql`true` : sql`EXISTS (SELECT FROM backlink_reports r WHERE r.backlink_id = b.id AND r.source = ${source})`}
          AND ${marked === undefined ? sql`true` : marked === "none" ? sql`cardinality(${rel}) = 0` : sql`${marked} = ANY (${rel})`}
          AND ${targetPath === undefined ? sql`true` : sql`regexp_replace(substring(${target} FROM '^https?://[^/?#]*([^?#]*)'), '^$', '/') = ${targetPath}`}`
    })

    /** Domains by name. */
    const domains = Query.all({
      Request: Schema.Struct({ after: Schema.UndefinedOr(Schema.String), count: Schema.Int, project: Project }),
      Result: ReferringDomain,
      execute: ({ after, count, project }) => {
        const following = (name: string) => (after === undefined ? sql`true` : sql`${sql.literal(name)} > ${after}`)
        return sql`
          WITH names AS (
            (SELECT DISTINCT source_domain AS domain FROM backlinks
             WHERE project_id = ${project} AND ${following("source_domain")} ORDER BY 1 LIMIT ${count})
            UNION
            (SELECT DISTINCT domain FROM backlink_domains
             WHERE project_id = ${project} AND ${following("domain")} ORDER BY 1 LIMIT ${count})
            ORDER BY 1 LIMIT ${count}
          )
          SELECT names.domain, coalesce(pages.links, 0) AS links, coalesce(pages.live_links, 0) AS live_links, lists.reported_links,
            backlink_authority(${project}, names.domain, coalesce(pages.root_domain, lists.root_domain)) AS authority,
            iso(CASE WHEN pages.links IS NULL THEN lists.lost_at WHEN pages.is_lost THEN pages.lost_at END) AS lost_at
          FROM names
          LEFT JOIN LATERAL (
            SELECT count(*)::int AS links, (count(*) FILTER (WHERE state = 'live'))::int AS live_links, min(root_domain) AS root_domain, max(b.lost_at) AS lost_at,
              bool_and(b.lost_at IS NOT NULL) FILTER (WHERE last_live_at IS NOT NULL) AS is_lost
            FROM backlinks b WHERE b.project_id = ${project} AND b.source_domain = names.domain HAVING count(*) > 0
          ) AS pages ON true
          LEFT JOIN LATERAL (
            SELECT min(root_domain) AS root_domain, max(d.lost_at) AS lost_at,
              ((array_agg(reported_links ORDER BY last_listed_at DESC, source) FILTER (WHERE reported_links IS NOT NULL))[1])::int AS reported_links
            FROM backlink_domains d WHERE d.project_id = ${project} AND d.domain = names.domain
          ) AS lists ON true
          ORDER BY names.domain`
      }
    })

    const changes = Query.newestFirst(sql, {
      Request: Schema.Struct({
        kind: Schema.UndefinedOr(Kind),
        project: Project,
        since: Schema.UndefinedOr(Schema.DateTimeUtc)
      }),
      Result: ListedChange,
      table: "c",
      rows: ({ kind, project, since }) => sql`
        SELECT c.id, c.kind, iso(c.created_at) AS at, c.backlink_id, b.source_url, b.source_domain, c.previous_rel, c.rel, iso(c.created_at) AS created_at
        FROM (SELECT * FROM backlink_changes WHERE project_id = ${project}) AS c
        JOIN (SELECT id AS backlink, source_url, source_domain FROM backlinks) AS b ON b.backlink = c.backlink_id
        WHERE ${kind === undefined ? sql`true` : sql`c.kind = ${kind}`}
          AND ${since === undefined ? sql`true` : sql`c.created_at >= ${since}::timestamptz`}`
    })

    const counted = Schema.Struct({ due: Schema.Int })
    const wake = sql`
      woken AS (UPDATE backlink_sites s SET next_at = least(s.next_at, clock_timestamp()) FROM due WHERE s.id = due.project_id RETURNING s.id)`

    /** Makes one page due immediately; counts 0 if the project has no such backlink. */
    const checkOne = Query.one({
      Request: Schema.Struct({ id: BacklinkId, project: Project }),
      Result: counted,
      execute: ({ id, project }) => sql`
        WITH due AS (UPDATE backlinks SET due_at = least(due_at, clock_timestamp()) WHERE id = ${id} AND project_id = ${project} RETURNING project_id), ${wake}
        SELECT count(*)::int AS due FROM due`
    })

    /** Checks all due pages when the next worker is free, even within the hour after a discarded round. */
    const checkDue = Query.one({
      Request: Schema.Struct({ project: Project }),
      Result: counted,
      execute: ({ project }) => sql`
        WITH found AS (SELECT count(*)::int AS due FROM backlinks WHERE project_id = ${project} AND due_at <= clock_timestamp()),
        due AS (SELECT ${project}::uuid AS project_id FROM found WHERE found.due > 0), ${wake}
        SELECT due FROM found`
    })

    return { changes, checkDue, checkOne, domains, page, transaction: Query.transaction(sql) }
  })
}) {}

const missing = NotFound.of("backlink")

interface ChangeFilters {
  readonly kind: typeof Kind.Type | undefined
  readonly since: DateTime.Utc | undefined
}

/** The pages and domains that link to the sites of an account. */
export class Backlinks extends Effect.Service<Backlinks>()("backlinks/Backlinks", {
  dependencies: [BacklinksRepo.Default, AllowanceRepo.Default, Projects.Default],
  effect: Effect.gen(function* () {
    const { allowance } = yield* AllowanceRepo
    const projects = yield* Projects
    const repo = yield* BacklinksRepo

    const list = Traced.fn("Backlinks.list")(function* (
      account: AccountId,
      id: ProjectId,
      filters: Schema.Schema.Type<typeof Filters>,
      batch: Batch
    ) {
      return yield* repo.page({ ...batch, ...filters, project: yield* projects.own(account, id) })
    })

    const domains = Traced.fn("Backlinks.domains")(function* (
      account: AccountId,
      id: ProjectId,
      { after, count }: Batch
    ) {
      return yield* repo.domains({ after: after?.[0], count, project: yield* projects.own(account, id) })
    })

    const changes = Traced.fn("Backlinks.changes")(function* (
      account: AccountId,
      id: ProjectId,
      filters: ChangeFilters,
      batch: Batch
    ) {
      return yield* repo.changes({ ...batch, ...filters, project: yield* projects.own(account, id) })
    })

    /** Refuses checks beyond the day's allowance. */
    const withinAllowance = Effect.fnUntraced(function* (account: AccountId) {
      const { left, limit, untilTomorrow } = yield* allowance(account)
      if (left > 0) return
      const message = `Your plan's ${limit} backlink checks per day are used up. Findable checks due pages tomorrow (UTC)`
      return yield* apiError<"quota_exceeded">("quota_exceeded", message, {
        headers: waitHeaders(limit, untilTomorrow)
      })
    })

    const check = Traced.fn("Backlinks.check")(function* (account: AccountId, id: ProjectId, backlink: BacklinkId) {
      const project = yield* projects.own(account, id)
      return yield* Effect.gen(function* () {
        const checks = yield* repo.checkOne({ id: backlink, project })
        if (checks.due === 0) return yield* missing
        yield* withinAllowance(account)
        return checks
      }).pipe(repo.transaction)
    })

    const checkDue = Traced.fn("Backlinks.checkDue")(function* (account: AccountId, id: ProjectId) {
      const project = yield* projects.own(account, id)
      return yield* Effect.gen(function* () {
        const checks = yield* repo.checkDue({ project })
        if (checks.due > 0) yield* withinAllowance(account)
        return checks
      }).pipe(repo.transaction)
    })

    return { changes, check, checkDue, domains, list }
  })
}) {}
