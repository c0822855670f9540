/** Platform adapter: turns of the runtime's event loop. Between turns, long work lets the rest of its process run. */
import * as Effect from "effect/Effect"
import { pause } from "../schema/Steps.ts"

/** Waits until pending input was read and due timers have run. */
const endOfTurn = Effect.async<void>((resume) => {
  const next = setImmediate(() => resume(Effect.void))
  return Effect.sync(() => clearImmediate(next))
})

/** The longest turn of an idle event loop, in milliseconds. */
const idle = 0.3

/** Others count as present for this many milliseconds after a turn with work of theirs. */
const presence = 100

let othersAt = Number.NEGATIVE_INFINITY

/** Waits for a turn, and for a timer while others are present: others get about the time of a block of long work. */
const untilOthersHadTheirs = Effect.suspend(() => {
  const began = performance.now()
  return Effect.flatMap(endOfTurn, () => {
    const now = performance.now()
    if (now - began >= idle) othersAt = now
    return now - othersAt < presence ? Effect.sleep(0) : Effect.void
  })
})

/** Runs the program of a process without others to delay, a command or a crawl's process: long work waits only for the end of the turn between two blocks. */
export const unshared = <A, E, R>(program: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.locally(program, pause, endOfTurn)

/** Runs the program of a process that serves others: between two blocks, long work gives present others their time. */
export const shared = <A, E, R>(program: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.locally(program, pause, untilOthersHadTheirs)

/** Waiters that take turns by owner, no matter how many wait for one owner. Waiters of one owner are served first come, first served. */
export const inTurns = <Waiter>() => {
  /** The owners' queues in the order of their turns. */
  const waiting = new Map<string, Set<Waiter>>()
  return {
    /** Adds a waiter, and returns the function that takes the waiter out. */
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
    /** Takes out the next waiters, `most` at most. */
    take: (most: number): ReadonlyArray<Waiter> => {
      const taken: Array<Waiter> = []
      for (const [owner, queue] of waiting) {
        const [next] = queue
        waiting.delete(owner)
        if (next !== undefined) {
          taken.push(next)
          queue.delete(next)
        }
        // Moves the owner behind all others; the loop reaches it again.
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
 * Waits for a turn of the owner. Each turn of the event loop resumes one waiter of the process, and owners alternate. Requests without a statement, which would
 * pause them, so delay other requests by one at a time.
 */
export const turnOf = takingTurns()
