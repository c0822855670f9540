import { describe, expect } from "bun:test"
import * as TestClock from "effect/TestClock"
import * as LeaseMonitor from "../../../src/foundation/database/LeaseMonitor.ts"
import { effectWithTestClock } from "../../harness.ts"

describe("a watch over the clock of the database", () => {
  effectWithTestClock("returns by how much the clock was set between two reads, forward or back", function* () {
    const moved = LeaseMonitor.make()
    expect(yield* moved(1_000_000)).toBe(0)
    yield* TestClock.adjust("2 seconds")
    expect(yield* moved(1_002_000)).toBe(0)
    yield* TestClock.adjust("2 seconds")
    expect(yield* moved(1_004_000 + 3_600_000)).toBe(3_600_000)
    yield* TestClock.adjust("2 seconds")
    expect(yield* moved(1_006_000 + 3_600_000)).toBe(0)
    yield* TestClock.adjust("2 seconds")
    expect(yield* moved(1_008_000 - 86_400_000)).toBe(-90_000_000)
  })

  effectWithTestClock("ignores a slow answer and a gradual adjustment", function* () {
    const moved = LeaseMonitor.make()
    yield* moved(0)
    yield* TestClock.adjust("6 seconds")
    expect(yield* moved(2000)).toBe(0)
    yield* TestClock.adjust("2 seconds")
    expect(yield* moved(8500)).toBe(0)
  })
})
