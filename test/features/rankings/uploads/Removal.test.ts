import { describe, expect } from "bun:test"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as UploadsWorker from "../../../../src/features/rankings/uploads/Worker.ts"
import { suite } from "../../../harness.ts"
import * as Server from "../../../server.ts"
import { until } from "../../../waiting.ts"
import { csv, owner } from "../storing.ts"

const it = suite(UploadsWorker.layer.pipe(Layer.provideMerge(Server.layer)), { timeout: 60_000 })

const base = (site: string) => `/api/v1/projects/${site}/rankings`

/** A customer with two days of search data. */
const imported = Effect.gen(function* () {
  const { account, key, site } = yield* owner
  const { base: node } = yield* Server.TestServer
  const answer = yield* Effect.promise(() =>
    fetch(new URL(`${base(site)}/imports?format=gsc-csv`, node), {
      method: "POST",
      headers: { authorization: `Bearer ${key}` },
      body: csv("2026-10-08,shoes,/a,1,20,3.5", "2026-10-07,shoes,/a,2,30,4")
    })
  )
  const path = new URL(answer.headers.get("location") ?? "", node).pathname
  yield* until(Server.send("GET", path, { key }), ({ body }) => body.data.status === "completed", "50 millis")
  return { account, key, site }
})

const clicks = (key: string) =>
  Effect.map(Server.send("GET", "/api/v1/keywords", { key }), ({ body }) => [
    body.data[0]?.clicks,
    body.data[0]?.period.end
  ])

describe("a day of search data", () => {
  it("is deleted, and the rankings are computed from the remaining days", function* () {
    const { key, site } = yield* imported
    expect(yield* clicks(key)).toEqual([3, "2026-10-08"])
    expect((yield* Server.send("DELETE", `${base(site)}/days/2026-10-08`, { key })).status).toBe(204)
    expect(yield* clicks(key)).toEqual([2, "2026-10-07"])
    expect((yield* Server.send("DELETE", `${base(site)}/days/2026-10-07`, { key })).status).toBe(204)
    expect(yield* clicks(key)).toEqual([undefined, undefined])
  })

  for (const day of ["2026-10-09", "2026-02-31", "today", "0001-01-01"])
    it(`is not found if it has no data: ${day}`, function* () {
      const { key, site } = yield* imported
      expect((yield* Server.send("DELETE", `${base(site)}/days/${day}`, { key })).status).toBe(404)
      expect(yield* clicks(key)).toEqual([3, "2026-10-08"])
    })

  it("is not found by another account, and is not deleted without the scope", function* () {
    const { account, key, site } = yield* imported
    const path = `${base(site)}/days/2026-10-08`
    expect((yield* Server.send("DELETE", path, { key: (yield* owner).key })).status).toBe(404)
    const reader = yield* Server.keyWith(account, ["projects:read"])
    expect((yield* Server.send("DELETE", path, { key: reader })).status).toBe(403)
    expect(yield* clicks(key)).toEqual([3, "2026-10-08"])
  })

  it("is not deleted during an import, and the response says so immediately", function* () {
    const sql = yield* SqlClient.SqlClient
    const { key, site } = yield* imported
    const refused = yield* sql.withTransaction(
      Effect.zipRight(
        sql`SELECT FROM ranking_sites WHERE site_id = ${site} FOR UPDATE`,
        Server.send("DELETE", `${base(site)}/days/2026-10-08`, { key })
      )
    )
    expect([refused.status, refused.body.error.code]).toEqual([409, "conflict"])
    expect(yield* clicks(key)).toEqual([3, "2026-10-08"])
  })
})
