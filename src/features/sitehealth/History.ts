import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { ruleIds } from "../../crawl/rules/Catalogue.ts"
import * as Query from "../../foundation/database/Query.ts"
import { Invalid } from "../../foundation/schema/DomainError.ts"
import { Timestamp } from "../../foundation/schema/Time.ts"
import * as Traced from "../../foundation/schema/Traced.ts"
import { AccountId } from "../accounts/Domain.ts"
import type { Batch } from "../accounts/Handlers.ts"
import { OwnedId } from "../accounts/Owned.ts"
import { ProjectId } from "../projects/Domain.ts"
import { Health, ProjectHealth } from "../projects/Included.ts"
import { Projects } from "../projects/Projects.ts"
import { HistoryPoint, RunId } from "./Domain.ts"

/** The health of sites. */
export class HealthRepo extends Effect.Service<HealthRepo>()("sitehealth/HealthRepo", {
  effect: Effect.map(SqlClient.SqlClient, (sql) => ({
    /** The health of several sites in one statement: the latest result, the one before it from the same start, twelve scores, a later failure, and the next run. */
    of: Query.all({
      Request: Schema.Struct({ account: AccountId, projects: Schema.Array(ProjectId) }),
      Result: Schema.Struct({ project: ProjectId, health: Health }),
      execute: ({ account, projects }) => sql`
      SELECT p.id AS project, json_build_object('run_id', newest.id, 'status', newest.status, 'finished_at', iso(newest.finished_at), 'score', newest.score -> 'aggregate_score',
        'delta', CASE WHEN newest.score_version = before.score_version
          THEN (newest.score ->> 'aggregate_score')::integer - (before.score ->> 'aggregate_score')::integer END,
        'findings', newest.findings, 'running_run_id', running.id,
        'failed', CASE WHEN failed.id IS NOT NULL THEN json_build_object('run_id', failed.id, 'finished_at', iso(failed.finished_at), 'message', failed.error ->> 'message') END,
        'next_at', iso(next.at), 'scores', coalesce(scores.list, '[]')) AS health
      FROM unnest(${projects}::uuid[]) AS p(id)
      LEFT JOIN LATERAL (
        SELECT id, url, status, created_at, finished_at, score, score_version, findings FROM site_health_runs r
        WHERE r.project_id = p.id AND findings IS NOT NULL AND verify IS NULL ORDER BY r.created_at DESC, r.id DESC LIMIT 1
      ) AS newest ON true
      LEFT JOIN LATERAL (
        SELECT score, score_version FROM site_health_runs r
        WHERE r.project_id = p.id AND md5(url) = md5(newest.url) AND url = newest.url AND findings IS NOT NULL AND verify IS NULL
          AND (r.created_at, r.id) < (newest.created_at, newest.id) ORDER BY r.created_at DESC, r.id DESC LIMIT 1
      ) AS before ON true
      LEFT JOIN LATERAL (
        SELECT json_agg(json_build_object('at', iso(one.finished_at), 'score', one.score -> 'aggregate_score') ORDER BY one.created_at DESC, one.id DESC) AS list
        FROM (
          SELECT id, created_at, finished_at, score FROM site_health_runs r
          WHERE r.project_id = p.id AND md5(url) = md5(newest.url) AND url = newest.url AND findings IS NOT NULL AND verify IS NULL AND score IS NOT NULL
          ORDER BY r.created_at DESC, r.id DESC LIMIT 12
        ) AS one
      ) AS scores ON true
      LEFT JOIN LATERAL (
        SELECT id FROM site_health_runs r WHERE r.account_id = ${account} AND r.project_id = p.id AND finished_at IS NULL AND verify IS NULL
        ORDER BY r.created_at DESC, r.id DESC LIMIT 1
      ) AS running ON true
      LEFT JOIN LATERAL (
        SELECT id, finished_at, error FROM site_health_runs r WHERE r.project_id = p.id AND status = 'failed' AND verify IS NULL
          AND (newest.id IS NULL OR (r.created_at, r.id) > (newest.created_at, newest.id)) ORDER BY r.created_at DESC, r.id DESC LIMIT 1
      ) AS failed ON true
      LEFT JOIN LATERAL (SELECT min(next_at) AS at FROM site_health_schedules s WHERE s.project_id = p.id) AS next ON true`
    })
  }))
}) {}

/** The health of sites in lists. */
export const layer = Layer.effect(
  ProjectHealth,
  Effect.map(
    HealthRepo,
    ({ of }) =>
      (account, projects) =>
        Effect.map(
          of({ account, projects }),
          (rows) => new Map(rows.map(({ health, project }) => [project, health] as const))
        )
  )
).pipe(Layer.provide(HealthRepo.Default))

const Row = Schema.Struct({ id: RunId, created_at: Timestamp, point: HistoryPoint })

/** The health of a site over time, from the values stored beside the results. */
export class History extends Effect.Service<History>()("sitehealth/History", {
  dependencies: [Projects.Default],
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const projects = yield* Projects

    const points = Query.newestFirst(sql, {
      Request: Schema.Struct({ project: OwnedId(ProjectId), rule: Schema.UndefinedOr(Schema.String) }),
      Result: Row,
      table: "r",
      rows: ({ project, rule }) => {
        const count = sql`(rules ->> ${rule ?? ""}::text)::integer`
        const verdict = sql`, 'rule', json_build_object('status',
          CASE WHEN ${count} > 0 THEN 'fail' WHEN ${count} = 0 THEN 'pass' ELSE 'not_assessed' END, 'count', coalesce(${count}, 0))`
        return sql`
          SELECT id, iso(created_at) AS created_at, json_build_object('run_id', id, 'status', status, 'finished_at', iso(finished_at), 'score', score,
            'findings', findings${rule === undefined ? sql`` : verdict}) AS point
          FROM site_health_runs r WHERE project_id = ${project} AND findings IS NOT NULL AND verify IS NULL`
      }
    })

    /** The runs of the whole site with a result, latest first, each with the result of the named check, if any. */
    const list = Traced.fn("History.list")(function* (
      account: AccountId,
      project: ProjectId,
      rule: string | undefined,
      batch: Batch
    ) {
      if (rule !== undefined && !ruleIds.has(rule))
        return yield* Invalid.of("rule", `must be the id of a check from GET /api/v1/rules: there is no ${rule}`)
      return yield* points({ ...batch, project: yield* projects.own(account, project), rule })
    })

    return { list }
  })
}) {}
