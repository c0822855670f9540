import { describe, expect, test } from "bun:test"
import * as FastCheck from "effect/FastCheck"
import { makeWindows } from "../../../src/foundation/database/Shares.ts"

const most = 4

/** Two accounts, of which `a` sends statements. */
const besideAnother = () => {
  const windows = makeWindows()
  windows.asks("b", 0)
  windows.asks("a", 0)
  /** As many statements at once as the window admits; how many these are. */
  const burst = (at: number) => {
    let count = 0
    for (; windows.admits("a", most, at); count++) windows.begins("a", at)
    return count
  }
  /** Statements one after the other from a moment on; the moment at which the last one ends. */
  const inTurn = (count: number, from: number, milliseconds: number) => {
    for (let n = 0; n < count; n++) {
      windows.begins("a", from + n * milliseconds)
      windows.ends("a", from + n * milliseconds, from + (n + 1) * milliseconds)
    }
    return from + count * milliseconds
  }
  const endAll = (count: number, began: number, at: number) => {
    for (let n = 0; n < count; n++) windows.ends("a", began, at)
  }
  return { burst, endAll, inTurn, windows }
}

describe("the window of an account beside others", () => {
  test("is one connection at first, and one more after each eight short statements, up to the most", () => {
    const widths = [0, 7, 8, 16, 24, 200].map((count) => {
      const { burst, inTurn } = besideAnother()
      return burst(inTurn(count, 0, 5))
    })
    expect(widths).toEqual([1, 1, 2, 3, 4, 4])
  })

  test("admits no further statement beside one that takes 100 ms or longer", () => {
    const { inTurn, windows } = besideAnother()
    const at = inTurn(30, 0, 5)
    windows.begins("a", at)
    expect(windows.admits("a", most, at + 99)).toBe(true)
    expect(windows.admits("a", most, at + 100)).toBe(false)
    windows.ends("a", at, at + 3000)
    expect(windows.admits("a", most, at + 3000)).toBe(true)
  })

  test("is one connection after a long statement, and short ones widen it only after as long again", () => {
    const { burst, endAll, inTurn } = besideAnother()
    const at = inTurn(30, 0, 5)
    const count = burst(at)
    expect(count).toBe(most)
    endAll(count, at, at + 3000)
    const before = inTurn(500, at + 3000, 5)
    expect(burst(before)).toBe(1)
    endAll(1, before, before)
    expect(burst(inTurn(100, at + 6000, 5))).toBe(4)
  })

  test("starts anew after a second without a statement", () => {
    for (const [pause, width] of [
      [999, 4],
      [1000, 1]
    ] as const) {
      const { burst, inTurn, windows } = besideAnother()
      const at = inTurn(30, 0, 5)
      windows.sweep(at + pause)
      expect(burst(at + pause)).toBe(width)
    }
  })

  test("is there for 30 s after another account asked for a connection", () => {
    const { windows } = besideAnother()
    expect(windows.isContested("a", 29_999)).toBe(true)
    expect(windows.isContested("a", 30_000)).toBe(false)
    windows.asks("a", 29_000)
    expect(windows.isContested("b", 30_000)).toBe(true)
  })

  test("never lets more than one long statement run, but for those that began before the first of them was long", () => {
    const step = FastCheck.record({ milliseconds: FastCheck.integer({ max: 400, min: 0 }), wait: FastCheck.nat(60) })
    FastCheck.assert(
      FastCheck.property(FastCheck.array(step, { maxLength: 100 }), (steps) => {
        const { windows } = besideAnother()
        const running: Array<{ readonly began: number; readonly ends: number }> = []
        let now = 0
        for (const { milliseconds, wait } of steps) {
          now += wait
          for (const one of running.filter(({ ends }) => ends <= now).toSorted((a, b) => a.ends - b.ends)) {
            running.splice(running.indexOf(one), 1)
            windows.ends("a", one.began, one.ends)
          }
          if (!windows.admits("a", most, now)) continue
          expect(running.some(({ began }) => now - began >= 100)).toBe(false)
          expect(running.length).toBeLessThan(most)
          windows.begins("a", now)
          running.push({ began: now, ends: now + milliseconds })
        }
        // What has ended is counted no longer.
        for (const { began, ends } of running) windows.ends("a", began, ends)
        expect(windows.admits("a", most, now + 1000)).toBe(true)
      })
    )
  })
})
