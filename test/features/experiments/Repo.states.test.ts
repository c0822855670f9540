import { describe, expect } from "bun:test"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import { sqlState } from "../../../src/foundation/database/SqlState.ts"
import { suite } from "../../harness.ts"
import { experiment, layer, owner } from "./experimenting.ts"

const it = suite(layer)

const checkViolation = "23514"

type Status = "draft" | "running" | "completed"

const began = "started_at = clock_timestamp()"
const ended = "completed_at = clock_timestamp(), metrics = '{}', analysis = '{}'"

const refused = (statement: string, id: string) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const error = yield* Effect.flip(sql.unsafe(statement, [id]))
    expect(sqlState(error)).toBe(checkViolation)
  })

describe("the schema itself refuses", () => {
  const changes: ReadonlyArray<readonly [what: string, from: Status, change: string]> = [
    ["that a draft is completed", "draft", `status = 'completed', ${began}, ${ended}`],
    ["that a running experiment becomes a draft", "running", "status = 'draft', started_at = NULL"],
    ["that a running experiment is started again", "running", began],
    [
      "that a completed experiment runs again",
      "completed",
      "status = 'running', completed_at = NULL, metrics = NULL, analysis = NULL"
    ],
    [
      "that a completed experiment becomes a draft",
      "completed",
      "status = 'draft', started_at = NULL, completed_at = NULL, metrics = NULL, analysis = NULL"
    ],
    ["that a verdict is written over", "completed", "analysis = '{}'"],
    ["that a completed experiment is renamed", "completed", "name = 'other'"],
    ["a draft with a start", "draft", began],
    ["a running experiment without a start", "draft", "status = 'running'"],
    ["a verdict before completion", "running", "analysis = '{}'"],
    [
      "a completion without a verdict",
      "running",
      "status = 'completed', completed_at = clock_timestamp(), metrics = '{}'"
    ],
    [
      "a completion without its counts",
      "running",
      "status = 'completed', completed_at = clock_timestamp(), analysis = '{}'"
    ],
    ["a status that there is not", "running", "status = 'paused'"],
    ["an empty name", "draft", "name = ''"],
    ["another time of creation", "draft", "created_at = clock_timestamp()"]
  ]
  for (const [what, from, change] of changes) {
    it(what, function* () {
      const { account, project } = yield* owner
      const { id } = yield* experiment(account, project, from)
      yield* refused(`UPDATE experiments SET ${change} WHERE id = $1`, id)
    })
  }

  it("an experiment that is completed from the start", function* () {
    const { account, project } = yield* owner
    const { id } = yield* experiment(account, project, "completed")
    yield* refused(
      `INSERT INTO experiments (account_id, project_id, name, status, started_at, completed_at, metrics, analysis)
         SELECT account_id, project_id, name, status, started_at, completed_at, metrics, analysis FROM experiments WHERE id = $1`,
      id
    )
  })

  it("an experiment of one account on the growth project of another", function* () {
    const sql = yield* SqlClient.SqlClient
    const mine = yield* owner
    const other = yield* owner
    const error = yield* Effect.flip(
      sql`INSERT INTO experiments (account_id, project_id, name, status) VALUES (${mine.account}, ${other.project}, 'x', 'draft')`
    )
    expect(sqlState(error)).toBe("23503")
  })

  it("a growth project whose domain is not in lower case", function* () {
    const { account } = yield* owner
    yield* refused("INSERT INTO growth_projects (account_id, domain) VALUES ($1, 'Example.com')", account)
  })
})

describe("the schema lets", () => {
  it("a draft and a running experiment be renamed", function* () {
    const sql = yield* SqlClient.SqlClient
    const { account, project } = yield* owner
    for (const status of ["draft", "running"] as const) {
      const { id } = yield* experiment(account, project, status)
      yield* sql`UPDATE experiments SET name = 'other' WHERE id = ${id}`
      expect(yield* sql`SELECT name, status FROM experiments WHERE id = ${id}`).toEqual([{ name: "other", status }])
    }
  })

  it("an account go with all that is its own", function* () {
    const sql = yield* SqlClient.SqlClient
    const { account, project } = yield* owner
    yield* experiment(account, project, "completed")
    yield* sql`DELETE FROM accounts WHERE id = ${account}`
    expect(yield* sql`SELECT 1 FROM experiments WHERE account_id = ${account}`).toEqual([])
  })
})
