import { describe, expect } from "bun:test"
import * as SqlClient from "@effect/sql/SqlClient"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import type { ProjectId } from "../../../../src/features/projects/Domain.ts"
import { purpose } from "../../../../src/features/rankings/sync/Sync.ts"
import { Cipher, installationLayer, Sealed } from "../../../../src/foundation/secrets/Cipher.ts"
import { suite } from "../../../harness.ts"
import * as Server from "../../../server.ts"
import { authorizedUser, serviceAccount } from "../searchConsole.ts"
import { owner } from "../storing.ts"

const it = suite(
  installationLayer.pipe(
    Layer.provideMerge(Server.layer),
    Layer.provide(Layer.setConfigProvider(ConfigProvider.fromMap(new Map(Object.entries(Server.settings)))))
  )
)

/** The stored credentials of a site, opened like the sync opens them. */
const stored = (site: ProjectId) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const cipher = yield* Cipher
    const [row] = yield* sql<{ credentials: string }>`SELECT credentials FROM ranking_sources WHERE site_id = ${site}`
    const opened = yield* cipher.open(purpose, site, Sealed.make(row?.credentials ?? ""))
    return JSON.parse(Redacted.value(opened))
  })

const path = (project: string, more = "") => `/api/v1/projects/${project}/rankings/source${more}`

const user = JSON.parse(authorizedUser("https://attacker.example/token"))
const robot = JSON.parse(serviceAccount("https://attacker.example/token"))

const put = (key: string, project: string, body: object) => Server.send("PUT", path(project), { body, key })

const ask = (key: string, project: string, options: object = {}) =>
  Server.send("POST", path(project, "/sync"), { key, ...options })

describe("a source over the API", () => {
  it("is connected with credentials of both kinds, and no response and no column shows a part of them", function* () {
    const sql = yield* SqlClient.SqlClient
    const { key, site } = yield* owner
    const first = yield* put(key, site, { credentials: robot, every: "6h", property: "sc-domain:example.com" })
    expect(first.status).toBe(200)
    expect(first.body.data).toEqual({
      every_hours: 6,
      last_error: null,
      next_sync_at: expect.any(String),
      property: "sc-domain:example.com",
      site_id: site,
      synced_at: null
    })
    expect((yield* Server.send("GET", path(site), { key })).body).toEqual(first.body)
    // The default property is the site's own, and the schedule is kept.
    const second = yield* put(key, site, { credentials: user })
    expect(second.body.data).toMatchObject({ every_hours: 6, property: "https://example.com/" })
    const rows = yield* sql<{
      row: string
    }>`SELECT row_to_json(s)::text AS row FROM ranking_sources s WHERE site_id = ${site}`
    const told = JSON.stringify([first.body, second.body, rows])
    for (const secret of [robot.private_key.slice(40, 80), user.client_secret, user.refresh_token])
      expect(told).not.toContain(secret)
    expect((yield* put(key, site, { credentials: user, every: "off" })).body.data).toMatchObject({
      every_hours: null,
      next_sync_at: null
    })
  })

  it("ignores a token URL from the caller, to which the server would send secrets", function* () {
    const { key, site } = yield* owner
    for (const { token_uri, ...credentials } of [robot, user]) {
      expect(token_uri).toBe("https://attacker.example/token")
      yield* put(key, site, { credentials: { ...credentials, token_uri } })
      const kept = yield* stored(site)
      expect(kept.type).toBe(credentials.type)
      expect(kept).not.toHaveProperty("token_uri")
    }
  })

  const wrong: ReadonlyArray<readonly [what: string, body: object, field: string]> = [
    ["no credentials", {}, "credentials"],
    ["credentials of another kind", { credentials: { type: "external_account" } }, "credentials.type"],
    ["a missing part", { credentials: { ...user, refresh_token: undefined } }, "credentials.refresh_token"],
    ["an invalid private key", { credentials: { ...robot, private_key: "secret words" } }, "credentials.private_key"],
    [
      "a malformed PEM key",
      { credentials: { ...robot, private_key: "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n" } },
      "credentials.private_key"
    ],
    ["a property of another host", { credentials: user, property: "sc-domain:other.example" }, "property"],
    ["a malformed property", { credentials: user, property: "example.com" }, "property"],
    ["an interval of minutes", { credentials: user, every: "5m" }, "every"],
    ["an unknown field", { credentials: user, hourly: true }, "hourly"]
  ]
  for (const [what, body, field] of wrong)
    it(`is refused with ${what}, and nothing changes`, function* () {
      const { key, site } = yield* owner
      const { body: refusal, status } = yield* put(key, site, body)
      expect([status, refusal.error.code]).toEqual([422, "validation_error"])
      expect(refusal.error.details.map(({ path }: { path: string }) => path)).toContain(field)
      expect(JSON.stringify(refusal)).not.toContain("secret words")
      expect((yield* Server.send("GET", path(site), { key })).status).toBe(404)
    })

  it("is removed with its syncs, and another account's source is not found", function* () {
    const { key, site } = yield* owner
    const { key: stranger } = yield* Server.customer()
    yield* put(key, site, { credentials: user })
    const { id } = (yield* ask(key, site)).body.data
    expect((yield* put(stranger, site, { credentials: user })).status).toBe(404)
    expect((yield* ask(stranger, site)).status).toBe(404)
    expect((yield* Server.send("GET", path(site, `/syncs/${id}`), { key: stranger })).status).toBe(404)
    expect((yield* Server.send("DELETE", path(site), { key: stranger })).status).toBe(404)
    expect((yield* Server.send("DELETE", path(site), { key })).status).toBe(204)
    for (const gone of [path(site), path(site, `/syncs/${id}`)])
      expect((yield* Server.send("GET", gone, { key })).status).toBe(404)
    expect((yield* Server.send("DELETE", path(site), { key })).status).toBe(404)
  })
})

describe("a requested sync", () => {
  it("joins a running sync, and extends its range", function* () {
    const sql = yield* SqlClient.SqlClient
    const { key, site } = yield* owner
    yield* put(key, site, { credentials: user, every: "off" })
    const first = yield* ask(key, site, { body: { days: 3 }, headers: { "idempotency-key": "sync-of-today" } })
    expect(first.status).toBe(202)
    expect(first.headers.get("location")).toEndWith(path(site, `/syncs/${first.body.data.id}`))
    expect(first.body.data).toEqual({
      created_at: expect.any(String),
      days_done: 0,
      days_total: null,
      error: null,
      finished_at: null,
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      project_id: site,
      status: "queued"
    })
    const twelve = yield* Effect.all(
      Array.from({ length: 12 }, () => ask(key, site)),
      { concurrency: "unbounded" }
    )
    expect(new Set(twelve.map(({ body }) => body.data.id))).toEqual(new Set([first.body.data.id]))
    expect(yield* sql`SELECT days FROM ranking_syncs WHERE site_id = ${site}`).toEqual([{ days: 28 }])
    const again = yield* ask(key, site, { body: { days: 3 }, headers: { "idempotency-key": "sync-of-today" } })
    expect([again.status, again.body.meta]).toEqual([200, { idempotent_replay: true }])
    // It is due, though the source has no schedule, and stays so when the schedule is turned off again.
    expect((yield* put(key, site, { credentials: user })).body.data.next_sync_at).toBeString()
  })

  it("needs a connection, and a number of days from 1 to 500", function* () {
    const { key, site } = yield* owner
    const none = yield* ask(key, site)
    expect([none.status, none.body.error.code]).toEqual([409, "conflict"])
    yield* put(key, site, { credentials: user })
    for (const days of [0, 501, 1.5, "7"]) {
      const { body, status } = yield* ask(key, site, { body: { days } })
      expect([status, body.error.details[0].path]).toEqual([422, "days"])
    }
  })
})
