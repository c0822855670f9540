import { describe, expect, test } from "bun:test"
import * as fc from "fast-check"
import { State } from "../../../src/features/backlinks/Domain.ts"
import { after, isOutage, type Look, pace, type Standing } from "../../../src/features/backlinks/Look.ts"

const day = 86_400_000
const week = 7 * day
const unseen: Standing = { goneSince: null, lastLiveAt: null, lostAt: null, rel: [] }
const middle: ReadonlyArray<string> = ["page_gone", "link_removed", "redirected"]

const lookOf = (state: State): Look => ({
  httpStatus: null,
  link: state === "live" ? { anchor: "", rel: [], target: "https://shop.example/" } : null,
  reason: "",
  state
})

/** Check results with the days since the previous one. */
const looks = fc.array(fc.tuple(fc.constantFrom(...State.literals), fc.integer({ max: 10, min: 0 })), { maxLength: 40 })

describe("the state of a backlink", () => {
  test("is lost exactly when two checks a week apart missed it after it was seen, without one that saw it between them", () => {
    fc.assert(
      fc.property(looks, (history) => {
        let standing = unseen
        let at = 1_700_000_000_000
        const seen: Array<{ at: number; state: string }> = []
        for (const [state, days] of history) {
          at += days * day
          seen.push({ at, state })
          standing = after(standing, lookOf(state), at, week).standing
          const lastLive = seen.findLastIndex((one) => one.state === "live")
          const gone = lastLive === -1 ? [] : seen.slice(lastLive).filter((one) => middle.includes(one.state))
          const isLost = gone.some((one) => gone.some((other) => other.at - one.at >= week))
          expect(standing.lostAt !== null).toBe(isLost)
        }
      })
    )
  })

  test("is reported once as lost, and once as recovered", () => {
    fc.assert(
      fc.property(looks, (history) => {
        let standing = unseen
        let at = 1_700_000_000_000
        const changes: Array<string> = []
        for (const [state, days] of history) {
          at += days * day
          const { change, standing: next } = after(standing, lookOf(state), at, week)
          if (change !== null) changes.push(change)
          standing = next
        }
        expect(changes).toEqual(changes.map((_, place) => (place % 2 === 0 ? "lost" : "recovered")))
      })
    )
  })
})

describe("the next check", () => {
  test("is due in a month or a week, and in time to confirm that a link is missing", () => {
    const live = { ...unseen, lastLiveAt: 0 }
    expect([pace(live, false, 0, week), pace(live, true, 0, week)]).toEqual([30 * day, 7 * day])
    expect(pace({ ...live, goneSince: 0 }, false, 0, week)).toBe(week)
    expect(pace({ ...live, goneSince: 0 }, false, 5 * day, week)).toBe(2 * day)
    expect(pace({ ...unseen, goneSince: 0 }, false, 0, week)).toBe(30 * day)
    expect(pace({ ...live, goneSince: 0, lostAt: week }, false, week, week)).toBe(30 * day)
  })
})

describe("an outage", () => {
  test.each([
    [4, 4, false],
    [5, 2, false],
    [5, 3, true],
    [10, 5, false],
    [10, 6, true]
  ])("of %d hosts with %d that fail: %p", (hosts, failed, is) => expect(isOutage(hosts, failed)).toBe(is))
})
