import { describe, expect } from "bun:test"
import * as Effect from "effect/Effect"
import { Accounts } from "../../../src/features/accounts/Accounts.ts"
import { suite } from "../../harness.ts"
import * as Server from "../../server.ts"

const it = suite(Server.layer)

describe("an account that is found or made", () => {
  it.effect("is one, also when twelve ask at once", () =>
    Effect.gen(function* () {
      const accounts = yield* Accounts
      const all = yield* Effect.all(
        Array.from({ length: 12 }, () => accounts.findOrCreate(" the shop ", "starter")),
        { concurrency: 12 }
      )
      expect(new Set(all.map(({ id }) => id)).size).toBe(1)
      expect((yield* accounts.list).filter(({ name }) => name === "the shop").length).toBe(1)
    })
  )

  it.effect("is the oldest of its name, and keeps its plan", () =>
    Effect.gen(function* () {
      const accounts = yield* Accounts
      const first = yield* accounts.create("twins", "starter")
      yield* accounts.create("twins", "agency_team")
      expect(yield* accounts.findOrCreate("twins", "agency_team")).toEqual(first)
    })
  )

  it.effect("needs a name", () =>
    Effect.gen(function* () {
      const accounts = yield* Accounts
      expect(yield* Effect.flip(accounts.findOrCreate(" ", "starter"))).toMatchObject({ _tag: "Refused" })
    })
  )
})
