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

const takingTurns = () => {
  /** In the order of their turns. */
  const waiting = new Map<string, Set<() => void>>()
  let isScheduled = false

  const leave = (owner: string, goOn: () => void) => {
    const queue = waiting.get(owner)
    queue?.delete(goOn)
    if (queue?.size === 0) waiting.delete(owner)
  }

  const serve = () => {
    isScheduled = false
    const next = waiting.entries().next()
    if (next.done) return
    const [owner, queue] = next.value
    const [goOn] = queue
    waiting.delete(owner)
    if (goOn !== undefined) queue.delete(goOn)
    if (queue.size > 0) waiting.set(owner, queue)
    schedule()
    goOn?.()
  }

  const schedule = () => {
    if (isScheduled || waiting.size === 0) return
    isScheduled = true
    setImmediate(serve)
  }

  return (owner: string) =>
    Effect.async<void>((resume) => {
      const goOn = () => resume(Effect.void)
      const queue = waiting.get(owner)
      if (queue === undefined) waiting.set(owner, new Set([goOn]))
      else queue.add(goOn)
      schedule()
      return Effect.sync(() => leave(owner, goOn))
    })
}

/**
 * Waits for a turn of the owner. In each turn of the event loop one of all that wait in this process goes on, and owners follow each other, however many of one
 * owner wait: so requests that do their work without a statement, whose turns would make room, delay others by one of them at a time.
 */
export const turnOf = takingTurns()
