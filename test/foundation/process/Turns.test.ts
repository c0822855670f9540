import { describe, expect } from "bun:test"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { turnOf } from "../../../src/foundation/process/Turns.ts"
import { it } from "../../harness.ts"

/** Waits for a turn of the account in a fiber, and records it. */
const taking = (served: Array<string>, owner: string) =>
  Effect.fork(
    Effect.zipRight(
      turnOf(owner),
      Effect.sync(() => served.push(owner))
    )
  )

describe("turns of accounts", () => {
  it("alternate: the last to arrive waits for one turn of each other account, however many turns they wait for", function* () {
    const served: Array<string> = []
    const many = yield* Effect.replicateEffect(taking(served, "many"), 100)
    const few = yield* Effect.replicateEffect(taking(served, "few"), 2)
    yield* Fiber.joinAll([...many, ...few])
    expect(served.slice(0, 5)).toEqual(["many", "few", "many", "few", "many"])
    expect(served).toHaveLength(102)
  })

  it("leave room for pending input after each turn", function* () {
    const served: Array<string> = []
    const input = () => {
      served.push("input")
      if (served.filter((one) => one === "a").length < 3) setImmediate(input)
    }
    setImmediate(input)
    yield* Fiber.joinAll(yield* Effect.replicateEffect(taking(served, "a"), 3))
    expect(served.join(" ")).not.toContain("a a")
  })

  it("skip accounts that have left", function* () {
    const served: Array<string> = []
    const gone = yield* Effect.replicateEffect(taking(served, "gone"), 3)
    const left = yield* taking(served, "left")
    yield* Effect.yieldNow()
    yield* Fiber.interruptAll(gone)
    yield* Fiber.join(left)
    expect(served).toEqual(["left"])
  })
})
