import { describe, expect } from "bun:test"
import * as Effect from "effect/Effect"
import { Accounts } from "../../../src/features/accounts/Accounts.ts"
import { suite } from "../../harness.ts"
import * as Server from "../../server.ts"

const it = suite(Server.layer)

describe("an account that is found or made", () => {
  it("is one, also when twelve ask at once", function* () {
    const accounts = yield* Accounts
    const all = yield* Effect.all(
      Array.from({ length: 12 }, () => accounts.findOrCreate(" the shop ", "starter")),
      { concurrency: 12 }
    )
    expect(new Set(all.map(({ id }) => id)).size).toBe(1)
    expect((yield* accounts.list).filter(({ name }) => name === "the shop").length).toBe(1)
  })

  it("is the oldest of its name, and keeps its plan", function* () {
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
