import { describe, expect } from "bun:test"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { ProjectsRepo } from "../../../src/features/projects/Projects.ts"
import { RemovalRepo } from "../../../src/features/projects/Removal.ts"
import { Imports } from "../../../src/features/rankings/import/Imports.ts"
import { noneDropped } from "../../../src/features/rankings/RawRow.ts"
import { SitesRepo } from "../../../src/features/rankings/Site.ts"
import * as Cli from "../../cli.ts"
import { databaseUrl } from "../../cluster.ts"
import { suite } from "../../harness.ts"
import * as Server from "../../server.ts"
import { csv, importInto, owner } from "../rankings/storing.ts"

const it = suite(
  Layer.mergeAll(Imports.Default, SitesRepo.Default, RemovalRepo.Default, ProjectsRepo.Default).pipe(
    Layer.provideMerge(Server.layer)
  ),
  { timeout: 60_000 }
)

/** Runs the worker to its end. */
const removed = (project: string) =>
  Effect.gen(function* () {
    const { pending, remove } = yield* RemovalRepo
    const found = (yield* pending).find(({ id }) => id === project)
    let batches = 0
    while (found !== undefined && (yield* remove(found.id)).more) batches += 1
    return batches
  })

/** Tables with rows of any site, and their counts. */
const left = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const tables = yield* sql<{ name: string }>`
    SELECT relname AS name FROM pg_class WHERE relkind IN ('r', 'p') AND NOT relispartition AND relnamespace = 'public'::regnamespace
      AND (relname LIKE 'ranking%' OR relname LIKE 'site_health%' OR relname IN ('projects', 'interventions', 'visibility_snapshots'))`
  const counts = yield* Effect.forEach(tables, ({ name }) =>
    Effect.map(
      sql<{ rows: number }>`SELECT count(*)::int AS rows FROM ${sql(name)}`,
      ([row]) => [name, row?.rows ?? 0] as const
    )
  )
  return Object.fromEntries(counts.filter(([, rows]) => rows > 0))
})

describe("a deleted site", () => {
  it("is gone for every reader immediately, and all its data are removed later", function* () {
    const { account, key, site } = yield* owner
    const before = yield* left
    const ask = (method: string, path: string, body?: unknown) => Server.send(method, path, { body, key })
    const rows = ["2026-10-01,a,/a,1,20,3", "2026-10-08,a,/a,1,20,3", "2026-10-08,b,/b,1,20,3"]
    yield* importInto(site, "gsc-csv", [{ text: csv(...rows) }])
    yield* ask("POST", `/api/v1/projects/${site}/rankings/imports?format=gsc-csv`, { a: 1 })
    const run = (yield* ask("POST", `/api/v1/projects/${site}/site-health/runs`)).body.data.id
    const schedule = (yield* ask("POST", `/api/v1/projects/${site}/site-health/schedules`, { every: "1d" })).body.data
      .id
    const keyword = (yield* ask("GET", "/api/v1/keywords")).body.data[0].id
    const stranger = yield* Server.customer()
    expect((yield* Server.send("DELETE", `/api/v1/projects/${site}`, { key: stranger.key })).status).toBe(404)
    const reader = yield* Server.keyWith(account, ["projects:read"])
    expect((yield* Server.send("DELETE", `/api/v1/projects/${site}`, { key: reader })).status).toBe(403)

    const deleted = yield* ask("DELETE", `/api/v1/projects/${site}`)
    expect([deleted.status, deleted.body]).toEqual([204, ""])
    for (const [method, path] of [
      ["DELETE", `/api/v1/projects/${site}`],
      ["GET", `/api/v1/projects/${site}`],
      ["PATCH", `/api/v1/projects/${site}`],
      ["GET", `/api/v1/projects/${site}/performance`],
      ["GET", `/api/v1/projects/${site}/cannibalisation`],
      ["GET", `/api/v1/projects/${site}/rankings/imports`],
      ["POST", `/api/v1/projects/${site}/rankings/imports?format=gsc-csv`],
      ["GET", `/api/v1/projects/${site}/site-health/runs`],
      ["POST", `/api/v1/projects/${site}/site-health/runs`],
      ["GET", `/api/v1/projects/${site}/site-health/schedules/${schedule}`],
      ["GET", `/api/v1/runs/${run}`],
      ["POST", `/api/v1/runs/${run}/cancel`],
      ["GET", `/api/v1/keywords/${keyword}`],
      ["GET", `/api/v1/keywords?site_id=${site}`],
      ["GET", `/api/v1/experiments?site_id=${site}`]
    ] as const) {
      const reply = yield* ask(method, path, method === "PATCH" ? {} : undefined)
      expect([method, path, reply.status]).toEqual([method, path, 404])
    }
    expect((yield* ask("GET", "/api/v1/keywords")).body).toMatchObject({ data: [], meta: { coverage: [] } })
    expect((yield* ask("GET", "/api/v1/projects")).body.data).toEqual([])
    const again = yield* ask("POST", "/api/v1/projects", { url: "https://example.com" })
    expect([again.status, again.body.data.id === site]).toEqual([201, false])

    // Half of the removal, as a killed worker leaves it; another worker finishes it.
    const { pending, remove } = yield* RemovalRepo
    const [first] = yield* pending
    expect(first).toEqual({ id: site })
    if (first !== undefined) expect(yield* remove(first.id)).toEqual({ more: true })
    expect(yield* removed(site)).toBeGreaterThan(2)
    expect(yield* pending).toEqual([])
    expect(yield* left).toEqual({ ...before, ranking_snapshots: 1, site_health_removed_runs: 1 })
  })

  it("frees no hourly quota and no Idempotency-Key", function* () {
    const { account, key } = yield* Server.customer("free")
    // A key may send ten requests a second.
    const second = yield* Server.keyWith(account, ["projects:write"])
    const start = (site: string, idempotency: string) =>
      Server.send("POST", `/api/v1/projects/${site}/site-health/runs`, {
        headers: { "idempotency-key": idempotency },
        key
      })
    for (let round = 0; round < 5; round++) {
      const { id } = yield* Server.projectOf(account)
      expect((yield* start(id, `run-number-${round}`)).status).toBe(202)
      expect((yield* Server.send("DELETE", `/api/v1/projects/${id}`, { key: second })).status).toBe(204)
      yield* removed(id)
    }
    const { id } = yield* Server.projectOf(account)
    const refused = yield* start(id, "run-number-5")
    expect([refused.status, refused.body.error.code]).toEqual([429, "quota_exceeded"])
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(3500)
    const used = yield* start(id, "run-number-0")
    expect([used.status, used.body.error.code]).toEqual([409, "idempotency_conflict"])
  })

  it("does not wait for a running import, which then stores nothing and publishes nothing", function* () {
    const { key, site } = yield* owner
    yield* importInto(site, "gsc-csv", [{ text: csv("2026-10-01,a,/a,1,20,3") }])
    const imports = yield* Imports
    const found = Option.getOrThrow(yield* Effect.flatMap(SitesRepo, (sites) => sites.find({ site })))
    const [merged, goOn] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
    const sql = yield* SqlClient.SqlClient
    // The lock of a merging import.
    const holding = yield* sql`SELECT FROM ranking_sites WHERE site_id = ${site} FOR UPDATE`.pipe(
      Effect.zipRight(Deferred.succeed(merged, undefined)),
      Effect.zipRight(Deferred.await(goOn)),
      sql.withTransaction,
      Effect.fork
    )
    yield* Deferred.await(merged)
    const waiting = yield* Effect.fork(
      Effect.either(
        imports.run({ renews: true, site: found, source: "gsc-csv" }, Stream.make({ dropped: noneDropped, rows: [] }))
      )
    )
    expect((yield* Server.send("DELETE", `/api/v1/projects/${site}`, { key })).status).toBe(204)
    const { remove } = yield* RemovalRepo
    expect(yield* remove(found.id)).toEqual({ more: false })
    yield* Deferred.succeed(goOn, undefined)
    yield* Fiber.join(holding)
    expect(yield* Fiber.join(waiting)).toMatchObject({ _tag: "Left", left: { _tag: "NotFound" } })
    yield* removed(site)
    expect(yield* sql`SELECT FROM projects WHERE id = ${site}`).toEqual([])
  })

  it("can be deleted by the administrator too", function* () {
    const { site } = yield* owner
    const env = { DATABASE_URL: yield* databaseUrl }
    const run = (id: string) => Cli.run(env, "projects", "delete", id, "--json")
    const done = yield* run(site)
    expect([done.code, JSON.parse(done.stdout)]).toEqual([0, { deleted: true, id: site }])
    expect(yield* run(site)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`findable: There is no site ${site}. Run `)
    })
  })
})
