import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Server from "../../server.ts"

interface Made {
  readonly days: number
  readonly status?: "completed" | "partial" | "failed" | "cancelled" | "running"
  readonly url?: string
  readonly verify?: string
  /** The score of its result, null by default, and the version of its formula. */
  readonly score?: number
  readonly version?: 3 | 4
  /** Failed checks in its result, by severity. */
  readonly faults?: Readonly<Partial<Record<"critical" | "warning" | "info", number>>>
}

/** The parts of a result that lists and trends read. */
const resultOf = ({ faults = {}, score, version = 4 }: Made) =>
  score === undefined && Object.keys(faults).length === 0
    ? "{}"
    : JSON.stringify({
        findings: Object.entries(faults).flatMap(([severity, count]) =>
          Array.from({ length: count }, (_, n) => ({ count: 1, rule: `${severity}_${n}`, severity, status: "fail" }))
        ),
        score: {
          aggregate_score: score ?? null,
          coverage: 1,
          provisional: false,
          range: { high: score ?? null, low: score ?? null },
          score_version: version,
          status: score === undefined ? null : "poor"
        }
      })

/** A customer with a site, and a function that creates crawls that ended a number of days ago. */
export const customer = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { account, key } = yield* Server.customer()
  const { id: project, url: root } = yield* Server.projectOf(account, `https://${crypto.randomUUID()}.example/`)
  const made = ({ days, status = "completed", url = root, verify, ...result }: Made) =>
    Effect.map(
      sql<{ id: string }>`
        INSERT INTO site_health_runs (account_id, project_id, url, max_pages, check_dead_links, status, phase, created_at, finished_at, result,
          error, verify, lease, leased_until)
        SELECT ${account}, ${project}, ${url}, 50, true, ${status}, ${status === "running" ? "crawling" : "finished"}, at,
          CASE WHEN ${status} <> 'running' THEN at END, CASE WHEN ${status} IN ('completed', 'partial') THEN ${resultOf({ days, ...result })}::json END,
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
