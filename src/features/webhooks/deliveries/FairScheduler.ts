/** How many attempts a process may have under way to one subscription, and whether its receiver is kept apart from quick ones. */
interface ConcurrencyWindow {
  readonly size: number
  readonly slow: boolean
}

/** One attempt, as it bears on the window. */
interface AttemptResult {
  readonly accepted: boolean
  readonly milliseconds: number
}

/** Attempts under way at once to one subscription at most, however quick its receiver is. */
export const most = 64

/** An answer within this time is quick; one that takes longer than the second is slow. */
const quick = 500
export const slowAfter = 1000

/** A receiver that is not known yet gets one attempt. */
export const initial: ConcurrencyWindow = { size: 1, slow: false }

/** One more after each quick acceptance, which doubles the window in a round trip; half as many after a slow answer or a failure. */
export const after = ({ size }: ConcurrencyWindow, { accepted, milliseconds }: AttemptResult): ConcurrencyWindow => {
  if (accepted && milliseconds <= quick) return { size: Math.min(most, size + 1), slow: false }
  if (accepted && milliseconds <= slowAfter) return { size, slow: false }
  return { size: Math.max(1, Math.floor(size / 2)), slow: true }
}

/** Deliveries granted to a subscription: `count` of those that became due at `since` or later. */
export interface Grant {
  readonly webhook: string
  readonly count: number
  readonly since: string
}

/** Attempts under way at once, to quick receivers and to those that are slow or fail. */
export interface Limits {
  readonly quick: number
  readonly slow: number
}
type Pool = keyof Limits

/** What a process knows of a subscription. */
export interface Entry {
  readonly account: string
  readonly window: ConcurrencyWindow
  readonly inFlight: number
  readonly pool: Pool
  /** Whether its last attempt was accepted, and not slowly. */
  readonly proven: boolean
  /** Whether something may be due for it. */
  readonly due: boolean
  /** Whether something became due after its last grant. */
  readonly heard: boolean
  readonly since: string
  readonly usedAt: number
}

const ever = "-infinity"

/** How long a subscription without work is remembered, in milliseconds. */
const remembered = 60_000

const unknown = (account: string): Entry => ({
  account,
  due: false,
  heard: false,
  inFlight: 0,
  pool: "quick",
  proven: false,
  since: ever,
  usedAt: 0,
  window: initial
})

/** A large window is refilled by quarters, so that one claim serves many. */
const roomOf = ({ inFlight, window: { size } }: Entry): number =>
  size - inFlight >= Math.max(1, Math.floor(size / 4)) ? size - inFlight : 0

/** A limit on attempts: what counts against it, and how many of these there may be. */
interface Limit {
  readonly key: string
  readonly most: number
}

/** Every attempt counts against its pool; a quarter of the quick pool is left to receivers that are proven. */
const limitsOf = ({ pool, proven }: Entry, limits: Limits): ReadonlyArray<Limit> => [
  { key: pool, most: limits[pool] },
  ...(pool === "quick" && !proven ? [{ key: "probation", most: Math.ceil((limits.quick * 3) / 4) }] : [])
]

/** An account has a quarter of a pool, and more only of what the others leave over. */
const shareOf = ({ account, pool }: Entry, limits: Limits): Limit => ({
  key: `${pool} ${account}`,
  most: Math.ceil(limits[pool] / 4)
})

/** Attempts to unproven receivers in one grant: a thousand of them must not begin before the next quick one. */
const unproven: Limit = { key: "unproven", most: 16 }

/**
 * The grants of free slots, in the order of the round. Each subscription gets one delivery in turn, never by age over all of them; first within the
 * shares of the accounts, and then what the others leave over.
 */
export const grant = (entries: ReadonlyMap<string, Entry>, limits: Limits): ReadonlyArray<Grant> => {
  const counts = new Map<string, number>()
  const add = (all: ReadonlyArray<Limit>, more: number) => {
    for (const { key } of all) counts.set(key, (counts.get(key) ?? 0) + more)
  }
  for (const entry of entries.values()) {
    if (entry.inFlight > 0) add([...limitsOf(entry, limits), shareOf(entry, limits)], entry.inFlight)
  }
  const granted = new Map<string, number>()
  const wanting = [...entries].filter(([, entry]) => entry.due && roomOf(entry) > 0)
  for (const shared of [true, false]) {
    let left = wanting.map(([webhook, entry]) => ({
      binding: [
        ...limitsOf(entry, limits),
        ...(shared ? [shareOf(entry, limits)] : []),
        ...(entry.proven ? [] : [unproven])
      ],
      room: roomOf(entry),
      webhook
    }))
    while (left.length > 0) {
      left = left.filter(({ binding, room, webhook }) => {
        const already = granted.get(webhook) ?? 0
        if (already >= room || binding.some(({ key, most }) => (counts.get(key) ?? 0) >= most)) return false
        add(binding, 1)
        granted.set(webhook, already + 1)
        return true
      })
    }
  }
  return [...granted].map(([webhook, count]) => ({ count, since: entries.get(webhook)?.since ?? ever, webhook }))
}

/** The subscriptions of one process and their turns: `grant` over what their claims and attempts have shown so far. */
export const make = (limits: Limits) => {
  const entries = new Map<string, Entry>()
  const used: Record<Pool, number> = { quick: 0, slow: 0 }

  const put = (webhook: string, entry: Entry) => {
    const before = entries.get(webhook)
    if (before !== undefined) used[before.pool] -= before.inFlight
    used[entry.pool] += entry.inFlight
    entries.set(webhook, entry)
  }
  /** Changes what is known of a subscription that is not forgotten. */
  const update = (webhook: string, change: (entry: Entry) => Partial<Entry>) => {
    const entry = entries.get(webhook)
    if (entry !== undefined) put(webhook, { ...entry, ...change(entry) })
  }

  /** Something is due for a subscription; `afresh` when the queue itself was read, and not only a notification heard. */
  const add = (webhook: string, account: string, now: number, afresh: boolean) => {
    const known = entries.get(webhook) ?? unknown(account)
    put(webhook, { ...known, due: true, heard: true, usedAt: now, since: afresh ? ever : known.since })
  }

  /** Grants what is free; a subscription that is granted something goes to the end of the round. */
  const plan = (): ReadonlyArray<Grant> => {
    const granted = grant(entries, limits)
    for (const { count, webhook } of granted) {
      update(webhook, ({ inFlight }) => ({ heard: false, inFlight: inFlight + count }))
      const entry = entries.get(webhook)
      if (entry === undefined) continue
      entries.delete(webhook)
      entries.set(webhook, entry)
    }
    return granted
  }

  /** A claim found `got` of what was granted, the last of them due at `last`; fewer than granted means that no more is due. */
  const claimed = ({ count, webhook }: Grant, got: number, failing: boolean, last: string | undefined) =>
    update(webhook, ({ heard, inFlight, pool, since }) => ({
      due: got === count || heard,
      inFlight: inFlight - count + got,
      pool: failing ? "slow" : pool,
      since: last ?? since
    }))

  /** The claim failed: what was granted is given back, and is as due as before. */
  const refused = (granted: ReadonlyArray<Grant>) => {
    for (const { count, webhook } of granted) {
      update(webhook, ({ inFlight }) => ({ due: true, inFlight: inFlight - count }))
    }
  }

  const fitsSlow = (inFlight: number) => used.slow + inFlight <= limits.slow

  /** An attempt has been under way for long: its subscription is slow from now on, if the slow pool has room for its attempts. */
  const slowed = (webhook: string) =>
    update(webhook, ({ inFlight, window: { size } }) =>
      fitsSlow(inFlight) ? { pool: "slow", window: { size: Math.min(size, inFlight), slow: true } } : {}
    )

  /** An attempt has ended. */
  const ended = (webhook: string, result: AttemptResult, now: number) =>
    update(webhook, (entry) => {
      const inFlight = entry.inFlight - 1
      const window = after(entry.window, result)
      const pool = !window.slow ? "quick" : fitsSlow(inFlight) ? "slow" : entry.pool
      return { inFlight, pool, proven: !window.slow, usedAt: now, window }
    })

  /** Forgets subscriptions that have had nothing to do for a minute. */
  const forget = (now: number) => {
    for (const [webhook, { due, inFlight, usedAt }] of entries) {
      if (!due && inFlight === 0 && now - usedAt > remembered) entries.delete(webhook)
    }
  }

  /** Subscriptions for which something may be due. */
  const wanting = () => [...entries.values()].filter(({ due }) => due).length

  return { add, claimed, ended, forget, plan, refused, slowed, used, wanting }
}
export type FairScheduler = ReturnType<typeof make>
