/** The id of an account. */
type Account = string

/** Milliseconds after which a statement, or a transaction, is long: it may keep a processor of the server busy. */
const long = 100

/** How many short statements in succession widen a window by one connection. */
const widenAfter = 8

/** Milliseconds without a statement after which a window starts anew, as TCP's does after an idle period (RFC 5681, section 4.1). */
const restartAfter = 1000

/** Milliseconds for which an account counts as present after it asked for a connection. */
const presence = 30_000

interface Window {
  size: number
  /** Short statements since the last long one, or since the window was widened. */
  short: number
  /** When the statements under way began, the first of them first. */
  readonly running: Array<number>
  /** Until when short statements do not widen the window, since a long one has just ended. */
  narrowUntil: number
  /** When the last statement began or ended. */
  latest: number
}

/**
 * How many connections an account may have while other accounts are present: one at first and one more after each eight short statements, but no further
 * one beside a long statement, and one again after it, for as long as it took. So the database works on one long statement of an account at a time, however many
 * are asked for. All times are milliseconds of the process. Pure state: nothing here waits or reads a clock.
 */
export const make = () => {
  const windows = new Map<Account, Window>()
  /** The account that asked last, and the one that asked last of all others. */
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
    /** Notes that an account asks for a connection. */
    asks: (account: Account, now: number) => {
      if (last?.account === account) {
        last.at = now
        return
      }
      lastOther = last
      last = { account, at: now }
    },
    /** Whether another account asked for a connection of late. */
    isContested: (account: Account, now: number): boolean => {
      const other = last?.account === account ? lastOther : last
      return other !== undefined && now - other.at < presence
    },
    /** Whether the account may have one more connection beside the ones it has, of which it may have `most` at once. */
    admits: (account: Account, most: number, now: number): boolean => {
      const window = windows.get(account)
      const [first] = window?.running ?? []
      if (window === undefined || first === undefined) return true
      return now - first < long && window.running.length < Math.min(window.size, most)
    },
    /** How many statements of the account under way are long. */
    long: (account: Account, now: number): number =>
      windows.get(account)?.running.filter((began) => now - began >= long).length ?? 0,
    /** A connection was given to the account. */
    begins: (account: Account, now: number) => {
      const window = windowOf(account, now)
      window.running.push(now)
      window.latest = now
    },
    /** The account gave a connection back that it got at `began`. */
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
