import type * as FiberRef from "effect/FiberRef"
import { processRef } from "../schema/unsafe.ts"

/** The id of an account. */
type Account = string

/** A statement, or a transaction, is long after this many milliseconds: it may keep a processor of the server busy. */
const long = 100

/** How many short statements in succession widen a window by one connection. */
const widenAfter = 8

/** A window restarts after this many milliseconds without a statement, like TCP's after an idle period (RFC 5681, section 4.1). */
const restartAfter = 1000

/** An account counts as present for this many milliseconds after it asked for a connection. */
const presence = 30_000

interface Window {
  size: number
  /** Short statements since the last long one, or since the window was widened. */
  short: number
  /** When the running statements began, the earliest first. */
  readonly running: Array<number>
  /** Short statements do not widen the window until this time, because a long one has just ended. */
  narrowUntil: number
  /** When the last statement began or ended. */
  latest: number
}

/**
 * How many connections an account may have while other accounts are present: one at first, and one more after each eight short statements. An account gets no
 * further connection beside a long statement, and only one for as long again after it. So the database works on one long statement of an account at a time. All
 * times are milliseconds of the process. Pure state: nothing here waits or reads a clock.
 */
export const makeWindows = () => {
  const windows = new Map<Account, Window>()
  /** The account that asked last, and the last other account. */
  let last: { readonly account: Account; at: number } | undefined
  let lastOther: { readonly account: Account; at: number } | undefined

  const windowOf = (account: Account, now: number): Window => {
    const known = windows.get(account)
    if (known !== undefined) return known
    const window = { latest: now, narrowUntil: now, running: [], short: 0, size: 1 }
    windows.set(account, window)
    return window
  }

  return {
    /** Records that an account asks for a connection. */
    asks: (account: Account, now: number) => {
      if (last?.account === account) {
        last.at = now
        return
      }
      lastOther = last
      last = { account, at: now }
    },
    /** Whether another account has recently asked for a connection. */
    isContested: (account: Account, now: number): boolean => {
      const other = last?.account === account ? lastOther : last
      return other !== undefined && now - other.at < presence
    },
    /** Whether the account may have one more connection; `most` is its limit. */
    admits: (account: Account, most: number, now: number): boolean => {
      const window = windows.get(account)
      const [first] = window?.running ?? []
      if (window === undefined || first === undefined) return true
      return now - first < long && window.running.length < Math.min(window.size, most)
    },
    /** How many running statements of the account are long. */
    long: (account: Account, now: number): number =>
      windows.get(account)?.running.filter((began) => now - began >= long).length ?? 0,
    /** A connection was given to the account. */
    begins: (account: Account, now: number) => {
      const window = windowOf(account, now)
      window.running.push(now)
      window.latest = now
    },
    /** The account gave back a connection that it got at `began`. */
    ends: (account: Account, began: number, now: number) => {
      const window = windowOf(account, now)
      window.running.splice(window.running.indexOf(began), 1)
      window.latest = now
      if (now - began >= long) {
        window.narrowUntil = now + (now - began)
        window.size = 1
        window.short = 0
      } else if (now >= window.narrowUntil && ++window.short === widenAfter) {
        window.size++
        window.short = 0
      }
    },
    /** Forgets windows that were idle too long. */
    sweep: (now: number) => {
      for (const [account, { latest, narrowUntil, running }] of windows)
        if (running.length === 0 && now - latest >= restartAfter && now >= narrowUntil) windows.delete(account)
    }
  }
}

/** The owner of statements: the id of an account, or one of the shares below. */
export type Share = string

/** Checks of keys and readiness. One short statement at a time checks all waiting keys, and every request begins with a check. */
export const keys: Share = "keys"

/** Workers, periodic jobs and commands, which act for no caller. */
export const work: Share = "work"

/** How long an abandoned statement may run before it is cancelled, in milliseconds. Checks of keys get more time because they count requests and end soon. */
export const graceOf = (share: Share): number => (share === keys ? 5000 : 100)

const isAccount = (share: Share) => share !== keys && share !== work

/** The share of a fiber and its children. A request gets its account's share once its key is known. */
export const current: FiberRef.FiberRef<Share> = processRef(work)

/** How many connections of a pool each share may have. */
interface Limits {
  readonly size: number
  /** Limit of all shares but keys. */
  readonly others: number
  /** Limit of all accounts together. */
  readonly accounts: number
  /** Limit of one account while no other is present. For long statements the contested limit holds, because an arriving account would wait for them. */
  readonly alone: number
  /** Limit of one account while others are present: two accounts can take the limit of all accounts. */
  readonly contested: number
}

/** Accounts cannot take two connections of the pool, and workers cannot take one of the two. A pool of fewer than six keeps one, of fewer than three none. */
export const limitsOf = (size: number): Limits => {
  const kept = Math.min(2, Math.floor(size / 3))
  const accounts = size - kept
  return {
    accounts,
    alone: Math.max(1, Math.floor(size * 0.7)),
    contested: Math.ceil(accounts / 2),
    others: size - Math.min(1, kept),
    size
  }
}

/**
 * Decides which waiter gets a pool's next connection. Waiters take turns by share, and within a share they are served in order of arrival; checks of keys have
 * every second turn. All times are milliseconds of the process. Pure state: nothing here waits or reads a clock.
 */
export const make = <Waiter>(size: number) => {
  let limits = limitsOf(size)
  let busy = 0
  let busyAccounts = 0
  let busyKeys = 0
  let waiting = 0
  let keysAreNext = true
  const busyBy = new Map<Share, number>()
  /** The queues in the order of their turns. */
  const queues = new Map<Share, Set<Waiter>>()

  const windows = makeWindows()

  const mayHave = (share: Share, now: number) => {
    if (busy >= limits.size) return false
    const own = busyBy.get(share) ?? 0
    if (share === keys) return true
    if (busy - busyKeys >= limits.others) return false
    if (share === work) return true
    if (busyAccounts >= limits.accounts) return false
    if (windows.isContested(share, now)) return windows.admits(share, limits.contested, now)
    return own < limits.alone && windows.long(share, now) < limits.contested
  }

  const count = (share: Share, change: 1 | -1) => {
    busy += change
    if (share === keys) busyKeys += change
    if (!isAccount(share)) return
    busyAccounts += change
    const own = (busyBy.get(share) ?? 0) + change
    if (own === 0) busyBy.delete(share)
    else busyBy.set(share, own)
  }

  const give = (share: Share, now: number) => {
    count(share, 1)
    if (isAccount(share)) windows.begins(share, now)
  }

  const whoseTurn = (now: number): Share | undefined => {
    let ofOther: Share | undefined
    for (const share of queues.keys()) {
      if (!mayHave(share, now)) continue
      if ((share === keys) === keysAreNext) return share
      ofOther ??= share
    }
    return ofOther
  }

  return {
    /** Asks for a connection: true when one is free, else the waiter joins the queue of its share. */
    ask: (share: Share, waiter: Waiter, now: number): boolean => {
      if (isAccount(share)) windows.asks(share, now)
      if (mayHave(share, now)) {
        give(share, now)
        return true
      }
      const queue = queues.get(share)
      if (queue === undefined) queues.set(share, new Set([waiter]))
      else queue.add(waiter)
      waiting++
      return false
    },
    /** Puts a waiter whose connection could not be opened back at the head of its queue. */
    askAgain: (share: Share, waiter: Waiter) => {
      queues.set(share, new Set([waiter, ...(queues.get(share) ?? [])]))
      waiting++
    },
    /** Takes a waiter from its queue; others may then have a turn. */
    leave: (share: Share, waiter: Waiter) => {
      const queue = queues.get(share)
      if (queue?.delete(waiter) !== true) return
      waiting--
      if (queue.size === 0) queues.delete(share)
    },
    /** Gives back a connection that the share got at `began`. */
    giveBack: (share: Share, began: number, now: number) => {
      count(share, -1)
      if (isAccount(share)) windows.ends(share, began, now)
    },
    /** Gives the next waiter a connection; undefined when none may have one. Call it after each change until it returns undefined. */
    next: (now: number): Waiter | undefined => {
      if (waiting === 0) return undefined
      const share = whoseTurn(now)
      const queue = share === undefined ? undefined : queues.get(share)
      if (share === undefined || queue === undefined) return undefined
      const [waiter] = queue
      if (waiter === undefined) return undefined
      queue.delete(waiter)
      waiting--
      queues.delete(share)
      if (queue.size > 0) queues.set(share, queue)
      keysAreNext = share !== keys
      give(share, now)
      return waiter
    },
    /** Changes the number of connections. */
    resize: (size: number) => {
      if (size !== limits.size) limits = limitsOf(size)
    },
    /** Forgets accounts that send nothing. */
    sweep: windows.sweep,
    /** Whether every connection of the pool is taken. */
    isFull: () => busy >= limits.size,
    waiting: () => waiting
  }
}
