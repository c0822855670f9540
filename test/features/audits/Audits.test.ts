import { describe, expect } from "bun:test"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { Audits, reportOutcome } from "../../../src/features/audits/Audits.ts"
import { Schedules } from "../../../src/features/audits/schedule/Schedules.ts"
import { suite } from "../../harness.ts"
import * as Server from "../../server.ts"
import { events, imported, layer, runtimeError } from "./auditing.ts"
import { hostile } from "./hostile.ts"
import { read, report } from "./reports.ts"

const it = suite(layer)

describe("recording an audit", () => {
  it("publishes an event for a completed one", function* () {
    const { account } = yield* Server.customer()
    const { id } = yield* imported(account, report())
    expect(yield* events(account)).toMatchObject([
      {
        data: {
          id,
          outcome: {
            findings_summary: { critical: 0 },
            overall_score: 75,
            scores: { accessibility: 80, best_practices: 70, performance: 90, seo: 60 },
            status: "completed"
          },
          subject: "audit",
          url: "https://shop.example/page"
        },
        occurrence: `audit/${id}`,
        type: "audit.completed"
      }
    ])
  })

  it("publishes an event with the reason for a failed one", function* () {
    const { account } = yield* Server.customer()
    const { id } = yield* imported(account, report({}, runtimeError))
    const error = {
      code: "dns_failure",
      lighthouse_code: "DNS_FAILURE",
      message: "DNS lookup found no address for the host of the page."
    }
    expect(yield* events(account)).toMatchObject([
      { data: { id, outcome: { error, status: "failed" }, subject: "audit" }, type: "audit.failed" }
    ])
  })

  it("is undone together with its event", function* () {
    const sql = yield* SqlClient.SqlClient
    const audits = yield* Audits
    const { account } = yield* Server.customer()
    const exit = yield* Effect.exit(sql.withTransaction(Effect.zipRight(imported(account, report()), Effect.fail("x"))))
    expect(Exit.isFailure(exit)).toBe(true)
    expect([yield* audits.list(account, 10), yield* events(account)]).toEqual([[], []])
  })

  it("fails when its event cannot be written", function* () {
    const sql = yield* SqlClient.SqlClient
    const audits = yield* Audits
    const { account } = yield* Server.customer()
    yield* sql`ALTER TABLE events ADD CONSTRAINT none_at_all CHECK (false) NOT VALID`
    const exit = yield* Effect.exit(imported(account, report()))
    yield* sql`ALTER TABLE events DROP CONSTRAINT none_at_all`
    expect(Exit.isFailure(exit)).toBe(true)
    expect(yield* audits.list(account, 10)).toEqual([])
  })

  it("works with any URL that a page reports", function* () {
    const { account, key } = yield* Server.customer()
    for (const [, text] of hostile) {
      const { id } = yield* imported(account, report({}, { requestedUrl: `https://shop.example/${text}` }))
      const reply = yield* Server.send("GET", `/api/v1/audits/${id}`, { key })
      expect([reply.status, URL.canParse(reply.body.data.url)]).toEqual([200, true])
    }
    expect(yield* events(account)).toHaveLength(hostile.length)
  })
})

describe("a recorded audit", () => {
  it("never changes", function* () {
    const sql = yield* SqlClient.SqlClient
    const { account } = yield* Server.customer()
    for (const json of [report(), report({}, runtimeError)]) {
      const { id } = yield* imported(account, json)
      for (const change of [
        sql`UPDATE audits SET url = 'https://other.example/' WHERE id = ${id}`,
        sql`UPDATE audits SET report = '{}'::json WHERE id = ${id}`,
        sql`UPDATE audits SET fixes = '[]'::json, status = 'completed' WHERE id = ${id}`,
        sql`UPDATE audits SET created_at = now() WHERE id = ${id}`,
        sql`UPDATE audits SET measured_at = now() WHERE id = ${id}`,
        sql`UPDATE audits SET schedule_id = gen_random_uuid() WHERE id = ${id}`
      ]) {
        const error = yield* Effect.flip(change)
        expect(String(Object(error.cause).message)).toContain("which is final")
      }
    }
  })

  it("outlives its schedule", function* () {
    const audits = yield* Audits
    const schedules = yield* Schedules
    const { account } = yield* Server.customer()
    const url = "https://shop.example/page"
    const schedule = yield* schedules.add(account, { device: "mobile", every: "1h", source: "psi", url })
    const outcome = reportOutcome({ field: null, report: read(report()) })
    const { id } = yield* audits.record({ account, schedule: schedule.id, source: "psi" }, outcome)
    yield* schedules.end(schedule.id)
    expect((yield* audits.get(account, id)).id).toBe(id)
  })

  it("has a report exactly when it is completed, which the schema enforces", function* () {
    const sql = yield* SqlClient.SqlClient
    const { account } = yield* Server.customer()
    const row = { account_id: account, lighthouse_version: "13.5.0", source: "import", url: "https://a.example/" }
    const whole = { fixes: "[]", metric_sources: "{}", report: "{}" }
    for (const wrong of [
      { ...row, status: "completed" },
      { ...row, ...whole, failure: "{}", status: "completed" },
      { ...row, ...whole, lighthouse_version: null, status: "completed" },
      { ...row, status: "failed" },
      { ...row, failure: "{}", report: "{}", status: "failed" },
      { ...row, failure: "{}", status: "running" }
    ]) {
      const error = yield* Effect.flip(sql`INSERT INTO audits ${sql.insert(wrong)}`)
      expect(Object(error.cause).code).toBe("23514")
    }
  })
})
