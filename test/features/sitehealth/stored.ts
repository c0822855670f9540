import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Server from "../../server.ts"

interface Made {
  readonly days: number
  readonly status?: "completed" | "partial" | "failed" | "cancelled" | "running"
  readonly url?: string
  readonly verify?: string
}

/** A customer with a project, and a way to make runs that ended so many days ago. */
export const customer = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { account, key } = yield* Server.customer()
  const { id: project, url: root } = yield* Server.projectOf(account, `https://${crypto.randomUUID()}.example/`)
  const made = ({ days, status = "completed", url = root, verify }: Made) =>
    Effect.map(
      sql<{ id: string }>`
        INSERT INTO site_health_runs (account_id, project_id, url, max_pages, check_dead_links, status, phase, created_at, finished_at, result,
          error, verify, lease, leased_until)
        SELECT ${account}, ${project}, ${url}, 50, true, ${status}, ${status === "running" ? "crawling" : "finished"}, at,
          CASE WHEN ${status} <> 'running' THEN at END, CASE WHEN ${status} IN ('completed', 'partial') THEN '{}'::json END,
          CASE WHEN ${status} = 'failed' THEN '{"code":"crawl_failed","message":"."}'::json END, ${verify ?? null}::uuid,
          CASE WHEN ${status} = 'running' THEN gen_random_uuid() END, CASE WHEN ${status} = 'running' THEN now() END
        FROM (SELECT clock_timestamp() - ${days} * interval '1 day' AS at) AS t RETURNING id`,
      ([row]) => row?.id ?? ""
    )
  const left = Effect.map(
    sql<{ id: string }>`SELECT id FROM site_health_runs WHERE project_id = ${project} ORDER BY created_at`,
    (rows) => rows.map(({ id }) => id)
  )
  return { account, key, left, made, project, root }
})
