import { describe, expect } from "bun:test"
import * as SqlClient from "@effect/sql/SqlClient"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Connections } from "../../../../src/features/rankings/sync/Connections.ts"
import { installationLayer } from "../../../../src/foundation/secrets/Cipher.ts"
import { suite } from "../../../harness.ts"
import * as Server from "../../../server.ts"
import { authorizedUser, credentialsIn } from "../searchConsole.ts"
import { owner } from "../storing.ts"

const it = suite(
  Connections.Default.pipe(
    Layer.provide(installationLayer),
    Layer.provide(Layer.setConfigProvider(ConfigProvider.fromMap(new Map(Object.entries(Server.settings))))),
    Layer.provideMerge(Server.layer)
  )
)

const read = (key: string, project: string) =>
  Server.send("GET", `/api/v1/projects/${project}/rankings/source`, { key })

const connected = Effect.tap(owner, ({ site }) =>
  Effect.flatMap(Connections, (connections) =>
    connections.connect(site, { credentials: credentialsIn(authorizedUser("http://127.0.0.1:2/token")) })
  )
)

describe("the source of a site", () => {
  it("is its property with its schedule and its last error, without its credentials", function* () {
    const { key, site } = yield* connected
    const sql = yield* SqlClient.SqlClient
    const { body, status } = yield* read(key, site)
    expect(status).toBe(200)
    expect(body).toEqual({
      data: {
        every_hours: 24,
        last_error: null,
        next_sync_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+\+00:00$/),
        property: "https://example.com/",
        site_id: site,
        synced_at: null
      }
    })
    yield* sql`UPDATE ranking_sources SET last_error = 'Google said no', synced_at = now() WHERE site_id = ${site}`
    yield* Effect.flatMap(Connections, (connections) => connections.schedule(site, null))
    const later = yield* read(key, site)
    expect(later.body.data).toMatchObject({
      every_hours: null,
      last_error: "Google said no",
      next_sync_at: null,
      synced_at: expect.any(String)
    })
  })

  it("is not found when none is connected, or when it belongs to another account", function* () {
    const { site } = yield* connected
    const { account, key, site: bare } = yield* owner
    for (const project of [bare, site, "no-id"]) {
      const { body, status } = yield* read(key, project)
      expect([status, body.error.code]).toEqual([404, "not_found"])
    }
    const other = yield* Server.keyWith(account, ["projects:read"])
    expect((yield* read(other, bare)).status).toBe(403)
  })
})
