import { describe, expect } from "bun:test"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import { catalogue } from "../../../src/crawl/rules/Catalogue.ts"
import { Accounts } from "../../../src/features/accounts/Accounts.ts"
import { suite } from "../../harness.ts"
import * as Server from "../../server.ts"

const it = suite(Server.layer)

describe("any API key", () => {
  it("reads its own properties and the limits of its plan", function* () {
    const { account, key } = yield* Server.customer("free", ["geo:read"])
    const { body } = yield* Server.send("GET", "/api/v1/key", { key })
    expect(body.data).toEqual({
      account: { id: account, name: expect.any(String) },
      created_at: expect.any(String),
      display: `${key.slice(0, 9)}…${key.slice(-4)}`,
      expires_at: null,
      grants: ["geo:read"],
      id: expect.any(String),
      last_used_at: expect.any(String),
      limits: {
        keys: 5,
        looks_per_day: 200,
        pages_per_run: 25,
        projects: 5,
        requests_per_minute: 60,
        requests_per_second: 10,
        runs_at_once: 1,
        runs_per_hour: 5
      },
      mode: "test",
      name: null,
      plan: "free",
      scopes: ["geo:read"],
      usage: {
        keys: { limit: 5, resets_at: null, used: 1 },
        looks_per_day: { limit: 200, resets_at: null, used: 0 },
        projects: { limit: 5, resets_at: null, used: 0 },
        requests_per_minute: { limit: 60, resets_at: expect.any(String), used: 1 },
        runs_at_once: { limit: 1, resets_at: null, used: 0 },
        runs_per_hour: { limit: 5, resets_at: null, used: 0 }
      }
    })
  })

  it("reads how much of its plan its account uses, and when that resets; other accounts count nothing", function* () {
    const sql = yield* SqlClient.SqlClient
    const { account, key } = yield* Server.customer("free")
    const other = yield* Server.customer("free")
    yield* Server.projectOf(other.account)
    yield* Server.keyWith(account, ["geo:read"])
    const { id } = yield* Server.projectOf(account)
    yield* sql`
      INSERT INTO site_health_runs (account_id, project_id, url, max_pages, check_dead_links)
      VALUES (${account}, ${id}, 'https://example.com/', 5, true)`
    yield* sql`
      INSERT INTO site_health_removed_runs VALUES (${account}, clock_timestamp() - interval '40 minutes'),
        (${account}, clock_timestamp() - interval '70 minutes')`
    yield* sql`
      INSERT INTO backlink_looks VALUES (${account}, (clock_timestamp() AT TIME ZONE 'UTC')::date, 7),
        (${other.account}, (clock_timestamp() AT TIME ZONE 'UTC')::date - 1, 9)`
    const usageOf = (key: string) =>
      Effect.map(Server.send("GET", "/api/v1/key", { key }), ({ body }) => body.data.usage)
    yield* usageOf(key)
    const usage = yield* usageOf(key)
    expect(usage).toMatchObject({
      keys: { used: 2 },
      looks_per_day: { used: 7 },
      projects: { used: 1 },
      requests_per_minute: { used: 2 },
      runs_at_once: { used: 1 },
      runs_per_hour: { used: 2 }
    })
    const [{ midnight, minute, twenty } = { midnight: false, minute: false, twenty: false }] = yield* sql<{
      midnight: boolean
      minute: boolean
      twenty: boolean
    }>`
      SELECT ${usage.looks_per_day.resets_at}::timestamptz = date_trunc('day', clock_timestamp() AT TIME ZONE 'UTC') AT TIME ZONE 'UTC' + interval '1 day' AS midnight,
        ${usage.requests_per_minute.resets_at}::timestamptz BETWEEN clock_timestamp() AND clock_timestamp() + interval '1 minute' AS minute,
        ${usage.runs_per_hour.resets_at}::timestamptz BETWEEN clock_timestamp() + interval '10 minutes' AND clock_timestamp() + interval '20 minutes' AS twenty`
    expect({ midnight, minute, twenty }).toEqual({ midnight: true, minute: true, twenty: true })
    expect(yield* usageOf(other.key)).toMatchObject({
      looks_per_day: { resets_at: null, used: 0 },
      projects: { used: 1 },
      runs_at_once: { used: 0 },
      runs_per_hour: { resets_at: null, used: 0 }
    })
  })

  it("reads the checks of a crawl with their sources", function* () {
    const { key } = yield* Server.customer("free", ["geo:read"])
    const { body } = yield* Server.send("GET", "/api/v1/rules", { key })
    expect(body.data.map(({ rule }: { rule: string }) => rule)).toEqual(catalogue.map(({ id }) => id))
    for (const rule of body.data)
      expect(rule).toMatchObject({ fix: expect.stringMatching(/.{5}/), source: expect.stringMatching(/.{5}/) })
  })
})

describe("findOrCreate of an account", () => {
  it("gives one account for twelve concurrent calls", function* () {
    const accounts = yield* Accounts
    const all = yield* Effect.all(
      Array.from({ length: 12 }, () => accounts.findOrCreate(" the shop ", "starter")),
      { concurrency: 12 }
    )
    expect(new Set(all.map(({ id }) => id)).size).toBe(1)
    expect((yield* accounts.list).filter(({ name }) => name === "the shop").length).toBe(1)
  })

  it("gives the oldest of several accounts with the name, and keeps its plan", function* () {
    const accounts = yield* Accounts
    const first = yield* accounts.create("twins", "starter")
    yield* accounts.create("twins", "agency_team")
    expect(yield* accounts.findOrCreate("twins", "agency_team")).toEqual(first)
  })

  it("needs a name", function* () {
    const accounts = yield* Accounts
    expect(yield* Effect.flip(accounts.findOrCreate(" ", "starter"))).toMatchObject({ _tag: "Refused" })
  })
})
