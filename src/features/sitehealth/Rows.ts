import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"

/** The request of a run, from the columns of its row. */
const request = `json_build_object('url', url, 'max_pages', max_pages, 'check_dead_links', check_dead_links, 'verify', verify)`

export const runRequest = Effect.map(SqlClient.SqlClient, (sql) => sql.literal(request))

/** The columns of `site_health_runs` that make a `Run`. */
export const runColumns = Effect.map(SqlClient.SqlClient, (sql) =>
  sql.literal(`id, 'site_health' AS type, project_id, status, phase, iso(created_at) AS created_at,
    iso(started_at) AS started_at, iso(finished_at) AS finished_at, counters, error,
    ${request} AS request, result IS NOT NULL AS result_available`)
)
