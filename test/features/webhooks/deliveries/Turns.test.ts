import { describe, expect, test } from "bun:test"
import * as fc from "fast-check"
import * as Pace from "../../../../src/features/webhooks/deliveries/Pace.ts"
import * as Turns from "../../../../src/features/webhooks/deliveries/Turns.ts"

/** A load that never ends: every subscription always has more, and each receiver answers after so many milliseconds, or never. */
interface Receiver {
  readonly account: string
  readonly webhook: string
  readonly milliseconds: number
}

/** Lets time pass over a round of turns, a millisecond at a step; answers how many deliveries each subscription had accepted. */
const run = (receivers: ReadonlyArray<Receiver>, slots: Turns.Slots, duration: number) => {
  const turns = Turns.make(slots)
  const accepted = new Map(receivers.map(({ webhook }) => [webhook, 0]))
  const of = new Map(receivers.map((receiver) => [receiver.webhook, receiver]))
  let flying: Array<{ readonly webhook: string; readonly began: number }> = []
  const most = { quick: 0, slow: 0 }
  for (const { account, webhook } of receivers) turns.add(webhook, account, 0, true)
  for (let now = 0; now < duration; now++) {
    for (const turn of turns.plan()) {
      turns.claimed(turn, turn.count, false, undefined)
      for (let count = 0; count < turn.count; count++) flying.push({ began: now, webhook: turn.webhook })
    }
    most.quick = Math.max(most.quick, turns.used.quick)
    most.slow = Math.max(most.slow, turns.used.slow)
    for (const { began, webhook } of flying) if (now - began === Pace.slowAfter) turns.slowed(webhook)
    flying = flying.filter(({ began, webhook }) => {
      const { milliseconds } = of.get(webhook) ?? { milliseconds: 0 }
      if (now - began < Math.min(milliseconds, 15_000)) return true
      turns.ended(webhook, { accepted: milliseconds < 15_000, milliseconds: now - began }, now)
      if (milliseconds < 15_000) accepted.set(webhook, (accepted.get(webhook) ?? 0) + 1)
      return false
    })
  }
  return { accepted, most }
}

const receivers = (count: number, account: string, milliseconds: number): ReadonlyArray<Receiver> =>
  Array.from({ length: count }, (_, index) => ({ account, milliseconds, webhook: `${account}/${index}` }))

const slots = { quick: 32, slow: 128 }

describe("turns", () => {
  test("healthy receivers get as much beside hanging and slow ones as alone", () => {
    const healthy = Array.from({ length: 4 }, (_, index) => receivers(1, `healthy ${index}`, 5)).flat()
    const alone = run(healthy, slots, 8000)
    const hanging = Array.from({ length: 10 }, (_, index) =>
      receivers(5, `hanging ${index}`, Number.POSITIVE_INFINITY)
    ).flat()
    const beside = run([...healthy, ...hanging, ...receivers(20, "slow", 14_000)], slots, 8000)
    for (const { webhook } of healthy) {
      const [there, here] = [alone.accepted.get(webhook) ?? 0, beside.accepted.get(webhook) ?? 0]
      expect(here).toBeGreaterThan(there / 2)
    }
  })

  test("receivers alike get alike, whichever was first", () => {
    const { accepted } = run(receivers(50, "one", 7), slots, 1000)
    const counts = [...accepted.values()]
    expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(3)
  })

  test("an account has at most a quarter while others wait, and all when nobody does", () => {
    const many = receivers(20, "many", 20)
    const beside = run(
      [...many, ...Array.from({ length: 40 }, (_, i) => receivers(1, `few ${i}`, 20)).flat()],
      slots,
      1000
    )
    const sum = (accepted: ReadonlyMap<string, number>, account: string) =>
      [...accepted].filter(([webhook]) => webhook.startsWith(account)).reduce((all, [, count]) => all + count, 0)
    expect(sum(beside.accepted, "many")).toBeLessThan(
      0.4 * (sum(beside.accepted, "few") + sum(beside.accepted, "many"))
    )
    expect(sum(run(many, slots, 1000).accepted, "many")).toBeGreaterThan(32 * 30)
  })

  test("no pool is ever larger than it is, and what was granted comes back", () => {
    const speeds = fc.constantFrom(1, 3, 50, 700, 1500, Number.POSITIVE_INFINITY)
    const loads = fc.array(fc.record({ account: fc.constantFrom("a", "b", "c"), milliseconds: speeds }), {
      maxLength: 30
    })
    fc.assert(
      fc.property(loads, (load) => {
        const all = load.map((one, index) => ({ ...one, webhook: `${index}` }))
        const { most } = run(all, { quick: 8, slow: 8 }, 2500)
        return most.quick <= 8 && most.slow <= 8 + 8
      }),
      { numRuns: 30 }
    )
  })

  test("what is heard while a claim is on its way is not forgotten by a claim that came up short", () => {
    const turns = Turns.make(slots)
    turns.add("w", "a", 0, true)
    const [turn = { count: 0, since: "", webhook: "" }] = turns.plan()
    turns.add("w", "a", 0, false)
    turns.claimed(turn, 0, false, undefined)
    expect(turns.plan()).toHaveLength(1)
  })

  test("a claim that could not be made is given back", () => {
    const turns = Turns.make(slots)
    turns.add("w", "a", 0, true)
    const granted = turns.plan()
    expect([granted.length, turns.used.quick, turns.plan()]).toEqual([1, 1, []])
    turns.refused(granted)
    expect([turns.used.quick, turns.plan().length]).toEqual([0, 1])
  })

  test("who has nothing to do for a minute is forgotten", () => {
    const turns = Turns.make(slots)
    turns.add("w", "a", 1000, true)
    const [turn = { count: 0, since: "", webhook: "" }] = turns.plan()
    turns.claimed(turn, 0, false, "2026-01-01T00:00:00.000000+00:00")
    turns.forget(61_000)
    turns.add("w", "a", 61_000, false)
    expect(turns.plan()[0]?.since).toBe("2026-01-01T00:00:00.000000+00:00")
    turns.claimed(turn, 0, false, undefined)
    turns.forget(200_000)
    turns.add("w", "a", 200_000, false)
    expect(turns.plan()[0]?.since).toBe("-infinity")
  })
})
