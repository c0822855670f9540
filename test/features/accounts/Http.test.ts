import { describe, expect } from "bun:test"
import { catalogue } from "../../../src/crawl/rules/Catalogue.ts"
import { suite } from "../../harness.ts"
import * as Server from "../../server.ts"

const it = suite(Server.layer)

describe("any key", () => {
  it("reads what it is itself, and what its plan allows", function* () {
    const { account, key } = yield* Server.customer("free", ["geo:read"])
    const { body } = yield* Server.send("GET", "/api/v1/key", { key })
    expect(body.data).toEqual({
      account: { id: account, name: expect.any(String) },
      created_at: expect.any(String),
      display: `${key.slice(0, 9)}…${key.slice(-4)}`,
      expires_at: null,
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

  it("reads the rules of the crawl with their sources", function* () {
    const { key } = yield* Server.customer("free", ["geo:read"])
    const { body } = yield* Server.send("GET", "/api/v1/rules", { key })
    expect(body.data.map(({ rule }: { rule: string }) => rule)).toEqual(catalogue.map(({ id }) => id))
    for (const rule of body.data)
      expect(rule).toMatchObject({ fix: expect.stringMatching(/.{5}/), source: expect.stringMatching(/.{5}/) })
  })
})
