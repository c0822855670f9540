import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Query from "../../foundation/database/Query.ts"
import { ProjectId } from "../projects/Domain.ts"
import { ProjectRankings, RankingDays } from "../projects/Included.ts"

/** The days that have rankings. */
export class ProjectDaysRepo extends Effect.Service<ProjectDaysRepo>()("rankings/ProjectDaysRepo", {
  effect: Effect.map(SqlClient.SqlClient, (sql) => ({
    /** The first and the last day with rows of queries, of those projects that have some. */
    of: Query.all({
      Request: Schema.Array(ProjectId),
      Result: Schema.Struct({ project: ProjectId, days: RankingDays }),
      execute: (projects) => sql`
      SELECT s.site_id AS project, json_build_object('first_day', edges.first, 'last_day', edges.last) AS days
      FROM ranking_sites s, LATERAL (
        SELECT min(day) AS first, max(day) AS last FROM ranking_days d WHERE d.site = s.number AND level = 'queries'
      ) AS edges
      WHERE s.site_id = ANY(${projects}::uuid[]) AND edges.first IS NOT NULL`
    })
  }))
}) {}

/** What lists of projects say of their rankings. */
export const layer = Layer.effect(
  ProjectRankings,
  Effect.map(
    ProjectDaysRepo,
    ({ of }) =>
      (_, projects) =>
        Effect.map(of(projects), (rows) => new Map(rows.map(({ days, project }) => [project, days] as const)))
  )
).pipe(Layer.provide(ProjectDaysRepo.Default))
