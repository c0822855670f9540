import { describe, expect } from "bun:test"
import { suite } from "../../harness.ts"
import * as Server from "../../server.ts"
import { customerOf, html, site } from "./crawled.ts"
import { customer } from "./stored.ts"

const it = suite(Server.layer)

const run = (id: string) => `/api/v1/runs/${id}`
const ids = (body: { data: ReadonlyArray<{ id: string }> }) => body.data.map(({ id }) => id)

describe("a run", () => {
  for (const status of ["completed", "partial", "failed", "cancelled"] as const)
    it(`that is ${status} is deleted`, function* () {
      const { key, left, made } = yield* customer
      const id = yield* made({ days: 0, status })
      expect((yield* Server.send("DELETE", run(id), { key })).status).toBe(204)
      expect(yield* left).toEqual([])
      expect((yield* Server.send("GET", run(id), { key })).status).toBe(404)
      expect((yield* Server.send("DELETE", run(id), { key })).status).toBe(404)
    })

  it("that is not final answers 409 to its removal, and so does one with a verification in progress", function* () {
    const { key, left, made } = yield* customer
    const running = yield* made({ days: 0, status: "running" })
    const verified = yield* made({ days: 2 })
    const verifying = yield* made({ days: 1, status: "running", verify: verified })
    for (const id of [running, verified]) {
      const { body, status } = yield* Server.send("DELETE", run(id), { key })
      expect([status, body.error.code]).toEqual([409, "conflict"])
    }
    expect(yield* left).toEqual([verified, verifying, running])
  })

  it("takes the finished verifications of it with it", function* () {
    const { key, left, made } = yield* customer
    const verified = yield* made({ days: 2 })
    yield* made({ days: 1, verify: verified })
    expect((yield* Server.send("DELETE", run(verified), { key })).status).toBe(204)
    expect(yield* left).toEqual([])
  })

  it("that is gone is passed by: latest and diff go by the results that are left, and the quota counts it", function* () {
    const { url } = yield* site({ "/": html("Start", '<a href="/a">a</a>'), "/a": html("A", '<a href="/">back</a>') })
    const { project, run: made, send } = yield* customerOf(url)
    const [first, second, third] = [yield* made(), yield* made(), yield* made()]
    expect((yield* send("GET", `/runs/${third.id}/diff`)).body.data.against).toBe(second.id)
    expect((yield* send("DELETE", `/runs/${second.id}`)).status).toBe(204)
    expect((yield* send("GET", `/runs/${third.id}/diff`)).body.data.against).toBe(first.id)
    expect((yield* send("DELETE", `/runs/${third.id}`)).status).toBe(204)
    expect((yield* send("GET", `/projects/${project.id}/site-health/latest`)).body.data.run.id).toBe(first.id)
    const begun: Array<string> = []
    while (begun.length < 50) {
      const { body, status } = yield* send("POST", `/projects/${project.id}/site-health/runs`)
      if (status === 429) break
      begun.push(body.data.id)
      yield* send("POST", `/runs/${body.data.id}/cancel`)
    }
    const { body } = yield* send("GET", "/key")
    expect(begun).toHaveLength(body.data.limits.runs_per_hour - 3)
  })

  it("of another account is not found, and without the scope it is refused", function* () {
    const { account, left, made } = yield* customer
    const id = yield* made({ days: 0 })
    const stranger = yield* Server.customer()
    expect((yield* Server.send("DELETE", run(id), { key: stranger.key })).status).toBe(404)
    const reader = yield* Server.keyWith(account, ["site-health:read"])
    expect((yield* Server.send("DELETE", run(id), { key: reader })).status).toBe(403)
    expect(yield* left).toEqual([id])
  })
})

describe("the list of runs", () => {
  it("is of one state when it is asked for", function* () {
    const { key, made, project } = yield* customer
    const list = `/api/v1/projects/${project}/site-health/runs`
    const [first, failed, last] = [
      yield* made({ days: 3 }),
      yield* made({ days: 2, status: "failed" }),
      yield* made({ days: 1 })
    ]
    expect(ids((yield* Server.send("GET", list, { key })).body)).toEqual([last, failed, first])
    expect(ids((yield* Server.send("GET", `${list}?status=failed`, { key })).body)).toEqual([failed])
    const page = yield* Server.send("GET", `${list}?status=completed&limit=1`, { key })
    expect(ids(page.body)).toEqual([last])
    const cursor = encodeURIComponent(page.body.meta.next_cursor)
    expect(ids((yield* Server.send("GET", `${list}?status=completed&limit=1&cursor=${cursor}`, { key })).body)).toEqual(
      [first]
    )
    const foreign = yield* Server.send("GET", `${list}?status=failed&cursor=${cursor}`, { key })
    expect(foreign.body.error.code).toBe("invalid_cursor")
    const unknown = yield* Server.send("GET", `${list}?status=done`, { key })
    expect([unknown.status, unknown.body.error.details[0].path]).toEqual([422, "status"])
  })
})
