/** Maximum concurrent attempts of a process to one subscription, and whether its endpoint is slow. */
interface ConcurrencyWindow {
  readonly size: number
  readonly slow: boolean
}

/** The result of one attempt for the window. */
interface AttemptResult {
  readonly accepted: boolean
  readonly milliseconds: number
}

/** Maximum concurrent attempts to one subscription with a quick endpoint. */
export const most = 64

/** Milliseconds up to which a response is quick, and above which it is slow. */
const quick = 500
export const slowAfter = 1000

/** A new endpoint gets one attempt. */
export const initial: ConcurrencyWindow = { size: 1, slow: false }

/** One more after each quick acceptance, which doubles the window in a round trip; half after a slow response or a failure. */
export const after = ({ size }: ConcurrencyWindow, { accepted, milliseconds }: AttemptResult): ConcurrencyWindow => {
  if (accepted && milliseconds <= quick) return { size: Math.min(most, size + 1), slow: false }
  if (accepted && milliseconds <= slowAfter) return { size, slow: false }
  return { size: Math.max(1, Math.floor(size / 2)), slow: true }
}

/** Deliveries granted to a subscription: `count` deliveries that became due at `since` or later. */
export interface Grant {
  readonly webhook: string
  readonly count: number
  readonly since: string
}

/** Maximum concurrent attempts, to quick endpoints and to slow or failing ones. */
export interface Limits {
  readonly quick: number
  readonly slow: number
}
type Pool = keyof Limits

/** A process's state of a subscription. */
export interface Entry {
  readonly account: string
  readonly window: ConcurrencyWindow
  readonly inFlight: number
  readonly pool: Pool
  /** Whether its last attempt was accepted, and not slowly. */
  readonly proven: boolean
  /** Whether it may have due deliveries. */
  readonly due: boolean
  /** Whether a delivery became due after its last grant. */
  readonly heard: boolean
  readonly since: string
  readonly usedAt: number
}

const ever = "-infinity"

/** Milliseconds to remember a subscription without work. */
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

/** The free room of a window; a large window is refilled by quarters, so one claim serves many attempts. */
const roomOf = ({ inFlight, window: { size } }: Entry): number =>
  size - inFlight >= Math.max(1, Math.floor(size / 4)) ? size - inFlight : 0

/** A limit on the attempts with one key. */
interface Limit {
  readonly key: string
  readonly most: number
}

/** Every attempt counts against its pool; a quarter of the quick pool is reserved for proven endpoints. */
const limitsOf = ({ pool, proven }: Entry, limits: Limits): ReadonlyArray<Limit> => [
  { key: pool, most: limits[pool] },
  ...(pool === "quick" && !proven ? [{ key: "probation", most: Math.ceil((limits.quick * 3) / 4) }] : [])
]

/** An account has a quarter of a pool, and more only if the others leave some. */
const shareOf = ({ account, pool }: Entry, limits: Limits): Limit => ({
  key: `${pool} ${account}`,
  most: Math.ceil(limits[pool] / 4)
})

/** Maximum attempts to unproven endpoints in one grant: a thousand of them must not start before the next quick one. */
const unproven: Limit = { key: "unproven", most: 16 }

/**
 * The grants of free slots, in the order of the round. Subscriptions get one delivery each in turn, never by age over all of them: first within the accounts'
 * shares, then the rest of the slots.
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

/** The subscriptions of one process and their turns: `grant` over the results of their claims and attempts. */
export const make = (limits: Limits) => {
  const entries = new Map<string, Entry>()
  const used: Record<Pool, number> = { quick: 0, slow: 0 }

  const put = (webhook: string, entry: Entry) => {
    const before = entries.get(webhook)
    if (before !== undefined) used[before.pool] -= before.inFlight
    used[entry.pool] += entry.inFlight
    entries.set(webhook, entry)
  }
  /** Changes the state of a remembered subscription. */
  const update = (webhook: string, change: (entry: Entry) => Partial<Entry>) => {
    const entry = entries.get(webhook)
    if (entry !== undefined) put(webhook, { ...entry, ...change(entry) })
  }

  /** Notes that a subscription has due deliveries; `afresh` after reading the queue itself, rather than hearing a notification. */
  const add = (webhook: string, account: string, now: number, afresh: boolean) => {
    const known = entries.get(webhook) ?? unknown(account)
    put(webhook, { ...known, due: true, heard: true, usedAt: now, since: afresh ? ever : known.since })
  }

  /** Grants free slots; a subscription with a grant goes to the end of the round. */
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

  /** Notes that a claim found `got` of the granted deliveries, the last of them due at `last`; fewer than granted means that no more are due. */
  const claimed = ({ count, webhook }: Grant, got: number, failing: boolean, last: string | undefined) =>
    update(webhook, ({ heard, inFlight, pool, since }) => ({
      due: got === count || heard,
      inFlight: inFlight - count + got,
      pool: failing ? "slow" : pool,
      since: last ?? since
    }))

  /** Returns the grants of a failed claim, which are due as before. */
  const refused = (granted: ReadonlyArray<Grant>) => {
    for (const { count, webhook } of granted) {
      update(webhook, ({ inFlight }) => ({ due: true, inFlight: inFlight - count }))
    }
  }

  const fitsSlow = (inFlight: number) => used.slow + inFlight <= limits.slow

  /** Marks the subscription of a long attempt as slow, if the slow pool has room for its attempts. */
  const slowed = (webhook: string) =>
    update(webhook, ({ inFlight, window: { size } }) =>
      fitsSlow(inFlight) ? { pool: "slow", window: { size: Math.min(size, inFlight), slow: true } } : {}
    )

  /** Notes the end of an attempt. */
  const ended = (webhook: string, result: AttemptResult, now: number) =>
    update(webhook, (entry) => {
      const inFlight = entry.inFlight - 1
      const window = after(entry.window, result)
      const pool = !window.slow ? "quick" : fitsSlow(inFlight) ? "slow" : entry.pool
      return { inFlight, pool, proven: !window.slow, usedAt: now, window }
    })

  /** Forgets subscriptions without work for a minute. */
  const forget = (now: number) => {
    for (const [webhook, { due, inFlight, usedAt }] of entries) {
      if (!due && inFlight === 0 && now - usedAt > remembered) entries.delete(webhook)
    }
  }

  /** Number of subscriptions that may have due deliveries. */
  const wanting = () => [...entries.values()].filter(({ due }) => due).length

  return { add, claimed, ended, forget, plan, refused, slowed, used, wanting }
}
export type FairScheduler = ReturnType<typeof make>
