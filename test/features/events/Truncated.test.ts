import { describe, expect, test } from "bun:test"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as fc from "fast-check"
import { bytes, EventId, mostBytes, ofEncoded } from "../../../src/features/events/EventKind.ts"

const parts = {
  createdAt: DateTime.unsafeMake("2026-11-21T09:30:00Z"),
  id: EventId.make("evt_01kakx3q7m8v2b5n9r4t6w0yzc")
}
const bodyOf = (data: unknown) => Effect.runSync(ofEncoded("audit.completed", { ...parts, data }))
const sizeOf = (data: unknown) => bytes(bodyOf(data)).length
const dataOf = (data: unknown) => JSON.parse(bodyOf(data)).data

const urls = (count: number) => Array.from({ length: count }, (_, index) => `https://example.com/page/${index}`)

describe("the body of an event", () => {
  test("is not changed up to 256 KiB", () => {
    const data = { pages: urls(5000), text: "x".repeat(50_000) }
    expect(dataOf(data)).toEqual(data)
  })

  test("has its lists truncated if it would be larger, no further than needed, and marked", () => {
    const data = { id: "run", outcome: { few: [1, 2, 3], pages: urls(50_000) } }
    const cut = dataOf(data)
    expect(cut).toEqual({
      id: "run",
      outcome: { few: [1, 2, 3], pages: urls(cut.outcome.pages.length), truncated: true }
    })
    expect(sizeOf(data)).toBeLessThanOrEqual(mostBytes)
    expect(sizeOf(data)).toBeGreaterThan(mostBytes - 100)
  })

  test("has its texts truncated if they make it large", () => {
    const cut = dataOf({ error: "é".repeat(400_000), id: "run", pages: urls(3) })
    expect(cut).toMatchObject({ id: "run", pages: [], truncated: true })
    expect("é".repeat(400_000)).toStartWith(cut.error)
  })

  test("says only that it was truncated if nothing else helps", () => {
    expect(dataOf(Object.fromEntries(urls(20_000).map((url) => [url, 1])))).toEqual({ truncated: true })
  })

  test("is never larger, for any data", () => {
    const large = fc.oneof(
      fc.nat(20_000).map(urls),
      fc.nat(200_000).map((count) => "\u0000😀x".repeat(count / 4)),
      fc.jsonValue()
    )
    fc.assert(
      fc.property(fc.dictionary(fc.string(), large, { maxKeys: 4 }), (data) => sizeOf(data) <= mostBytes),
      { numRuns: 30 }
    )
  })
})
