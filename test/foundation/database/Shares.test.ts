import { describe, expect, test } from "bun:test"
import * as FastCheck from "effect/FastCheck"
import * as Shares from "../../../src/foundation/database/Shares.ts"
import { makeWindows } from "../../../src/foundation/database/Shares.ts"

type Step =
  | { readonly _tag: "ask"; readonly share: Shares.Share }
  | { readonly _tag: "leave" | "giveBack"; readonly which: number }
  | { readonly _tag: "resize"; readonly size: number }

const isAccount = (share: Shares.Share) => share !== Shares.keys && share !== Shares.work

const share = FastCheck.constantFrom(Shares.keys, Shares.work, "a", "b", "c")

const size = FastCheck.integer({ max: 24, min: 1 })

const which = FastCheck.nat()

const ask = FastCheck.record({ _tag: FastCheck.constant("ask" as const), share })

const step = FastCheck.oneof<Array<FastCheck.Arbitrary<Step>>>(
  ask,
  ask,
  FastCheck.record({ _tag: FastCheck.constantFrom("leave" as const, "giveBack" as const), which }),
  FastCheck.record({ _tag: FastCheck.constantFrom("leave" as const, "giveBack" as const), which })
)

interface Waiter {
  readonly share: Shares.Share
  readonly number: number
}

/** A pool that records connections and waiters, beside the scheduler. All statements are short: no time passes. */
const poolOf = (size: number) => {
  const now = 0
  const asked = new Set<Shares.Share>()
  const shares = Shares.make<Waiter>(size)
  const holders: Array<Waiter> = []
  const waiters: Array<Waiter> = []
  let number = 0
  const drain = () => {
    const served: Array<Waiter> = []
    for (let next = shares.next(now); next !== undefined; next = shares.next(now)) {
      served.push(next)
      holders.push(next)
      waiters.splice(waiters.indexOf(next), 1)
    }
    return served
  }
  const take = (from: Array<Waiter>, which: number) => from.splice(which % from.length, 1)
  const act = (step: Step): ReadonlyArray<Waiter> => {
    if (step._tag === "ask") {
      const waiter = { number: number++, share: step.share }
      asked.add(step.share)
      const isServed = shares.ask(step.share, waiter, now)
      ;(isServed ? holders : waiters).push(waiter)
      return isServed ? [waiter] : []
    }
    if (step._tag === "resize") {
      shares.resize(step.size)
      return drain()
    }
    for (const waiter of take(step._tag === "leave" ? waiters : holders, step.which)) {
      if (step._tag === "leave") shares.leave(waiter.share, waiter)
      else shares.giveBack(waiter.share, now, now)
    }
    return drain()
  }
  const busy = (of: (share: Shares.Share) => boolean) => holders.filter(({ share }) => of(share)).length
  const isContested = (share: Shares.Share) => [...asked].some((other) => other !== share && isAccount(other))
  return { act, busy, holders, isContested, limits: Shares.limitsOf(size), shares, waiters }
}

/** The limit that refuses a share a further connection, as in the guide; an account beside others may always have one. */
const mayHave = ({ busy, isContested, limits }: ReturnType<typeof poolOf>, share: Shares.Share) =>
  busy(() => true) < limits.size &&
  (share === Shares.keys ||
    (busy((other) => other !== Shares.keys) < limits.others &&
      (share === Shares.work ||
        (isAccount(share) &&
          busy(isAccount) < limits.accounts &&
          busy((other) => other === share) < (isContested(share) ? 1 : limits.alone)))))

describe("connection shares", () => {
  test("are 7 of 10 for a single account, 4 beside others, and 2 for keys and workers; small pools have connections for all", () => {
    const shares = [1, 2, 3, 4, 5, 10, 20].map(Shares.limitsOf)
    expect(
      shares.map(({ accounts, alone, contested, others, size }) => [size, others, accounts, alone, contested])
    ).toEqual([
      [1, 1, 1, 1, 1],
      [2, 2, 2, 1, 1],
      [3, 2, 2, 2, 1],
      [4, 3, 3, 2, 2],
      [5, 4, 4, 3, 2],
      [10, 9, 8, 7, 4],
      [20, 19, 18, 14, 9]
    ])
  })

  test("are never exceeded", () => {
    FastCheck.assert(
      FastCheck.property(size, FastCheck.array(step, { maxLength: 200 }), (size, steps) => {
        const pool = poolOf(size)
        for (const step of steps) {
          const { busy, limits } = pool
          const before = new Map(pool.holders.map(({ share }) => [share, busy((other) => other === share)]))
          for (const { share } of pool.act(step)) {
            const own = busy((other) => other === share)
            expect(busy(() => true)).toBeLessThanOrEqual(limits.size)
            if (!isAccount(share)) continue
            expect(busy(isAccount)).toBeLessThanOrEqual(limits.accounts)
            expect(own).toBeLessThanOrEqual(limits.alone)
            if (pool.isContested(share) && own > (before.get(share) ?? 0))
              expect(own).toBeLessThanOrEqual(limits.contested)
          }
          expect(busy((share) => share !== Shares.keys)).toBeLessThanOrEqual(limits.others)
        }
      })
    )
  })

  test("leave no connection idle while a caller waits who may have it", () => {
    FastCheck.assert(
      FastCheck.property(size, FastCheck.array(step, { maxLength: 200 }), (size, steps) => {
        const pool = poolOf(size)
        for (const step of steps) {
          pool.act(step)
          expect(pool.waiters.filter(({ share }) => mayHave(pool, share))).toEqual([])
          expect(pool.shares.waiting()).toBe(pool.waiters.length)
        }
      })
    )
  })

  test("let two accounts with short statements use all connections of accounts", () => {
    FastCheck.assert(
      FastCheck.property(size, (size) => {
        const { act, busy, limits } = poolOf(size)
        for (let n = 0; n < 3 * size; n++) act({ _tag: "ask", share: n % 2 === 0 ? "a" : "b" })
        // Alone at first, one account releases the connections above its share beside the other.
        for (let n = 0; n < 200 * size; n++) {
          act({ _tag: "giveBack", which: n })
          act({ _tag: "ask", share: n % 2 === 0 ? "a" : "b" })
        }
        expect(busy(isAccount)).toBe(limits.accounts)
      })
    )
  })

  test("serve every waiting caller before twice as many connections were released as callers waited", () => {
    FastCheck.assert(
      FastCheck.property(size, FastCheck.array(share, { maxLength: 60 }), (size, asked) => {
        const { act, holders, waiters } = poolOf(size)
        for (const share of asked) act({ _tag: "ask", share })
        const last = waiters.length
        for (let turn = 0; turn < 2 * (last + size) && waiters.length > 0; turn++) {
          act({ _tag: "giveBack", which: 0 })
        }
        expect(waiters).toEqual([])
        expect(holders.length).toBeLessThanOrEqual(size)
      })
    )
  })

  test("take turns, so that a hundred statements of one account delay another account by one turn", () => {
    const { act, waiters } = poolOf(10)
    for (let n = 0; n < 100; n++) act({ _tag: "ask", share: "a" })
    for (let n = 0; n < 100; n++) act({ _tag: "ask", share: "b" })
    act({ _tag: "ask", share: "c" })
    expect(waiters.at(-1)?.share).toBe("c")
    const served = Array.from({ length: 6 }, () => act({ _tag: "giveBack", which: 0 })).flat()
    expect(served.map(({ share }) => share)).toContain("c")
  })

  test("serve the statements of one account in order", () => {
    const { act } = poolOf(1)
    for (let n = 0; n < 10; n++) act({ _tag: "ask", share: "a" })
    const served = Array.from({ length: 9 }, () => act({ _tag: "giveBack", which: 0 })).flat()
    expect(served.map(({ number }) => number)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9])
  })

  test("give keys every second turn", () => {
    const { act } = poolOf(1)
    act({ _tag: "ask", share: "a" })
    for (const share of ["a", "b", Shares.keys, Shares.keys, Shares.work]) act({ _tag: "ask", share })
    const served = Array.from({ length: 5 }, () => act({ _tag: "giveBack", which: 0 })).flat()
    expect(served.map(({ share }) => share)).toEqual([Shares.keys, "a", Shares.keys, "b", Shares.work])
  })

  test("let a single account run four long statements, and short ones on up to seven connections", () => {
    const shares = Shares.make<number>(10)
    const admitted = (count: number, now: number) =>
      Array.from({ length: count }, (_, n) => shares.ask("a", n, now)).filter((isServed) => isServed).length
    expect(admitted(3, 0)).toBe(3)
    expect(admitted(1, 50)).toBe(1)
    expect(admitted(1, 120)).toBe(1)
    expect(admitted(4, 160)).toBe(0)
    shares.giveBack("a", 0, 170)
    expect(Array.from({ length: 3 }, () => shares.next(170)).filter((waiter) => waiter !== undefined)).toHaveLength(3)
  })

  test("shrink with the number of connections that the database gives", () => {
    const { act, busy } = poolOf(10)
    for (let n = 0; n < 12; n++) act({ _tag: "ask", share: "a" })
    act({ _tag: "resize", size: 3 })
    for (let n = 0; n < 7; n++) act({ _tag: "giveBack", which: 0 })
    expect(busy(isAccount)).toBe(2)
  })
})

const most = 4

/** Two accounts; `a` sends statements. */
const besideAnother = () => {
  const windows = makeWindows()
  windows.asks("b", 0)
  windows.asks("a", 0)
  /** Sends as many concurrent statements as the window admits, and returns their number. */
  const burst = (at: number) => {
    let count = 0
    for (; windows.admits("a", most, at); count++) windows.begins("a", at)
    return count
  }
  /** Sends statements one after the other from a time on; returns the end of the last one. */
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

describe("the window of an account beside other accounts", () => {
  test("is one connection at first, and one more after each eight short statements, up to its maximum", () => {
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

  test("is one connection after a long statement, and widens only after short statements for as long", () => {
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

  test("is reset after a second without a statement", () => {
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

  test("exists for 30 s after another account asked for a connection", () => {
    const { windows } = besideAnother()
    expect(windows.isContested("a", 29_999)).toBe(true)
    expect(windows.isContested("a", 30_000)).toBe(false)
    windows.asks("a", 29_000)
    expect(windows.isContested("b", 30_000)).toBe(true)
  })

  test("never lets two long statements run, except those that began before the first became long", () => {
    const step = FastCheck.record({ milliseconds: FastCheck.integer({ max: 400, min: 0 }), wait: FastCheck.nat(60) })
    FastCheck.assert(
      FastCheck.property(FastCheck.array(step, { maxLength: 100 }), (steps) => {
        const { inTurn, windows } = besideAnother()
        const running: Array<{ readonly began: number; readonly ends: number }> = []
        let now = inTurn(30, 0, 5)
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
        // Finished statements no longer count.
        for (const { began, ends } of running) windows.ends("a", began, ends)
        expect(windows.admits("a", most, now + 1000)).toBe(true)
      })
    )
  })
})
