import { describe, expect } from "bun:test"
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
      scopes: ["geo:read"]
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
