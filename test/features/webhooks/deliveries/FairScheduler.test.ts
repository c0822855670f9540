import { describe, expect, test } from "bun:test"
import * as fc from "fast-check"
import * as FairScheduler from "../../../../src/features/webhooks/deliveries/FairScheduler.ts"

/** An endless load: every webhook always has more deliveries, and each endpoint responds after a number of milliseconds, or never. */
interface Receiver {
  readonly account: string
  readonly webhook: string
  readonly milliseconds: number
}

/** Runs a scheduler millisecond by millisecond; returns the successful deliveries of each webhook. */
const run = (receivers: ReadonlyArray<Receiver>, limits: FairScheduler.Limits, duration: number) => {
  const scheduler = FairScheduler.make(limits)
  const accepted = new Map(receivers.map(({ webhook }) => [webhook, 0]))
  const of = new Map(receivers.map((receiver) => [receiver.webhook, receiver]))
  let flying: Array<{ readonly webhook: string; readonly began: number }> = []
  const most = { quick: 0, slow: 0 }
  for (const { account, webhook } of receivers) scheduler.add(webhook, account, 0, true)
  for (let now = 0; now < duration; now++) {
    for (const granted of scheduler.plan()) {
      scheduler.claimed(granted, granted.count, false, undefined)
      for (let count = 0; count < granted.count; count++) flying.push({ began: now, webhook: granted.webhook })
    }
    most.quick = Math.max(most.quick, scheduler.used.quick)
    most.slow = Math.max(most.slow, scheduler.used.slow)
    for (const { began, webhook } of flying) if (now - began === FairScheduler.slowAfter) scheduler.slowed(webhook)
    flying = flying.filter(({ began, webhook }) => {
      const { milliseconds } = of.get(webhook) ?? { milliseconds: 0 }
      if (now - began < Math.min(milliseconds, 15_000)) return true
      scheduler.ended(webhook, { accepted: milliseconds < 15_000, milliseconds: now - began }, now)
      if (milliseconds < 15_000) accepted.set(webhook, (accepted.get(webhook) ?? 0) + 1)
      return false
    })
  }
  return { accepted, most }
}

const receivers = (count: number, account: string, milliseconds: number): ReadonlyArray<Receiver> =>
  Array.from({ length: count }, (_, index) => ({ account, milliseconds, webhook: `${account}/${index}` }))

const limits = { quick: 32, slow: 128 }

describe("the fair scheduler", () => {
  test("serves healthy endpoints beside hanging and slow ones as often as alone", () => {
    const healthy = Array.from({ length: 4 }, (_, index) => receivers(1, `healthy ${index}`, 5)).flat()
    const alone = run(healthy, limits, 8000)
    const hanging = Array.from({ length: 10 }, (_, index) =>
      receivers(5, `hanging ${index}`, Number.POSITIVE_INFINITY)
    ).flat()
    const beside = run([...healthy, ...hanging, ...receivers(20, "slow", 14_000)], limits, 8000)
    for (const { webhook } of healthy) {
      const [there, here] = [alone.accepted.get(webhook) ?? 0, beside.accepted.get(webhook) ?? 0]
      expect(here).toBeGreaterThan(there / 2)
    }
  })

  test("serves equal endpoints equally, in any order of arrival", () => {
    const { accepted } = run(receivers(50, "one", 7), limits, 1000)
    const counts = [...accepted.values()]
    expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(3)
  })

  test("gives an account at most a quarter of the pool while others wait, and all of it otherwise", () => {
    const many = receivers(20, "many", 20)
    const beside = run(
      [...many, ...Array.from({ length: 40 }, (_, i) => receivers(1, `few ${i}`, 20)).flat()],
      limits,
      1000
    )
    const sum = (accepted: ReadonlyMap<string, number>, account: string) =>
      [...accepted].filter(([webhook]) => webhook.startsWith(account)).reduce((all, [, count]) => all + count, 0)
    expect(sum(beside.accepted, "many")).toBeLessThan(
      0.4 * (sum(beside.accepted, "few") + sum(beside.accepted, "many"))
    )
    expect(sum(run(many, limits, 1000).accepted, "many")).toBeGreaterThan(32 * 30)
  })

  test("never exceeds a pool, and takes every slot back", () => {
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

  test("remembers a delivery added during a claim that found fewer deliveries", () => {
    const scheduler = FairScheduler.make(limits)
    scheduler.add("w", "a", 0, true)
    const [granted = { count: 0, since: "", webhook: "" }] = scheduler.plan()
    scheduler.add("w", "a", 0, false)
    scheduler.claimed(granted, 0, false, undefined)
    expect(scheduler.plan()).toHaveLength(1)
  })

  test("takes back the slots of a failed claim", () => {
    const scheduler = FairScheduler.make(limits)
    scheduler.add("w", "a", 0, true)
    const granted = scheduler.plan()
    expect([granted.length, scheduler.used.quick, scheduler.plan()]).toEqual([1, 1, []])
    scheduler.refused(granted)
    expect([scheduler.used.quick, scheduler.plan().length]).toEqual([0, 1])
  })

  test("forgets a webhook without deliveries after a minute", () => {
    const scheduler = FairScheduler.make(limits)
    scheduler.add("w", "a", 1000, true)
    const [granted = { count: 0, since: "", webhook: "" }] = scheduler.plan()
    scheduler.claimed(granted, 0, false, "2026-01-01T00:00:00.000000+00:00")
    scheduler.forget(61_000)
    scheduler.add("w", "a", 61_000, false)
    expect(scheduler.plan()[0]?.since).toBe("2026-01-01T00:00:00.000000+00:00")
    scheduler.claimed(granted, 0, false, undefined)
    scheduler.forget(200_000)
    scheduler.add("w", "a", 200_000, false)
    expect(scheduler.plan()[0]?.since).toBe("-infinity")
  })
})

describe("a grant of slots", () => {
  const entry = (change: Partial<FairScheduler.Entry> = {}): FairScheduler.Entry => ({
    account: "a",
    due: true,
    heard: false,
    inFlight: 0,
    pool: "quick",
    proven: true,
    since: "-infinity",
    usedAt: 0,
    window: { size: 8, slow: false },
    ...change
  })
  const counts = (entries: ReadonlyArray<FairScheduler.Entry>, limits: FairScheduler.Limits) =>
    FairScheduler.grant(new Map(entries.map((one, index) => [`${index}`, one])), limits).map(({ count }) => count)

  test("gives one delivery to each endpoint in turn while slots are scarce", () => {
    expect(counts([entry(), entry({ account: "b" }), entry({ account: "c" })], { quick: 7, slow: 7 })).toEqual([
      3, 2, 2
    ])
  })

  test("reserves a quarter of the quick pool for proven endpoints", () => {
    const unproven = Array.from({ length: 16 }, (_, index) => entry({ account: `${index}`, proven: false }))
    expect(counts(unproven, { quick: 8, slow: 8 })).toEqual([1, 1, 1, 1, 1, 1])
  })

  test("begins at most sixteen attempts to unproven endpoints", () => {
    const unproven = Array.from({ length: 50 }, (_, index) => entry({ account: `${index}`, proven: false }))
    expect(counts(unproven, { quick: 1000, slow: 1000 })).toHaveLength(16)
  })

  test("refills a large window by quarters", () => {
    const of = (inFlight: number) =>
      counts([entry({ inFlight, window: { size: 64, slow: false } })], { quick: 256, slow: 256 })
    expect([of(49), of(48)]).toEqual([[], [16]])
  })

  test("counts attempts in flight, and does not change its input", () => {
    const entries = new Map([["w", Object.freeze(entry({ inFlight: 3 }))]])
    expect(FairScheduler.grant(entries, { quick: 5, slow: 5 })).toEqual([
      { count: 2, since: "-infinity", webhook: "w" }
    ])
    expect(FairScheduler.grant(entries, { quick: 5, slow: 5 })).toHaveLength(1)
  })
})
