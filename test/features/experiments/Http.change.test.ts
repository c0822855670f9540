import { describe, expect } from "bun:test"
import * as Effect from "effect/Effect"
import { suite } from "../../harness.ts"
import { keyWith, send } from "../../server.ts"
import { experiment } from "./experimenting.ts"
import { customer, layer, unknown } from "./http.ts"

const it = suite(layer)

const path = "/api/v1/experiments"
const growth = "/api/v1/growth-projects"

describe("an experiment", () => {
  it("that is a draft is changed in the fields that are sent", function* () {
    const { account, key, project } = yield* customer
    const before = yield* experiment(account, project, "draft")
    const named = yield* send("PATCH", `${path}/${before.id}`, { body: { name: " Titles 2 " }, key })
    expect([named.status, named.body]).toEqual([200, { data: { ...before, name: "Titles 2" } }])
    const changed = yield* send("PATCH", `${path}/${before.id}`, { body: { hypothesis: "More clicks" }, key })
    expect(changed.body.data).toEqual({ ...named.body.data, hypothesis: "More clicks" })
    const cleared = yield* send("PATCH", `${path}/${before.id}`, { body: { hypothesis: null }, key })
    expect(cleared.body.data).toEqual(named.body.data)
    expect((yield* send("PATCH", `${path}/${before.id}`, { body: {}, key })).body.data).toEqual(named.body.data)
  })

  for (const [field, body] of [
    ["name", { name: " " }],
    ["hypothesis", { hypothesis: "" }],
    ["status", { status: "running" }]
  ] as const)
    it(`is not changed by an invalid ${field}`, function* () {
      const { account, key, project } = yield* customer
      const before = yield* experiment(account, project, "draft")
      const refused = yield* send("PATCH", `${path}/${before.id}`, { body, key })
      expect([refused.status, refused.body.error.details[0].path]).toEqual([422, field])
      expect((yield* send("GET", `${path}/${before.id}`, { key })).body.data).toEqual(before)
    })

  for (const status of ["running", "completed"] as const)
    it(`that is ${status} answers 409 to a change, and stays as it is`, function* () {
      const { account, key, project } = yield* customer
      const before = yield* experiment(account, project, status)
      const { body, status: code } = yield* send("PATCH", `${path}/${before.id}`, { body: { name: "x" }, key })
      expect([code, body.error.code]).toEqual([409, "conflict"])
      expect((yield* send("GET", `${path}/${before.id}`, { key })).body.data).toEqual(before)
    })

  for (const [status, code] of [
    ["draft", 204],
    ["running", 409],
    ["completed", 204]
  ] as const)
    it(`that is ${status} answers ${code} to its removal`, function* () {
      const { account, key, project } = yield* customer
      const { id } = yield* experiment(account, project, status)
      expect((yield* send("DELETE", `${path}/${id}`, { key })).status).toBe(code)
      expect((yield* send("GET", `${path}/${id}`, { key })).status).toBe(code === 204 ? 404 : 200)
      expect((yield* send("DELETE", `${path}/${id}`, { key })).status).toBe(code === 204 ? 404 : 409)
    })

  it("of another account is not found, and without the scope it is refused", function* () {
    const { account, project } = yield* customer
    const stranger = yield* customer
    const { id } = yield* experiment(account, project, "draft")
    const reader = yield* keyWith(account, ["projects:read"])
    for (const method of ["PATCH", "DELETE"] as const) {
      const body = method === "PATCH" ? { body: { name: "x" } } : {}
      expect((yield* send(method, `${path}/${id}`, { key: stranger.key, ...body })).status).toBe(404)
      expect((yield* send(method, `${path}/${unknown}`, { key: stranger.key, ...body })).status).toBe(404)
      expect((yield* send(method, `${path}/${id}`, { key: reader, ...body })).status).toBe(403)
    }
  })
})

describe("a growth project", () => {
  it("without experiments gets another domain, and is deleted", function* () {
    const { key, project } = yield* customer
    const body = { domain: "https://www.Example.net/x" }
    const changed = yield* send("PATCH", `${growth}/${project}`, { body, key })
    expect([changed.status, changed.body.data.domain]).toEqual([200, "example.net"])
    expect((yield* send("PATCH", `${growth}/${project}`, { body: {}, key })).body).toEqual(changed.body)
    expect((yield* send("DELETE", `${growth}/${project}`, { key })).status).toBe(204)
    expect((yield* send("DELETE", `${growth}/${project}`, { key })).status).toBe(404)
  })

  it("with experiments answers 409, and stays with them", function* () {
    const { account, key, project } = yield* customer
    const { id } = yield* experiment(account, project, "completed")
    const changed = yield* send("PATCH", `${growth}/${project}`, { body: { domain: "a.example" }, key })
    const removed = yield* send("DELETE", `${growth}/${project}`, { key })
    expect([changed.status, removed.status, removed.body.error.code]).toEqual([409, 409, "conflict"])
    expect((yield* send("DELETE", `${path}/${id}`, { key })).status).toBe(204)
    expect((yield* send("DELETE", `${growth}/${project}`, { key })).status).toBe(204)
  })

  it("takes no experiment with it that begins at the same moment", function* () {
    const { key, project } = yield* customer
    const begin = send("POST", path, { body: { name: "Titles", project_id: project }, key })
    const [removed, ...begun] = yield* Effect.all(
      [send("DELETE", `${growth}/${project}`, { key }), begin, begin, begin],
      { concurrency: "unbounded" }
    )
    const made = begun.filter(({ status }) => status === 201)
    expect(removed.status).toBe(made.length === 0 ? 204 : 409)
    for (const { body } of made) expect((yield* send("GET", `${path}/${body.data.id}`, { key })).status).toBe(200)
  })
})
