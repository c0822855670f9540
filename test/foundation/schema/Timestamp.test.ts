import { expect, test } from "bun:test"
import * as Schema from "effect/Schema"
import { Moment, Timestamp } from "../../../src/foundation/schema/Time.ts"

const written = (text: string) => Schema.encodeSync(Moment)(Schema.decodeUnknownSync(Moment)(text))

test.each([
  ["2026-11-22T08:00:00Z", "2026-11-22T08:00:00.000000+00:00"],
  ["2026-11-22T08:00:00.123+14:00", "2026-11-21T18:00:00.123000+00:00"],
  ["0001-01-01T00:00Z", "0001-01-01T00:00:00.000000+00:00"],
  ["9999-12-31T23:59:59.999Z", "9999-12-31T23:59:59.999000+00:00"]
])("%p is read, and written as a timestamp", (text, timestamp) => {
  expect(written(text)).toBe(timestamp)
  expect(Schema.is(Timestamp)(timestamp)).toBe(true)
})

test.each([
  "2026-02-31T00:00:00Z",
  "2026-11-22T08:00:00",
  "2026-11-22",
  "0000-01-01T00:00:00Z",
  "0001-01-01T00:00:00+14:00",
  "9999-12-31T23:59:59-14:00"
])("%p is no moment that the database knows", (text) => {
  expect(() => written(text)).toThrow("must be an ISO 8601 timestamp")
})
