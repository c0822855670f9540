import { expect, test } from "bun:test"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as TestClock from "effect/TestClock"
import * as fc from "fast-check"
import packaged from "../../../package.json" with { type: "json" }
import { version } from "../../../src/foundation/schema/Scalars.ts"
import { Interval, Moment, Timestamp } from "../../../src/foundation/schema/Time.ts"
import { steadily } from "../../../src/foundation/schema/unsafe.ts"
import { effectWithTestClock } from "../../harness.ts"

/** A machine's clocks: its time can be set, its ticks cannot. */
const machine = (clock: Clock.Clock) => {
  let offset = 0
  const wall = () => clock.unsafeCurrentTimeMillis() + offset
  const settable: Clock.Clock = {
    [Clock.ClockTypeId]: Clock.ClockTypeId,
    currentTimeMillis: Effect.sync(wall),
    currentTimeNanos: clock.currentTimeNanos,
    sleep: (duration) => clock.sleep(duration),
    unsafeCurrentTimeMillis: wall,
    unsafeCurrentTimeNanos: () => clock.unsafeCurrentTimeNanos()
  }
  const set = (milliseconds: number) => {
    offset += milliseconds
  }
  return { set, settable }
}

effectWithTestClock(
  "the time within a crawl is steady when the clock is set forward by an hour or back by a day",
  function* () {
    const clock = yield* TestClock.testClock()
    const { set, settable } = machine(clock)
    yield* steadily(
      Effect.gen(function* () {
        const began = yield* Clock.currentTimeMillis
        set(3_600_000)
        expect((yield* Clock.currentTimeMillis) - began).toBe(0)
        set(-90_000_000)
        yield* clock.adjust("5 millis")
        expect((yield* Clock.currentTimeMillis) - began).toBe(5)
      })
    ).pipe(Effect.withClock(settable))
  }
)

const read = Schema.decodeSync(Interval)

const write = Schema.encodeSync(Interval)

test("a formatted interval is short, and is parsed to the same interval", () => {
  fc.assert(fc.property(fc.integer({ max: 525_600, min: 1 }), (minutes) => expect(read(write(minutes))).toBe(minutes)))
  expect([write(15), write(60), write(90), write(360), write(1440), write(43_200)]).toEqual([
    "15m",
    "1h",
    "90m",
    "6h",
    "1d",
    "30d"
  ])
})

test("a malformed interval is refused", () => {
  for (const text of ["", "6", "h", "6 h", "6H", "-1d", "1.5h", "1234567m", "6h1m"]) {
    expect(() => read(text)).toThrow("must be minutes, hours or days")
  }
})

const written = (text: string) => Schema.encodeSync(Moment)(Schema.decodeUnknownSync(Moment)(text))

test.each([
  ["2026-11-22T08:00:00Z", "2026-11-22T08:00:00.000000+00:00"],
  ["2026-11-22T08:00:00.123+14:00", "2026-11-21T18:00:00.123000+00:00"],
  ["2026-11-22T08:00:00.5 02:00", "2026-11-22T06:00:00.500000+00:00"],
  ["2026-11-22T08:00 00:00", "2026-11-22T08:00:00.000000+00:00"],
  ["0001-01-01T00:00Z", "0001-01-01T00:00:00.000000+00:00"],
  ["9999-12-31T23:59:59.999Z", "9999-12-31T23:59:59.999000+00:00"]
])("%p is parsed, and formatted as a timestamp", (text, timestamp) => {
  expect(written(text)).toBe(timestamp)
  expect(Schema.is(Timestamp)(timestamp)).toBe(true)
})

test.each([
  "2026-02-31T00:00:00Z",
  "2026-11-22T08:00:00",
  "2026-11-22",
  "2026-11-22 08:00:00+00:00",
  "2026-11-22T08:00:00  00:00",
  "2026-11-22T08:00:00 0000",
  "2026-11-22T08:00:00 Z",
  "2026-11-22T08:00:00 +00:00",
  "0000-01-01T00:00:00Z",
  "0001-01-01T00:00:00+14:00",
  "9999-12-31T23:59:59-14:00"
])("%p is no timestamp that the database can store", (text) => {
  expect(() => written(text)).toThrow("must be an ISO 8601 timestamp")
})

test("the version at runtime is that of the package", () => {
  expect(version).toBe(packaged.version)
})
