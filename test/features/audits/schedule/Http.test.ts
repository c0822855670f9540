import { describe, expect } from "bun:test"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import { suite } from "../../../harness.ts"
import * as Server from "../../../server.ts"
import { layer } from "../auditing.ts"

const it = suite(layer)

const path = "/api/v1/audit-schedules"
const page = { every: "6h", url: "https://shop.example" }

const post = (body: unknown, key: string) => Server.send("POST", path, { body, key })

/** Future slots, so that no worker of this server claims them. */
const later = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql`UPDATE audit_schedules SET next_at = clock_timestamp() + interval '1 day'`
)

describe("audit schedules", () => {
  it("are created, read, listed, changed and deleted", function* () {
    const { key } = yield* Server.customer()
    const made = yield* post({ ...page, device: "desktop", source: "psi" }, key)
    expect([made.status, made.headers.get("location")]).toEqual([201, expect.stringContaining(`${path}/`)])
    const schedule = made.body.data
    expect(schedule).toEqual({
      created_at: expect.any(String),
      device: "desktop",
      every: "6h",
      id: expect.any(String),
      next_at: expect.any(String),
      source: "psi",
      url: "https://shop.example/"
    })
    const own = `${path}/${schedule.id}`
    expect((yield* Server.send("GET", own, { key })).body).toEqual({ data: schedule })
    expect((yield* Server.send("GET", path, { key })).body.data).toEqual([schedule])
    yield* later
    const changed = yield* Server.send("PATCH", own, { body: { every: "15m", source: "lighthouse" }, key })
    expect(changed.body.data).toMatchObject({ every: "15m", id: schedule.id, source: "lighthouse" })
    // A shorter interval applies immediately.
    expect(Date.parse(changed.body.data.next_at)).toBeLessThanOrEqual(Date.now() + 16 * 60_000)
    expect((yield* Server.send("PATCH", own, { body: {}, key })).body.data).toEqual(changed.body.data)
    expect((yield* Server.send("DELETE", own, { key })).status).toBe(204)
    expect((yield* Server.send("GET", own, { key })).status).toBe(404)
    expect((yield* Server.send("GET", path, { key })).body.data).toEqual([])
  })

  it("are filtered by the host and port of a site, in pages too", function* () {
    const { account, key } = yield* Server.customer()
    const { id } = yield* Server.projectOf(account, "https://www.shop.example")
    const own: Array<string> = []
    for (const url of ["https://shop.example", "http://www.shop.example/a", "https://shop.example/b"])
      own.push((yield* post({ ...page, url }, key)).body.data.id)
    yield* post({ ...page, url: "https://shop.example:8443/" }, key)
    yield* post({ ...page, url: "https://blog.shop.example/" }, key)
    const first = (yield* Server.send("GET", `${path}?project_id=${id}&limit=2`, { key })).body
    const rest = (yield* Server.send("GET", first.links.next, { key })).body
    expect([...first.data, ...rest.data].map(({ id }: { id: string }) => id)).toEqual(own)
    const foreign = yield* Server.send("GET", `${path}?cursor=${encodeURIComponent(first.meta.next_cursor)}`, { key })
    expect([foreign.status, foreign.body.error.code]).toEqual([422, "invalid_cursor"])
  })

  it("are for mobile and by Lighthouse by default", function* () {
    const { key } = yield* Server.customer()
    expect((yield* post(page, key)).body.data).toMatchObject({ device: "mobile", source: "lighthouse" })
  })

  it("are unique for a page and device: the same one is returned again, and a different one is a conflict", function* () {
    const { key } = yield* Server.customer()
    const first = yield* post(page, key)
    const same = yield* post({ ...page, every: "360m", url: "https://SHOP.example/" }, key)
    expect([same.status, same.body.meta, same.body.data]).toEqual([200, { existing: true }, first.body.data])
    const other = yield* post({ ...page, every: "1d" }, key)
    expect([other.status, other.body.error.code]).toEqual([409, "conflict"])
    expect((yield* post({ ...page, device: "desktop", every: "1d" }, key)).status).toBe(201)
  })

  it("are at most 20, also for concurrent requests", function* () {
    const { key } = yield* Server.customer()
    const replies = yield* Effect.all(
      Array.from({ length: 25 }, (_, index) => post({ ...page, url: `https://shop.example/${index}` }, key)),
      { concurrency: "unbounded" }
    )
    expect(replies.filter(({ status }) => status === 201)).toHaveLength(20)
    expect(replies.filter(({ status }) => status === 422)).toHaveLength(5)
    expect((yield* Server.send("GET", `${path}?limit=100`, { key })).body.data).toHaveLength(20)
  })

  const refused: ReadonlyArray<readonly [string, object, string]> = [
    ["no interval", { every: undefined }, "every"],
    ["an interval without a unit", { every: "6" }, "every"],
    ["less than 15 minutes", { every: "14m" }, "every"],
    ["more than a year", { every: "366d" }, "every"],
    ["a number", { every: 60 }, "every"],
    ["a malformed URL", { url: "shop.example" }, "url"],
    ["credentials", { url: "https://a:b@shop.example/" }, "url"],
    ["another device", { device: "tv" }, "device"],
    ["another source", { source: "import" }, "source"],
    ["an unknown field", { evry: "6h" }, "evry"]
  ]
  for (const [what, change, field] of refused) {
    it(`are refused with ${what}`, function* () {
      const { key } = yield* Server.customer()
      const { body, status } = yield* post({ ...page, ...change }, key)
      expect([status, body.error.code]).toEqual([422, "validation_error"])
      expect(body.error.details.map(({ path }: { path: string }) => path)).toEqual([field])
    })
  }

  it("are not found by any method if they belong to another account", function* () {
    const { key } = yield* Server.customer()
    const stranger = yield* Server.customer()
    const { body } = yield* post(page, key)
    const own = `${path}/${body.data.id}`
    for (const [method, sent] of [
      ["GET", undefined],
      ["PATCH", { every: "1d" }],
      ["DELETE", undefined]
    ] as const) {
      const reply = yield* Server.send(method, own, {
        key: stranger.key,
        ...(sent === undefined ? {} : { body: sent })
      })
      expect([reply.status, reply.body.error.code]).toEqual([404, "not_found"])
    }
    expect((yield* Server.send("GET", path, { key: stranger.key })).body.data).toEqual([])
    expect((yield* Server.send("GET", own, { key })).body.data).toEqual(body.data)
  })

  it("need the scopes of audits", function* () {
    const { account, key: all } = yield* Server.customer()
    const reader = yield* Server.keyWith(account, ["audits:read"])
    const writer = yield* Server.keyWith(account, ["audits:write"])
    const { body } = yield* post(page, all)
    const status = (method: "GET" | "POST" | "PATCH" | "DELETE", to: string, key: string) =>
      Effect.map(Server.send(method, to, { key, ...(method === "GET" ? {} : { body: page }) }), (reply) => reply.status)
    expect(yield* status("GET", path, reader)).toBe(200)
    expect(yield* status("GET", path, writer)).toBe(403)
    for (const [method, to] of [
      ["POST", path],
      ["PATCH", `${path}/${body.data.id}`],
      ["DELETE", `${path}/${body.data.id}`]
    ] as const) {
      expect(yield* status(method, to, reader)).toBe(403)
    }
    expect(yield* status("DELETE", `${path}/${body.data.id}`, writer)).toBe(204)
  })
})
