/** Platform adapter: turns of the runtime's event loop, in which long work makes room for the rest of its process. */
import * as Effect from "effect/Effect"
import { pause } from "../schema/Steps.ts"

/** Until pending input was read and timers that are due ran. */
const endOfTurn = Effect.async<void>((resume) => {
  const next = setImmediate(() => resume(Effect.void))
  return Effect.sync(() => clearImmediate(next))
})

/** Milliseconds that a turn of the event loop takes in which nothing else was to do. */
const idle = 0.3

/** Milliseconds for which others count as present after a turn in which they had work. */
const presence = 100

let othersAt = Number.NEGATIVE_INFINITY

/** A turn, and a timer more while others are present: they get about as long as a block of long work took. */
const untilOthersHadTheirs = Effect.suspend(() => {
  const began = performance.now()
  return Effect.flatMap(endOfTurn, () => {
    const now = performance.now()
    if (now - began >= idle) othersAt = now
    return now - othersAt < presence ? Effect.sleep(0) : Effect.void
  })
})

/** Runs the program of a process in which long work delays no others, a command or a crawl's process: between two blocks it waits for nothing. */
export const unshared = <A, E, R>(program: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.locally(program, pause, endOfTurn)

/** Runs the program of a process that serves others: between two blocks long work waits for others as long as there are any. */
export const shared = <A, E, R>(program: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.locally(program, pause, untilOthersHadTheirs)

/** Waiters who take turns by owner, however many of one owner wait; those of one owner in the order in which they came. */
export const inTurns = <Waiter>() => {
  /** In the order of their turns. */
  const waiting = new Map<string, Set<Waiter>>()
  return {
    /** Has somebody wait, who has not left yet; the answer takes the waiter out. */
    join: (owner: string, waiter: Waiter) => {
      const queue = waiting.get(owner)
      if (queue === undefined) waiting.set(owner, new Set([waiter]))
      else queue.add(waiter)
      return () => {
        const queue = waiting.get(owner)
        queue?.delete(waiter)
        if (queue?.size === 0) waiting.delete(owner)
      }
    },
    /** Takes out those whose turn is next, at most so many. */
    take: (most: number): ReadonlyArray<Waiter> => {
      const taken: Array<Waiter> = []
      for (const [owner, queue] of waiting) {
        const [next] = queue
        waiting.delete(owner)
        if (next !== undefined) {
          taken.push(next)
          queue.delete(next)
        }
        // Behind all others: the loop comes to it again.
        if (queue.size > 0) waiting.set(owner, queue)
        if (taken.length === most) break
      }
      return taken
    },
    isEmpty: () => waiting.size === 0
  }
}

const takingTurns = () => {
  const waiting = inTurns<() => void>()
  let isScheduled = false

  const serve = () => {
    isScheduled = false
    const [goOn] = waiting.take(1)
    schedule()
    goOn?.()
  }

  const schedule = () => {
    if (isScheduled || waiting.isEmpty()) return
    isScheduled = true
    setImmediate(serve)
  }

  return (owner: string) =>
    Effect.async<void>((resume) => {
      const leave = waiting.join(owner, () => resume(Effect.void))
      schedule()
      return Effect.sync(leave)
    })
}

/**
 * Waits for a turn of the owner. In each turn of the event loop one of all that wait in this process goes on, and owners follow each other, however many of one
 * owner wait: so requests that do their work without a statement, whose turns would make room, delay others by one of them at a time.
 */
export const turnOf = takingTurns()
