import { describe, expect } from "bun:test"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import { suite } from "../../harness.ts"
import * as Server from "../../server.ts"

const it = suite(Server.layer)

const reading = { citation_rate: 31, engine: "example-engine", sentiment: 60 }

const importing = Effect.gen(function* () {
  const { account, key } = yield* Server.customer()
  const { id: project } = yield* Server.projectOf(account)
  const path = `/api/v1/projects/${project}/geo/imports`
  const sql = yield* SqlClient.SqlClient
  return {
    account,
    key,
    path,
    post: (body: unknown, query = "", headers: Record<string, string> = {}) =>
      Server.send("POST", `${path}${query}`, { body, headers, key }),
    project,
    raised: Effect.map(
      sql<{
        data: object
      }>`SELECT body::json -> 'data' AS data FROM events WHERE account_id = ${account} ORDER BY created_at`,
      (rows) => rows.map(({ data }) => data)
    ),
    stored: sql`SELECT engine, sentiment, citation_rate, answers, cited FROM visibility_snapshots WHERE project_id = ${project} ORDER BY taken_at, engine`
  }
})

describe("an imported snapshot of AI visibility", () => {
  it("is recorded, and a changed metric has an event, as by the command", function* () {
    const { post, project, raised, stored } = yield* importing
    const first = yield* post([reading], "?at=2026-11-20T01:00:00%2B01:00")
    const taken_at = "2026-11-20T00:00:00.000000+00:00"
    expect([first.status, first.body]).toEqual([201, { data: { changed: [], readings: 1, taken_at } }])
    expect(first.headers.get("location")).toEndWith(`/projects/${project}/geo/visibility`)
    const second = yield* post([{ ...reading, citation_rate: 24.5, source: "some tool" }])
    expect(second.status).toBe(201)
    const changed = [{ delta: -6.5, engine: "example-engine", metric: "citation_rate" }]
    expect(second.body.data).toEqual({ changed, readings: 1, taken_at: expect.any(String) })
    expect(Math.abs(Date.parse(second.body.data.taken_at) - Date.now())).toBeLessThan(60_000)
    expect(yield* raised).toMatchObject([{ basis: "import", current: 24.5, previous: 31, project_id: project }])
    expect(yield* stored).toMatchObject([{ citation_rate: 31 }, { citation_rate: 24.5 }])
  })

  it("may have counts, from which the rate is computed", function* () {
    const { post, stored } = yield* importing
    expect(
      (yield* post([
        { answers: 40, cited: 10, engine: "a" },
        { engine: "b", sentiment: -3 }
      ])).status
    ).toBe(201)
    expect(yield* stored).toEqual([
      { answers: 40, citation_rate: 25, cited: 10, engine: "a", sentiment: null },
      { answers: null, citation_rate: null, cited: null, engine: "b", sentiment: -3 }
    ])
  })

  it("is recorded once for an Idempotency-Key, also by concurrent requests", function* () {
    const { post, stored } = yield* importing
    const headers = { "idempotency-key": "tool-2026-11-21" }
    const replies = yield* Effect.all(
      [post([reading], "", headers), post([reading], "", headers), post([reading], "", headers)],
      {
        concurrency: "unbounded"
      }
    )
    expect(replies.map(({ status }) => status).toSorted()).toEqual([200, 200, 201])
    expect(new Set(replies.map(({ body }) => body.data.taken_at)).size).toBe(1)
    expect(yield* stored).toHaveLength(1)
    const other = yield* post([{ ...reading, sentiment: 1 }], "", headers)
    expect([other.status, other.body.error.code]).toEqual([409, "idempotency_conflict"])
  })

  it("must be later than the last of its engine, or nothing of it is recorded", function* () {
    const { post, stored } = yield* importing
    yield* post([reading], "?at=2026-11-20T00:00:00Z")
    const late = yield* post([{ engine: "new", sentiment: 1 }, reading], "?at=2026-11-20T00:00:00Z")
    expect([late.status, late.body.error.code]).toEqual([409, "conflict"])
    expect(late.body.error.message).toContain("The latest snapshot of example-engine is from 2026-11-20")
    expect(yield* stored).toHaveLength(1)
  })

  const refused: ReadonlyArray<readonly [what: string, body: unknown, field: string, query?: string]> = [
    ["no array", { readings: [reading] }, "body"],
    ["no engines", [], "body"],
    ["an engine without metric", [reading, { engine: "b" }], "1.engine"],
    ["an engine twice", [reading, reading], "1.engine"],
    ["one of two counts", [{ answers: 4, engine: "a" }], "0.engine"],
    ["more cited than answers", [{ answers: 4, cited: 5, engine: "a" }], "0.engine"],
    ["an absurdly large count", [{ answers: 3_000_000_000, cited: 1, engine: "a" }], "0.answers"],
    ["a sentiment out of range", [{ engine: "a", sentiment: 101 }], "0.sentiment"],
    ["a name that is too long", [{ engine: "a".repeat(201), sentiment: 1 }], "0.engine"],
    ["half a character", [{ engine: "\ud800", sentiment: 1 }], "0.engine"],
    ["a future day", [reading], "at", "?at=2099-01-01T00:00:00Z"],
    ["an invalid day", [reading], "at", "?at=yesterday"]
  ]
  for (const [what, body, field, query] of refused)
    it(`with ${what} returns 422, and nothing of it is recorded`, function* () {
      const { post, stored } = yield* importing
      const reply = yield* post(body, query)
      expect([reply.status, reply.body.error.code]).toEqual([422, "validation_error"])
      expect(reply.body.error.details[0].path).toBe(field)
      expect(yield* stored).toEqual([])
    })

  it("needs geo:write, which * does not include, and a site of the account", function* () {
    const { account, path, stored } = yield* importing
    for (const scopes of [["*"], ["geo:read"]]) {
      const key = yield* Server.keyWith(account, scopes)
      const reply = yield* Server.send("POST", path, { body: [reading], key })
      expect([reply.status, reply.body.error.code]).toEqual([403, "insufficient_scope"])
    }
    const { key } = yield* Server.customer()
    expect((yield* Server.send("POST", path, { body: [reading], key })).status).toBe(404)
    expect(yield* stored).toEqual([])
  })
})
