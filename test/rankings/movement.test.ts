import { expect, test } from "bun:test"
import * as Schema from "effect/Schema"
import * as fc from "fast-check"
import { KeywordRanking } from "../../src/rankings/Domain.ts"
import * as Movement from "../../src/rankings/Movement.ts"
import * as MovementEvent from "../../src/rankings/MovementEvent.ts"

/** Totals with a mean position that two decimals can write. */
const at = (position: number | null, impressions = 100): Movement.Sums =>
  position === null
    ? Movement.nothing
    : { impressions, clicks: 0, sumTop: Math.round(position * 100) * (impressions / 100) }

const examples = [
  [12.3, 8.1, 4.2, "climbing", "ranking.climbed"],
  [15, 2.5, 12.5, "climbing", null],
  [null, 6, 0, "new", null],
  [5, 8, -3, "dropping", null],
  [5, 8.01, -3.01, "dropping", "ranking.dropped"],
  [7.2, 7.9, -0.7, "stable", null],
  [3.4, null, 0, "lost", "ranking.dropped"],
  [9.9, 4, 5.9, "climbing", null],
  [10.01, 10, 0.01, "stable", "ranking.climbed"],
  [4, 7, -3, "dropping", null],
  [4, 7.01, -3.01, "dropping", "ranking.dropped"],
  [9.1, 8.1, 1, "climbing", null],
  [8.1, 9.1, -1, "dropping", null],
  [8.1, 9.09, -0.99, "stable", null],
  [11, 10.4, 0.6, "stable", null],
  [11, 3.99, 7.01, "climbing", null],
  [null, 1, 0, "new", null]
] as const

test.each(examples)("from %p to %p: delta %p, %s, event %p", (previous, current, delta, status, event) => {
  const movement = Movement.between(at(previous), at(current))
  expect(movement).toMatchObject({ currentPosition: current, previousPosition: previous, delta, status })
  expect(MovementEvent.of(at(previous), at(current))).toBe(event)
})

test("nothing shown in either window makes no record and no event", () => {
  expect(Movement.between(Movement.nothing, Movement.nothing)).toBeNull()
  expect(MovementEvent.of(Movement.nothing, Movement.nothing)).toBeNull()
})

test.each([
  [9, 100, null],
  [100, 9, null],
  [10, 10, "ranking.dropped"]
] as const)("a drop with %p and %p impressions gives the event %p", (before, after, event) => {
  const previous = { impressions: before, clicks: 0, sumTop: before }
  const current = { impressions: after, clicks: 0, sumTop: after * 20 }
  expect(MovementEvent.of(previous, current)).toBe(event)
})

test("a loss is an event only when there were ten impressions to lose", () => {
  expect(MovementEvent.of({ impressions: 10, clicks: 0, sumTop: 10 }, Movement.nothing)).toBe("ranking.dropped")
  expect(MovementEvent.of({ impressions: 9, clicks: 0, sumTop: 9 }, Movement.nothing)).toBeNull()
})

test("the mean position is weighted by impressions: Google's published sample", () => {
  const rows = [
    { impressions: 1571473, clicks: 0, sumTop: 15830817 },
    { impressions: 1662252, clicks: 0, sumTop: 15864538 },
    { impressions: 1652038, clicks: 0, sumTop: 16214813 }
  ]
  expect(Movement.position(rows.reduce(Movement.add, Movement.nothing))).toBe(9.806076962799875)
})

const sums = fc
  .record({
    impressions: fc.integer({ min: 0, max: 2 ** 31 }),
    share: fc.double({ min: 0, max: 1, noNaN: true }),
    position: fc.double({ min: 1, max: 100, noNaN: true })
  })
  .map(({ impressions, position, share }) => ({
    impressions,
    clicks: Math.floor(impressions * share),
    sumTop: Math.max(impressions, Math.round(impressions * position))
  }))

test("a movement and its reverse are opposites", () => {
  fc.assert(
    fc.property(sums, sums, (a, b) => {
      const opposite = {
        climbing: "dropping",
        dropping: "climbing",
        stable: "stable",
        new: "lost",
        lost: "new"
      } as const
      const status = Movement.statusOf(a, b)
      expect(Movement.statusOf(b, a)).toBe(status === null ? null : opposite[status])
      expect(Movement.delta(b, a)).toBeCloseTo(-Movement.delta(a, b), 9)
    })
  )
})

test("a dropped event means dropping or lost, a climbed one never dropping, new or lost", () => {
  fc.assert(
    fc.property(sums, sums, (previous, current) => {
      const status = Movement.statusOf(previous, current)
      const event = MovementEvent.of(previous, current)
      if (event === "ranking.dropped") expect(["dropping", "lost"]).toContain(String(status))
      if (event === "ranking.climbed") expect(["climbing", "stable"]).toContain(String(status))
    }),
    { numRuns: 1000 }
  )
})

test("scaling both windows' impressions and sums changes neither status nor delta", () => {
  fc.assert(
    fc.property(sums, sums, fc.integer({ min: 1, max: 1000 }), (a, b, factor) => {
      const scaled = ({ clicks, impressions, sumTop }: Movement.Sums) => ({
        impressions: impressions * factor,
        clicks: clicks * factor,
        sumTop: sumTop * factor
      })
      expect(Movement.statusOf(scaled(a), scaled(b))).toBe(Movement.statusOf(a, b))
      expect(Movement.delta(scaled(a), scaled(b))).toBeCloseTo(Movement.delta(a, b), 9)
    })
  )
})

test("a lost record travels the wire with nulls and zeros", () => {
  const record = {
    id: `kw_${"0".repeat(32)}`,
    site_id: "6a3e1f52-8f0e-4d55-9d39-0d6a3f0f7a11",
    query: "shoes",
    page_path: "/shoes?size=9",
    current_position: null,
    previous_position: 3.4,
    position_delta: 0,
    impressions: 0,
    clicks: 0,
    ctr: 0,
    ranking_status: "lost",
    period: { start: "2026-10-01", end: "2026-10-07" },
    recorded_at: "2026-10-10T03:04:05.000Z"
  }
  const decoded = Schema.decodeUnknownSync(KeywordRanking)(record)
  expect(JSON.stringify(Schema.encodeSync(KeywordRanking)(decoded))).toEqual(JSON.stringify(record))
})
