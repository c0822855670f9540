import * as Effect from "effect/Effect"

/**
 * Work done in steps, each worth this many characters of text to read: what costs more than looking at a character is worth more. The worth is the same
 * on every machine, so the work between two looks at the clock is too.
 */
export type Steps<A> = Generator<number, A>

/** What is done before timers and sockets have their turn, in characters: some 10 ms of usual work, and 50 ms of the worst. */
export const block = 131_072

/** The most that a loop does in one step; small beside a block, so that a block is hardly exceeded. */
const step = 16_384

/** Does all of the work at once. */
export const finish = <A>(work: Steps<A>): A => {
  for (;;) {
    const next = work.next()
    if (next.done) return next.value
  }
}

/** Does something with each item, whose worth is the same for all or told by what was done. */
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

/** Makes something of each item, each worth the same. */
export function* mapped<A, B>(items: Iterable<A>, worth: number, make: (item: A) => B): Steps<ReadonlyArray<B>> {
  const made: Array<B> = []
  yield* each(items, (item) => {
    made.push(make(item))
    return worth
  })
  return made
}

/** The same work in blocks. */
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

const inBlocks = <A>(work: Generator<void, A>): Effect.Effect<A> =>
  Effect.suspend(() => {
    const next = work.next()
    // A timer: what waits for input is not behind a mere yield.
    return next.done ? Effect.succeed(next.value) : Effect.zipRight(Effect.sleep(0), inBlocks(work))
  })

/** Does work a block at a time. Between blocks everything else of the process goes on, and an interruption or a deadline ends the work. */
export const unhurried = <A>(work: Steps<A>): Effect.Effect<A> => Effect.suspend(() => inBlocks(blocks(work)))
