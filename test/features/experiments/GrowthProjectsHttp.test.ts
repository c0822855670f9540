import { describe, expect } from "bun:test"
import { suite } from "../../harness.ts"
import { keyWith, projectOf, send } from "../../server.ts"
import { customer, layer, unknown } from "./http.ts"

const it = suite(layer)

const path = "/api/v1/growth-projects"

describe("growth projects", () => {
  it("are made of a domain or any address on it, read, and listed from the oldest on", function* () {
    const { key, project } = yield* customer
    const made = yield* send("POST", path, { body: { domain: "https://WWW.Example.org:8080/a" }, key })
    expect(made.status).toBe(201)
    expect(made.headers.get("location")).toEndWith(`${path}/${made.body.data.id}`)
    expect(made.body.data).toEqual({
      created_at: expect.any(String),
      domain: "example.org",
      id: expect.stringMatching(/^[0-9a-f-]{36}$/)
    })
    const read = yield* send("GET", `${path}/${made.body.data.id}`, { key })
    expect([read.status, read.body]).toEqual([200, { data: made.body.data }])
    const listed = yield* send("GET", path, { key })
    expect(listed.body.data.map(({ id }: { id: string }) => id)).toEqual([project, made.body.data.id])
    expect(listed.body.data[1]).toEqual(made.body.data)
  })

  it("lead from a site to its experiments without the operator", function* () {
    const { account, key } = yield* customer
    const site = yield* projectOf(account)
    const growth = (yield* send("POST", path, { body: { domain: site.url }, key })).body.data
    const body = { name: "Titles", project_id: growth.id }
    const experiment = (yield* send("POST", "/api/v1/experiments", { body, key })).body.data
    const found = yield* send("GET", `/api/v1/experiments?site_id=${site.id}`, { key })
    expect(found.body.data).toEqual([experiment])
  })

  it("are walked in pages", function* () {
    const { key } = yield* customer
    for (const domain of ["a.example", "b.example"]) yield* send("POST", path, { body: { domain }, key })
    const first = yield* send("GET", `${path}?limit=2`, { key })
    const rest = yield* send("GET", `${path}?limit=2&cursor=${encodeURIComponent(first.body.meta.next_cursor)}`, {
      key
    })
    expect([...first.body.data, ...rest.body.data].map(({ domain }) => domain)).toEqual([
      "example.com",
      "a.example",
      "b.example"
    ])
  })

  for (const domain of [undefined, 7, "", "ftp://a.example", "https://a:b@c.example", "a b"]) {
    it(`are refused for the domain ${JSON.stringify(domain)}`, function* () {
      const { key } = yield* customer
      const { body, status } = yield* send("POST", path, { body: { domain }, key })
      expect([status, body.error.code, body.error.details[0].path]).toEqual([422, "validation_error", "domain"])
    })
  }

  it("of another account, of nobody and without a UUID are not found; without the scope nothing is told", function* () {
    const { account, key } = yield* customer
    const other = yield* customer
    for (const id of [other.project, unknown, "7"]) {
      expect((yield* send("GET", `${path}/${id}`, { key })).status).toBe(404)
    }
    const narrow = yield* keyWith(account, ["projects:read"])
    for (const method of ["GET", "POST"] as const) {
      expect((yield* send(method, path, { key: narrow, ...(method === "GET" ? {} : { body: {} }) })).status).toBe(403)
    }
  })
})
