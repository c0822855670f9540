import { expect } from "bun:test"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import { migrate, migrateTo } from "../../../src/foundation/database/Migrations.ts"
import * as Cluster from "../../cluster.ts"
import { suite } from "../../harness.ts"

const it = suite(Cluster.layer)

const score = { aggregate_score: 47, coverage: 0.5, has_data: true, range: { high: 93, low: 40 }, status: "poor" }
const rules = [
  { count: 3, rule: "a", severity: "critical", status: "fail" },
  { count: 0, rule: "b", severity: "warning", status: "pass" },
  { count: 0, rule: "c", severity: "info", status: "not_assessed" },
  { count: 1, rule: "d", severity: "info", status: "fail" }
]

it.effect("runs of before have the score and the failing rules of their results, of every version", () =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* sql`DROP SCHEMA public CASCADE`
    yield* sql`CREATE SCHEMA public`
    yield* migrateTo(71)
    const account = "0192f0c4-7a57-7c3e-9d1b-5f2f8f6f0a11"
    yield* sql`INSERT INTO accounts (id, name, plan) VALUES (${account}, 'a', 'free')`
    yield* sql`INSERT INTO projects (id, account_id, name, url, host) VALUES (${account}, ${account}, 'a', 'https://a.example/', 'a.example')`
    const results = [
      { findings: rules, score },
      { findings: rules, score: { ...score, provisional: false, score_version: 3 } },
      { findings: [], score: { ...score, aggregate_score: null, range: { high: null, low: null }, status: null } },
      null
    ]
    for (const [n, result] of results.entries())
      yield* sql`
        INSERT INTO site_health_runs (account_id, project_id, url, max_pages, check_dead_links, status, phase, created_at, finished_at, result)
        VALUES (${account}, ${account}, 'https://a.example/', 5, true, 'completed', 'finished', now() + ${n} * interval '1 second', now(),
          ${result === null ? null : JSON.stringify(result)}::json)`
    expect(yield* migrate).toContain("0072_run_outcomes.sql")
    const { aggregate_score, coverage, range, status } = score
    const shown = { aggregate_score, coverage, range, status }
    const findings = { critical: 1, info: 1, warning: 0 }
    const none = { critical: 0, info: 0, warning: 0 }
    expect(yield* sql`SELECT score, score_version, findings, rules FROM site_health_runs ORDER BY created_at`).toEqual([
      // The ends of the range have different statuses, which version 1 did not say.
      { findings, rules: { a: 3, b: 0, c: null, d: 1 }, score: { ...shown, provisional: true }, score_version: 1 },
      { findings, rules: { a: 3, b: 0, c: null, d: 1 }, score: { ...shown, provisional: false }, score_version: 3 },
      { findings: none, rules: {}, score: null, score_version: null },
      { findings: null, rules: null, score: null, score_version: null }
    ])
  })
)
