import { expect } from "bun:test"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { ProjectHealth } from "../../../src/features/projects/Included.ts"
import { Projects } from "../../../src/features/projects/Projects.ts"
import * as History from "../../../src/features/sitehealth/History.ts"
import { rowsRead } from "../../explained.ts"
import { suite } from "../../harness.ts"
import * as Server from "../../server.ts"

const it = suite(Layer.provideMerge(Layer.merge(History.layer, Projects.Default), Server.layer), { timeout: 60_000 })

const result = JSON.stringify({
  findings: [],
  score: { aggregate_score: 5, coverage: 1, range: { high: 5, low: 5 }, score_version: 4, status: "poor" }
})

/** Rows that the health of twenty sites reads, each with a number of crawls, from two start pages and with rechecks. */
const reading = (runs: number) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const { account } = yield* Server.customer()
    yield* sql`
      WITH made AS (
        INSERT INTO projects (account_id, name, url, host)
        SELECT ${account}, n, 'https://' || n || '.example/', n || '.example' FROM generate_series(1, 20) AS n RETURNING id
      )
      INSERT INTO site_health_runs (account_id, project_id, url, max_pages, check_dead_links, status, phase, created_at, finished_at, result)
      SELECT ${account}, id, 'https://a.example/' || n % 2, 5, true, 'completed', 'finished', now() - n * interval '1 hour', now(), ${result}::json
      FROM made, generate_series(1, ${runs}) AS n`
    yield* sql`
      INSERT INTO site_health_runs (account_id, project_id, url, max_pages, check_dead_links, status, phase, created_at, finished_at, result, verify)
      SELECT account_id, project_id, url, 5, true, 'completed', 'finished', now(), now(), result, id FROM site_health_runs WHERE account_id = ${account}`
    yield* sql`ANALYZE site_health_runs`
    const projects = yield* Effect.flatMap(Projects, ({ list }) => list(account, { after: undefined, count: 101 }))
    const health = yield* ProjectHealth
    const [rows = 0] = yield* rowsRead(
      "site_health_runs",
      health(
        account,
        projects.map(({ id }) => id)
      )
    )
    return rows
  })

it("the health of a page of sites is one statement, which reads equally many rows of long and short histories", function* () {
  const few = yield* reading(30)
  const many = yield* reading(300)
  // The latest crawl, the previous one, and twelve scores of each site.
  expect([few, many]).toEqual([20 * 14, 20 * 14])
})
