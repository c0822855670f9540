import { describe, expect } from "bun:test"
import { join } from "node:path"
import * as BunContext from "@effect/platform-bun/BunContext"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { backup } from "../../../src/app/operator/backup/Backup.ts"
import { CatalogRepo } from "../../../src/app/operator/backup/CatalogRepo.ts"
import { Sessions } from "../../../src/features/accounts/Sessions.ts"
import { sessionScopes } from "../../../src/features/accounts/SessionsApi.ts"
import { LiveWorkersRepo, present } from "../../../src/features/sitehealth/LiveWorkers.ts"
import { folder } from "../../folder.ts"
import { suite } from "../../harness.ts"
import * as Server from "../../server.ts"

const it = suite(
  Layer.mergeAll(CatalogRepo.Default, LiveWorkersRepo.Default, Sessions.Default).pipe(
    Layer.provideMerge(Server.layer),
    Layer.merge(BunContext.layer)
  )
)

const get = (key: string) => Server.send("GET", "/api/v1/server", { key })

/** The key of a session that a command gave these scopes. */
const sessionOf = (scopes: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const { invite } = yield* Sessions
    const { account } = yield* Server.customer()
    const { code } = yield* invite(account, { scopes, seconds: 3600 })
    const { body } = yield* Server.send("POST", "/api/v1/console-sessions", { body: { code } })
    return String(body.data.key)
  })

describe("the state of the server", () => {
  it("has version, schema and browser for any key, and the rest for the scope server:read alone", function* () {
    const { account } = yield* Server.customer()
    const key = yield* Server.keyWith(account, ["*", "site-health:write", "keys:manage"])
    const { body } = yield* get(key)
    expect(body.data).toEqual({
      admin: null,
      browser: { found: false, problem: expect.stringContaining("No worker runs"), version: null },
      schema: { migration: 15, name: "public" },
      version: expect.stringMatching(/^\d+\.\d+\.\d+/)
    })
    expect((yield* Server.send("GET", "/api/v1/server")).status).toBe(401)
  })

  it("has the browser of a live worker, or why the workers have none", function* () {
    const { key } = yield* Server.customer()
    const browserOf = Effect.map(get(key), ({ body }) => body.data.browser)
    const none = { browser: null, problem: "FINDABLE_RENDER is off." }
    yield* present(none, () => Effect.succeed(null))
    expect(yield* browserOf).toEqual({ found: false, problem: none.problem, version: null })
    yield* present({ browser: "/usr/bin/chromium", problem: null }, () => Effect.succeed("Chromium 156.0"))
    yield* Effect.repeat(browserOf, { until: ({ version }) => version !== null })
    expect(yield* browserOf).toEqual({ found: true, problem: null, version: "Chromium 156.0" })
  })

  it("has storage, queues and the last backup for the administrator's session", function* () {
    const sql = yield* SqlClient.SqlClient
    const key = yield* sessionOf(sessionScopes.operator)
    const adminOf = Effect.map(get(key), ({ body }) => body.data.admin)
    const first = yield* adminOf
    expect(first.last_backup).toBeNull()
    expect(first.queues).toContainEqual({ name: "delivery", oldest_seconds: 0, waiting: 0 })
    expect(first.storage.tables).toHaveLength(10)
    expect(first.storage.bytes).toBeGreaterThan(first.storage.tables[0].bytes)

    const { account, key: owner } = yield* Server.customer()
    const hook = { events: ["audit.failed"], url: "http://127.0.0.1:2/" }
    const { body } = yield* Server.send("POST", "/api/v1/webhooks", { body: hook, key: owner })
    yield* Server.send("POST", `/api/v1/webhooks/${body.data.id}/test`, { body: { type: "audit.failed" }, key: owner })
    yield* sql`
      UPDATE webhook_queue SET next_attempt_at = clock_timestamp() - interval '90 seconds'
      WHERE webhook_id IN (SELECT id FROM webhooks WHERE account_id = ${account})`
    const file = join(yield* folder, "whole.gz")
    const { bytes } = yield* backup(file, true)
    const second = yield* adminOf
    expect(second.last_backup).toEqual({ at: expect.any(String), bytes, secrets: true })
    const [delivery] = second.queues.filter(({ name }: { readonly name: string }) => name === "delivery")
    expect(delivery).toMatchObject({ name: "delivery", waiting: 1 })
    expect(delivery.oldest_seconds).toBeGreaterThanOrEqual(90)
  })

  it("is the same for a session that a command gave this scope alone", function* () {
    const key = yield* sessionOf(["server:read"])
    expect((yield* get(key)).body.data.admin).not.toBeNull()
    expect((yield* Server.send("GET", "/api/v1/projects", { key })).status).toBe(403)
  })
})
