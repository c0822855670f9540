import { expect } from "bun:test"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as TestClock from "effect/TestClock"
import { EventId, makeEventId } from "../../../src/features/events/EventKind.ts"
import { makeWebhookId } from "../../../src/features/webhooks/Domain.ts"
import * as Entropy from "../../../src/foundation/secrets/Entropy.ts"
import { effectWithTestClock, it } from "../../harness.ts"

it("an id is a prefix and 26 lower-case characters without lookalikes", () =>
  Effect.gen(function* () {
    expect(yield* makeEventId).toMatch(/^evt_[0-9a-hjkmnp-tv-z]{26}$/)
    expect(yield* makeWebhookId).toMatch(/^wh_[0-9a-hjkmnp-tv-z]{26}$/)
  }).pipe(Effect.provide(Entropy.layer)))

it("ten thousand ids are different, and use the whole alphabet", () =>
  Effect.map(Effect.replicateEffect(makeEventId, 10_000), (ids) => {
    expect(new Set(ids).size).toBe(10_000)
    expect(new Set(ids.flatMap((id) => [...id.slice(14)])).size).toBe(32)
  }).pipe(Effect.provide(Entropy.layer)))

effectWithTestClock("an id created later sorts later", () =>
  Effect.gen(function* () {
    const ids = yield* Effect.replicateEffect(Effect.zipRight(TestClock.adjust("1 millis"), makeEventId), 200)
    expect(ids.toSorted()).toEqual(ids)
  }).pipe(Effect.provide(Entropy.layer))
)

effectWithTestClock("the first ten digits of an id are the time in milliseconds", () =>
  Effect.gen(function* () {
    yield* TestClock.setTime(1_764_000_000_000)
    const digits = "0123456789abcdefghjkmnpqrstvwxyz"
    const time = (yield* makeEventId).slice(4, 14)
    expect([...time].reduce((sum, digit) => sum * 32 + digits.indexOf(digit), 0)).toBe(1_764_000_000_000)
  }).pipe(Effect.provide(Entropy.layer))
)

it("an id with a letter outside of the alphabet, or of another length, is refused", () =>
  Effect.sync(() => {
    const isEventId = Schema.is(EventId)
    expect(isEventId("evt_01kakx3q7m8v2b5n9r4t6w0yzc")).toBe(true)
    for (const text of [
      "evt_01kakx3q7m8v2b5n9r4t6w0yzi",
      "evt_01kakx3q7m8v2b5n9r4t6w0yz",
      "EVT_01kakx3q7m8v2b5n9r4t6w0yzc"
    ]) {
      expect(isEventId(text)).toBe(false)
    }
  }))
