import { describe, expect, test } from "bun:test"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as fc from "fast-check"
import { unknownParameters, withWarnings } from "../../../src/app/server/Answers.ts"
import { suite } from "../../harness.ts"
import * as Server from "../../server.ts"

const it = suite(Server.layer)

const warning = "The parameter statsu is unknown and has no effect; the nearest is status"

describe("a parameter that the endpoint does not know", () => {
  it("has no effect and is named with the nearest one, in lists and single reads", function* () {
    const { account, key } = yield* Server.customer()
    const { id } = yield* Server.projectOf(account)
    const runs = `/api/v1/projects/${id}/site-health/runs`
    const list = yield* Server.send("GET", `${runs}?statsu=failed&limit=1`, { key })
    expect([list.status, list.body.meta]).toEqual([
      200,
      { has_next: false, per_page: 1, total_in_batch: 0, warnings: [warning] }
    ])
    const one = yield* Server.send("GET", `/api/v1/projects/${id}?fields=name`, { key })
    expect(one.body).toEqual({
      data: (yield* Server.send("GET", `/api/v1/projects/${id}`, { key })).body.data,
      meta: { warnings: ["The parameter fields is unknown and has no effect"] }
    })
    const made = yield* Server.send("POST", "/api/v1/growth-projects?dry_run=1", {
      body: { domain: "a.example" },
      key
    })
    expect([made.status, made.body.meta.warnings.length]).toEqual([201, 1])
  })

  it("is not spoken of in errors, files and answers without it", function* () {
    const { key } = yield* Server.customer()
    expect((yield* Server.send("GET", "/api/v1/keywords?x=1&limit=0", { key })).body.meta).toBeUndefined()
    const csv = yield* Server.send("GET", "/api/v1/keywords?x=1", { headers: { accept: "text/csv" }, key })
    expect(csv.status).toBe(200)
    expect((yield* Server.send("GET", "/api/v1/projects", { key })).body.meta.warnings).toBeUndefined()
    expect((yield* Server.send("GET", "/healthz?x=1")).body.meta).toBeUndefined()
  })

  test("is named once, and no more than ten are, each up to a hundred characters", () => {
    const many = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`${"x".repeat(300)}${index}`, "1"]))
    const warnings = unknownParameters({ ...many, limit: "1" }, ["limit"])
    expect(warnings).toHaveLength(10)
    expect(Math.max(...warnings.map(({ length }) => length))).toBeLessThan(200)
  })

  test("is added to any answer with data, which keeps all that it says", () => {
    const answer = fc.record(
      {
        data: fc.jsonValue(),
        meta: fc.dictionary(fc.stringMatching(/^[a-z]+$/), fc.jsonValue()),
        links: fc.jsonValue()
      },
      { requiredKeys: ["data"] }
    )
    fc.assert(
      fc.property(answer, (value) => {
        const { body } = withWarnings(HttpServerResponse.unsafeJson(value), ["w"])
        const text = body._tag === "Uint8Array" ? new TextDecoder().decode(body.body) : ""
        const sent = JSON.parse(JSON.stringify(value))
        expect(JSON.parse(text)).toEqual({ ...sent, meta: { ...sent.meta, warnings: ["w"] } })
      })
    )
  })
})

describe("what a form sends empty", () => {
  it("counts as absent: the cursor and the Idempotency-Key", function* () {
    const { account, key } = yield* Server.customer()
    for (const host of ["a", "b", "c"]) yield* Server.projectOf(account, `https://${host}.example/`)
    const first = yield* Server.send("GET", "/api/v1/projects?cursor=&limit=2", { key })
    expect([first.status, first.body.data.length]).toEqual([200, 2])
    const next = new URL(first.body.links.next)
    const second = yield* Server.send("GET", `${next.pathname}${next.search}`, { key })
    expect([second.status, second.body.data.length]).toEqual([200, 1])
    const made = yield* Server.send("POST", "/api/v1/growth-projects", {
      body: { domain: "a.example" },
      headers: { "idempotency-key": "" },
      key
    })
    expect(made.status).toBe(201)
  })
})
