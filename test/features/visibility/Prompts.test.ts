import { describe, expect } from "bun:test"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import { suite } from "../../harness.ts"
import * as Server from "../../server.ts"

const it = suite(Server.layer)

const prompting = Effect.gen(function* () {
  const { account, key } = yield* Server.customer()
  const { id: project } = yield* Server.projectOf(account)
  const path = `/api/v1/projects/${project}/geo/prompts`
  return {
    account,
    add: (body: unknown) => Server.send("POST", path, { body, key }),
    key,
    list: Server.send("GET", path, { key }),
    path,
    project
  }
})

describe("the prompts of a site", () => {
  it("are added once each, listed and deleted", function* () {
    const { add, key, list, path } = yield* prompting
    const first = yield* add({ text: " Who mends shoes? " })
    expect([first.status, first.body.data]).toEqual([
      201,
      { created_at: expect.any(String), id: expect.any(String), locale: "en-US", text: "Who mends shoes?" }
    ])
    const again = yield* add({ locale: "en-US", text: "Who mends shoes?" })
    expect([again.status, again.body.meta, again.body.data.id]).toEqual([200, { existing: true }, first.body.data.id])
    expect((yield* add({ locale: "de", text: "Who mends shoes?" })).status).toBe(201)
    expect((yield* list).body.data.map(({ locale }: { locale: string }) => locale)).toEqual(["en-US", "de"])
    expect((yield* Server.send("DELETE", `${path}/${first.body.data.id}`, { key })).status).toBe(204)
    expect((yield* Server.send("DELETE", `${path}/${first.body.data.id}`, { key })).status).toBe(404)
    expect((yield* Server.send("DELETE", path, { key })).status).toBe(204)
    expect((yield* list).body.data).toEqual([])
  })

  it("are at most 200, also under concurrent requests", function* () {
    const sql = yield* SqlClient.SqlClient
    const { add, project } = yield* prompting
    yield* sql`INSERT INTO visibility_prompts (project_id, text, locale)
      SELECT ${project}, n::text, 'en' FROM generate_series(1, 198) n`
    const added = yield* Effect.forEach(["a", "b", "c", "d"], (text) => add({ text }), { concurrency: 4 })
    expect(added.map(({ status }) => status).sort()).toEqual([201, 201, 422, 422])
  })

  for (const [what, body, field] of [
    ["no text", {}, "text"],
    ["an empty text", { text: "  " }, "text"],
    ["an invalid locale", { locale: "english", text: "x" }, "locale"],
    ["an unknown field", { text: "x", tone: "y" }, "tone"]
  ] as const)
    it(`are refused with ${what}`, function* () {
      const { add } = yield* prompting
      const { body: refusal, status } = yield* add(body)
      expect([status, refusal.error.details[0].path]).toEqual([422, field])
    })

  it("are not found by another account, and changes need geo:write", function* () {
    const mine = yield* prompting
    const { body } = yield* mine.add({ text: "x" })
    const stranger = yield* Server.customer()
    const send = (method: string, path: string, key: string, body?: unknown) =>
      Effect.map(Server.send(method, path, { body, key }), ({ status }) => status)
    for (const [method, path, sent] of [
      ["GET", mine.path, undefined],
      ["POST", mine.path, { text: "y" }],
      ["DELETE", mine.path, undefined],
      ["DELETE", `${mine.path}/${body.data.id}`, undefined]
    ] as const)
      expect(yield* send(method, path, stranger.key, sent)).toBe(404)
    const all = yield* Server.keyWith(mine.account, ["*"])
    expect(yield* send("GET", mine.path, all)).toBe(200)
    expect(yield* send("POST", mine.path, all, { text: "y" })).toBe(403)
  })
})
