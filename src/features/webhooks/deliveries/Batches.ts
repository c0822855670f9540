import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"

/**
 * Writes in batches: what arrives while one is being written is the next. At the end of its scope it writes the rest. What a worker that dies has not
 * written is lost, and those deliveries are sent again.
 */
export const make = <A, R>(most: number, write: (batch: ReadonlyArray<A>) => Effect.Effect<void, never, R>) =>
  Effect.gen(function* () {
    const ended = yield* Queue.unbounded<A>()
    const writeSome = Effect.uninterruptibleMask((restore) =>
      Effect.flatMap(restore(Queue.takeBetween(ended, 1, most)), (batch) => write(Chunk.toReadonlyArray(batch)))
    )
    const writeRest = Effect.flatMap(Queue.takeAll(ended), (rest) =>
      Chunk.isEmpty(rest) ? Effect.void : write(Chunk.toReadonlyArray(rest))
    )
    yield* Effect.addFinalizer(() => writeRest)
    yield* Effect.forkScoped(Effect.forever(writeSome))
    return { add: (one: A) => Effect.asVoid(Queue.offer(ended, one)), unwritten: Queue.size(ended) }
  })
