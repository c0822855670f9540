import * as Effect from "effect/Effect"
import { keepBytes } from "../fetch/Fetcher.ts"

/** Bodies of full length for which there is room: as many as a host is asked for at once, and what waits to be read takes the room of one more. */
const maxBodies = 7

/** Bytes that the bodies of a run may take together: asked for, or waiting to be read. */
export interface BodyBudget {
  /**
   * Does work that may hold one body. There is room for all that a page may have, until `took` tells what it has: then another page can be asked for
   * while this one waits to be read.
   */
  readonly holding: <A, E, R>(
    work: (took: (body: Uint8Array) => Effect.Effect<void>) => Effect.Effect<A, E, R>
  ) => Effect.Effect<A, E, R>
}

export const make: Effect.Effect<BodyBudget> = Effect.map(Effect.makeSemaphore(maxBodies * keepBytes), (room) => ({
  holding: (work) =>
    Effect.suspend(() => {
      let held = keepBytes
      const took = (body: Uint8Array) =>
        Effect.suspend(() => {
          const spare = Math.max(0, held - body.buffer.byteLength)
          held -= spare
          // Who waited for the room asks before this page is read, which nobody can interrupt.
          return Effect.zipRight(room.release(spare), Effect.yieldNow())
        })
      return Effect.uninterruptibleMask((restore) =>
        Effect.zipRight(
          restore(room.take(keepBytes)),
          Effect.ensuring(
            restore(work(took)),
            Effect.suspend(() => room.release(held))
          )
        )
      )
    })
}))
