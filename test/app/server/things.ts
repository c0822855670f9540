import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import type { AccountId } from "../../../src/features/accounts/Domain.ts"
import * as Server from "../../server.ts"
import type { Endpoint } from "./endpoints.ts"

const metrics = { postConversions: 2, postImpressions: 100, preConversions: 1, preImpressions: 100 }
const subscription = { events: ["audit.completed"], url: "http://127.0.0.1:2/hook" }

/** Valid bodies for the endpoints that do not accept an empty one; a file may be anything. */
const bodies: Readonly<Record<string, object>> = {
  "POST /api/v1/audits": { url: "https://example.com" },
  "POST /api/v1/audit-schedules": { every: "1d", url: "https://example.com" },
  "POST /api/v1/experiments": { name: "Titles", project_id: "0192f0c4-7a57-7c3e-9d1b-5f2f8f6f0a11" },
  "POST /api/v1/growth-projects": { domain: "example.com" },
  "POST /api/v1/keys": { name: "dashboard", scopes: ["search-data:read"] },
  "POST /api/v1/projects": { url: "https://example.com" },
  "POST /api/v1/projects/:project_id/backlinks/imports": {},
  "POST /api/v1/projects/:project_id/geo/imports": [{ engine: "example-engine", sentiment: 64 }],
  "POST /api/v1/projects/:project_id/geo/prompts": { text: "Who mends shoes?" },
  "POST /api/v1/projects/:project_id/geo/runs": { engines: ["openai"] },
  "POST /api/v1/projects/:project_id/geo/schedules": { engines: ["openai"], every: "1d" },
  "POST /api/v1/projects/:project_id/interventions": {
    connector: "recorded",
    summary: "Shorter titles",
    url: "https://example.com/"
  },
  "POST /api/v1/projects/:project_id/rankings/imports": {},
  "POST /api/v1/projects/:project_id/inspections": { urls: ["https://example.com/"] },
  "PUT /api/v1/projects/:project_id/connectors/github": { token: "ghp_example" },
  "PUT /api/v1/projects/:project_id/connectors/wordpress": {
    application_password: "abcd EFGH",
    url: "http://127.0.0.1:2/",
    username: "editor"
  },
  "PUT /api/v1/projects/:project_id/rankings/source": {
    credentials: { client_id: "client", client_secret: "secret", refresh_token: "refresh", type: "authorized_user" }
  },
  "POST /api/v1/projects/:project_id/site-health/schedules": { every: "1d" },
  "POST /api/v1/experiments/:id/assign": { pattern: "/*" },
  "POST /api/v1/experiments/:id/evaluate": { controlMetrics: metrics, treatmentMetrics: metrics },
  "POST /api/v1/webhooks": subscription,
  "POST /api/v1/webhooks/:webhook_id/recover": { since: "2026-11-21T00:00:00Z" },
  "POST /api/v1/webhooks/:webhook_id/test": { type: "audit.completed" }
}

/** Valid parameters for the endpoints that need some. */
const queries: Readonly<Record<string, string>> = {
  "GET /api/v1/projects/:project_id/geo/power": "?prompts=40&rate=0.3&repeats=5",
  "GET /api/v1/projects/:project_id/opportunities": "?kind=decay",
  "POST /api/v1/projects/:project_id/rankings/imports": "?format=gsc-csv"
}

/** Query parameters of an endpoint, so that only its id is wrong. */
export const acceptableQuery = ({ method, path }: Endpoint): string => queries[`${method} ${path}`] ?? ""

/** Body of an endpoint, so that only its id is wrong. */
export const acceptableBody = ({ hasBody, method, path }: Endpoint): object | undefined =>
  bodies[`${method} ${path}`] ?? (hasBody ? {} : undefined)

/** Creates a thing of the account for a path parameter, whose earlier parameters are filled in, and returns its id. */
const makers: Readonly<
  Record<
    string,
    (account: AccountId, key: string, path: string) => Effect.Effect<string, unknown, Effect.Effect.Context<Made>>
  >
> = {
  project_id: (account) => Effect.map(Server.projectOf(account), ({ id }) => id),
  run_id: (account, key) =>
    Effect.flatMap(Server.projectOf(account), ({ id }) =>
      Effect.flatMap(Server.send("POST", `/api/v1/projects/${id}/site-health/runs`, { key }), ({ body }) =>
        Effect.as(finished(body.data.id), body.data.id)
      )
    ),
  snapshot_id: (_, __, path) => snapshotOf(path.split("/")[4] ?? ""),
  webhook_id: (_, key) =>
    Effect.map(Server.send("POST", "/api/v1/webhooks", { body: subscription, key }), ({ body }) => body.data.id)
}

/** Gives a crawl an empty result. */
const finished = (run: string) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql`UPDATE site_health_runs SET status = 'completed', phase = 'finished', finished_at = clock_timestamp(),
      result = '{"findings": [], "pages": []}' WHERE id = ${run}`
  )

/** Makes a snapshot of a site, with one row. */
const snapshotOf = (project: string) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.map(
      sql<{ id: string }>`
        WITH made AS (
          INSERT INTO ranking_range_snapshots (project_id, kind, rows, digest) VALUES (${project}, 'queries', 1, 0) RETURNING id
        ), listed AS (
          INSERT INTO ranking_range_rows (snapshot_id, place, key, impressions, clicks, sum_top) SELECT id, 1, 'shoes', 1, 1, 1 FROM made
        ) SELECT id FROM made`,
      ([row]) => row?.id ?? ""
    )
  )

type Made =
  | ReturnType<typeof finished>
  | ReturnType<typeof snapshotOf>
  | ReturnType<typeof Server.projectOf>
  | ReturnType<typeof Server.send>

/** The path of an endpoint, filled with the account's own things. */
export const pathTo = (endpoint: Endpoint, account: AccountId, key: string) =>
  Effect.reduce(
    Array.from(endpoint.path.matchAll(/:(\w+)/g), ([, name = ""]) => name),
    endpoint.path,
    (path, name) =>
      Effect.map(
        makers[name]?.(account, key, path) ??
          Effect.dieMessage(`say in ${import.meta.file} how a thing for :${name} is made`),
        (id) => path.replace(`:${name}`, id)
      )
  )
