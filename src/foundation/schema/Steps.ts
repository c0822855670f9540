import * as Effect from "effect/Effect"
import * as FiberRef from "effect/FiberRef"
import { processRef, processTurns } from "./unsafe.ts"

/** Items by a key, in their order; `Map.groupBy` is not in Node 20, where the crawl runs as well. */
export const groupedBy = <A, K>(items: Iterable<A>, keyOf: (item: A) => K): Map<K, Array<A>> => {
  const groups = new Map<K, Array<A>>()
  for (const item of items) {
    const key = keyOf(item)
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [item])
    else group.push(item)
  }
  return groups
}

/**
 * Work in steps. Each step yields its cost, in characters of read text. The cost, and so the work between two looks at the clock, does not depend on the
 * machine.
 */
export type Steps<A> = Generator<number, A>

/**
 * Cost of the work between two turns of timers and sockets, in characters: about a millisecond of usual work, and tens of milliseconds of the costliest bodies
 * (`bun run campaign bombs`).
 */
export const block = 12_288

/** The highest cost of one step of a loop, in characters. A third of a block keeps the excess of a block small. */
const step = 4096

/** Runs the work to its end without a pause. */
export const finish = <A>(work: Steps<A>): A => {
  for (;;) {
    const next = work.next()
    if (next.done) return next.value
  }
}

/** Runs `act`, which returns its cost, on each item. */
export function* each<A>(items: Iterable<A>, act: (item: A) => number): Steps<void> {
  let spent = 0
  for (const item of items) {
    spent += act(item)
    if (spent < step) continue
    yield spent
    spent = 0
  }
  if (spent > 0) yield spent
}

/** Maps the items, each at an equal cost. */
export function* mapped<A, B>(items: Iterable<A>, cost: number, make: (item: A) => B): Steps<ReadonlyArray<B>> {
  const made: Array<B> = []
  yield* each(items, (item) => {
    made.push(make(item))
    return cost
  })
  return made
}

/** Items that are sorted in one step. */
const run = 1024

const merged = <A>(
  left: ReadonlyArray<A>,
  right: ReadonlyArray<A>,
  order: (a: A, b: A) => number
): ReadonlyArray<A> => {
  const all: Array<A> = []
  let at = 0
  for (const item of right) {
    for (let next = left[at]; next !== undefined && order(next, item) <= 0; next = left[at]) {
      all.push(next)
      at += 1
    }
    all.push(item)
  }
  return all.concat(left.slice(at))
}

/** Sorts items stably, at `cost` an item. Each step sorts one run of items, or merges some. */
export const sorted = function* <A extends object>(
  items: ReadonlyArray<A>,
  cost: number,
  order: (a: A, b: A) => number
): Steps<ReadonlyArray<A>> {
  if (items.length <= run) {
    yield cost * items.length
    return items.toSorted(order)
  }
  const middle = Math.ceil(items.length / 2)
  const left = yield* sorted(items.slice(0, middle), cost, order)
  const right = yield* sorted(items.slice(middle), cost, order)
  yield 2 * items.length
  return merged(left, right, order)
}

/** The work in blocks. */
export function* blocks<A>(work: Steps<A>): Generator<void, A> {
  for (let spent = 0; ; ) {
    const next = work.next()
    if (next.done) return next.value
    spent += next.value
    if (spent < block) continue
    yield
    spent = 0
  }
}

/**
 * The pause between two blocks. The default is a timer, which leaves the thread to others for about the time of a block; a mere yield would let no pending
 * input run.
 */
export const pause = processRef<Effect.Effect<void>>(Effect.sleep(0))

/** All long work of this process takes turns: one block runs between two pauses. */
const inTurn = processTurns()

/** Runs the next block of the work. A generator returns its value once, but an effect may run again, so the value is kept. */
const following = <A>(work: Generator<void, A>): (() => IteratorResult<void, A>) => {
  let last: IteratorResult<void, A> | undefined
  return () => {
    if (last?.done !== true) last = work.next()
    return last
  }
}

const inBlocks = <A>(follow: () => IteratorResult<void, A>): Effect.Effect<A> =>
  Effect.suspend(() => {
    const next = follow()
    return next.done
      ? Effect.succeed(next.value)
      : Effect.zipRight(inTurn(Effect.flatten(FiberRef.get(pause))), inBlocks(follow))
  })

/**
 * Runs the work block by block. Between blocks the rest of the process runs, and an interruption or a deadline can end the work. A second run returns the first
 * run's value.
 */
export const unhurried = <A>(work: Steps<A>): Effect.Effect<A> => inBlocks(following(blocks(work)))

const encoder = new TextEncoder()

/** How many characters we encode at the cost of reading one. */
const encodedAtOnce = 8

/** Writes, in steps, the JSON of an object with other fields and then a long list, in UTF-8. `worth` is the cost of an item's text, in characters. */
export function* withList<A>(
  object: object,
  name: string,
  items: Iterable<A>,
  worth: number,
  textOf: (item: A) => string
): Steps<Uint8Array> {
  const parts = [encoder.encode(`${JSON.stringify(object).slice(0, -1)},${JSON.stringify(name)}:[`)]
  yield* each(items, (item) => {
    const part = encoder.encode(`${parts.length === 1 ? "" : ","}${textOf(item)}`)
    parts.push(part)
    return worth + part.length / encodedAtOnce
  })
  parts.push(encoder.encode("]}"))
  const bytes = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  yield* each(parts, (part) => {
    bytes.set(part, at)
    at += part.length
    return part.length / encodedAtOnce
  })
  return bytes
}
