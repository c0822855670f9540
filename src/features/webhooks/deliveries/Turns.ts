import * as Pace from "./Pace.ts"

/** Deliveries that a subscription is granted: so many, of those that became due at `since` or later. */
export interface Turn {
  readonly webhook: string
  readonly count: number
  readonly since: string
}

/** Attempts under way at once, to quick receivers and to those that are slow or fail. */
export interface Slots {
  readonly quick: number
  readonly slow: number
}
type Pool = keyof Slots

interface Entry {
  readonly account: string
  pace: Pace.Pace
  inFlight: number
  pool: Pool
  /** Whether it has accepted anything quickly in the time that is remembered. */
  proven: boolean
  /** Something may be due for it; and whether that was heard since it was asked for the last time. */
  due: boolean
  heard: boolean
  since: string
  usedAt: number
}

const ever = "-infinity"

/** How long a subscription without work is remembered, in milliseconds. */
const remembered = 60_000

/** Attempts to receivers that have not shown that they are quick which one plan grants: a thousand of them must not be begun before the next quick one. */
const gradually = 16

/** A large window is refilled by quarters, so that one claim serves many. */
const roomOf = ({ inFlight, pace: { window } }: Entry): number =>
  window - inFlight >= Math.max(1, Math.floor(window / 4)) ? window - inFlight : 0

/**
 * Whose turn it is, in one process. Turns go round the subscriptions, one delivery at a time while slots are scarce, never by age over all of them; an
 * account gets more than a quarter of a pool only while nobody else wants it; who is slow or fails has a pool apart.
 */
export const make = (slots: Slots) => {
  const entries = new Map<string, Entry>()
  const used: Record<Pool, number> = { quick: 0, slow: 0 }
  const usedBy = new Map<string, number>()
  const share: Slots = { quick: Math.ceil(slots.quick / 4), slow: Math.ceil(slots.slow / 4) }

  /** A quarter of the quick pool is for receivers that have shown that they are quick. */
  const probation = Math.ceil((slots.quick * 3) / 4)
  const isOnProbation = ({ pool, proven }: Entry) => pool === "quick" && !proven

  const shareOf = (account: string, pool: Pool) => `${pool} ${account}`
  const take = ({ account }: Entry, pool: Pool, count: number) => {
    used[pool] += count
    const left = (usedBy.get(shareOf(account, pool)) ?? 0) + count
    if (left === 0) usedBy.delete(shareOf(account, pool))
    else usedBy.set(shareOf(account, pool), left)
  }
  const move = (entry: Entry, to: Pool) => {
    if (entry.pool === to) return
    take(entry, entry.pool, -entry.inFlight)
    entry.pool = to
    take(entry, to, entry.inFlight)
  }

  /** Something is due for a subscription; `afresh` when the queue was looked at for it, and not only a notification heard. */
  const add = (webhook: string, account: string, now: number, afresh: boolean) => {
    const known = entries.get(webhook)
    const entry = known ?? {
      account,
      due: false,
      heard: false,
      inFlight: 0,
      pace: Pace.initial,
      pool: "quick",
      proven: false,
      since: ever,
      usedAt: now
    }
    if (known === undefined) entries.set(webhook, entry)
    entry.due = true
    entry.heard = true
    entry.usedAt = now
    if (afresh) entry.since = ever
  }

  /** Grants what is free, from the front of the round; who is granted something goes to its end. */
  const plan = (): ReadonlyArray<Turn> => {
    const granted = new Map<string, number>()
    let unproven = 0
    let begun = 0
    for (const entry of entries.values()) if (isOnProbation(entry)) unproven += entry.inFlight
    const pass = (wanting: Array<[string, Entry]>, mayTake: (entry: Entry) => boolean) => {
      let left = wanting
      while (left.length > 0) {
        left = left.filter(([webhook, entry]) => {
          const count = granted.get(webhook) ?? 0
          if (count >= roomOf(entry) || used[entry.pool] >= slots[entry.pool] || !mayTake(entry)) return false
          if (!entry.proven && begun >= gradually) return false
          if (isOnProbation(entry) && unproven++ >= probation) return false
          if (!entry.proven) begun++
          granted.set(webhook, count + 1)
          take(entry, entry.pool, 1)
          return true
        })
      }
    }
    const wanting = [...entries].filter(([, entry]) => entry.due && roomOf(entry) > 0)
    pass(wanting, ({ account, pool }) => (usedBy.get(shareOf(account, pool)) ?? 0) < share[pool])
    pass(wanting, () => true)
    return [...granted].flatMap(([webhook, count]) => {
      const entry = entries.get(webhook)
      if (entry === undefined) return []
      entry.inFlight += count
      entry.heard = false
      entries.delete(webhook)
      entries.set(webhook, entry)
      return [{ count, since: entry.since, webhook }]
    })
  }

  /** So many of what was granted were there, the last of them due at that time; nothing more is due when it were fewer. */
  const claimed = ({ count, webhook }: Turn, got: number, failing: boolean, last: string | undefined) => {
    const entry = entries.get(webhook)
    if (entry === undefined) return
    entry.inFlight -= count - got
    take(entry, entry.pool, got - count)
    entry.due = got === count || entry.heard
    if (last !== undefined) entry.since = last
    if (failing) move(entry, "slow")
  }

  /** The claim could not be made: what was granted is given back, and is as due as before. */
  const refused = (granted: ReadonlyArray<Turn>) => {
    for (const turn of granted) {
      claimed(turn, 0, false, undefined)
      const entry = entries.get(turn.webhook)
      if (entry !== undefined) entry.due = true
    }
  }

  /** An attempt has been under way for long: its subscription is slow from now on, if there is room for its attempts among the slow. */
  const slowed = (webhook: string) => {
    const entry = entries.get(webhook)
    if (entry === undefined || used.slow + entry.inFlight > slots.slow) return
    entry.pace = { slow: true, window: Math.min(entry.pace.window, entry.inFlight) }
    move(entry, "slow")
  }

  /** An attempt has ended. */
  const ended = (webhook: string, told: Pace.Told, now: number) => {
    const entry = entries.get(webhook)
    if (entry === undefined) return
    entry.inFlight--
    take(entry, entry.pool, -1)
    entry.pace = Pace.after(entry.pace, told)
    entry.proven = !entry.pace.slow
    entry.usedAt = now
    if (!entry.pace.slow) move(entry, "quick")
    else if (used.slow + entry.inFlight <= slots.slow) move(entry, "slow")
  }

  /** Forgets who has had nothing to do for a minute. */
  const forget = (now: number) => {
    for (const [webhook, { due, inFlight, usedAt }] of entries) {
      if (!due && inFlight === 0 && now - usedAt > remembered) entries.delete(webhook)
    }
  }

  /** Subscriptions for which something may be due. */
  const wanting = () => [...entries.values()].filter(({ due }) => due).length

  return { add, claimed, ended, forget, plan, refused, slowed, used, wanting }
}
export type Turns = ReturnType<typeof make>
