import { describe, expect } from "bun:test"
import { suite } from "../../harness.ts"
import * as Server from "../../server.ts"
import { connected, layerWith, owner } from "./setting.ts"

const it = suite(layerWith(), { timeout: 60_000 })

const record = { connector: "recorded", summary: "Shorter titles", url: "https://shop.example/a" }

describe("a change that is recorded", () => {
  it("is deployed at once, and rolled back once", function* () {
    const { events, refresh, rollBack, send } = yield* owner()
    const { body, status } = yield* send("POST", "/interventions", {
      ...record,
      deployed_at: "2026-11-21T09:00:00Z",
      system: "cms"
    })
    expect([status, body.data]).toMatchObject([
      201,
      {
        connector: "recorded",
        deployed_at: "2026-11-21T09:00:00.000000+00:00",
        repo: null,
        status: "deployed",
        system: "cms"
      }
    ])
    const { id } = body.data
    expect(yield* refresh(id)).toEqual(body.data)
    expect((yield* rollBack(id, { rolled_back_at: "2026-11-21T08:00:00Z" })).status).toBe(409)
    const back = yield* rollBack(id, { reason: "Fewer clicks", rolled_back_at: "2026-11-22T09:00:00Z" })
    expect([back.status, back.body.data]).toMatchObject([
      200,
      { reason: "Fewer clicks", rolled_back_at: "2026-11-22T09:00:00.000000+00:00", status: "rolled_back" }
    ])
    expect((yield* rollBack(id)).status).toBe(409)
    expect(yield* events).toMatchObject([
      { data: { connector: "cms", id }, type: "intervention.deployed" },
      { data: { connector: "cms", id, reason: "Fewer clicks" }, type: "intervention.rolled_back" }
    ])
  })

  it("is listed with the others, the newest first, page by page", function* () {
    const { key, propose, send } = yield* connected()
    const made: Array<string> = []
    for (const summary of ["a", "b", "c"])
      made.unshift((yield* send("POST", "/interventions", { ...record, summary })).body.data.id)
    made.unshift((yield* propose()).body.data.id)
    const first = (yield* send("GET", "/interventions?limit=3")).body
    const { pathname, search } = new URL(first.links.next)
    const second = (yield* Server.send("GET", `${pathname}${search}`, { key })).body
    expect([...first.data, ...second.data].map(({ id }: { id: string }) => id)).toEqual(made)
    expect(second.meta.has_next).toBe(false)
  })

  it("and the others need scopes of their own, of which * has only the reading one", function* () {
    const { account, project, send } = yield* owner()
    yield* send("POST", "/interventions", record)
    const path = `/api/v1/projects/${project}/interventions`
    const reader = yield* Server.keyWith(account, ["interventions:read"])
    const all = yield* Server.keyWith(account, ["*"])
    for (const key of [reader, all]) {
      expect((yield* Server.send("GET", path, { key })).status).toBe(200)
      expect((yield* Server.send("POST", path, { body: record, key })).status).toBe(403)
      expect(
        (yield* Server.send("PUT", `/api/v1/projects/${project}/connectors/github`, { body: { token: "t" }, key }))
          .status
      ).toBe(403)
    }
    const writer = yield* Server.keyWith(account, ["interventions:write"])
    expect((yield* Server.send("GET", path, { key: writer })).status).toBe(403)
    expect((yield* Server.send("POST", path, { body: record, key: writer })).status).toBe(201)
  })
})
