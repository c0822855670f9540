import * as Effect from "effect/Effect"
import { pageBytes } from "../fetch/Fetcher.ts"

/** Bodies of full length for which there is room: one for each request in flight to a host, and one for bodies that wait to be read. */
const maxBodies = 7

/** Bytes that the bodies of a run may take together, under way or waiting to be read. */
export interface BodyBudget {
  /**
   * Does work that may hold one body. It reserves the room of the longest page, until `took` gives back what the body leaves unused: then another
   * page can be requested while this one waits to be read.
   */
  readonly holding: <A, E, R>(
    work: (took: (body: Uint8Array) => Effect.Effect<void>) => Effect.Effect<A, E, R>
  ) => Effect.Effect<A, E, R>
}

export const make: Effect.Effect<BodyBudget> = Effect.map(Effect.makeSemaphore(maxBodies * pageBytes), (room) => ({
  holding: (work) =>
    Effect.suspend(() => {
      let held = pageBytes
      const took = (body: Uint8Array) =>
        Effect.suspend(() => {
          const spare = Math.max(0, held - body.buffer.byteLength)
          held -= spare
          // A visit that waits for the room sends its request before this page is read: reading cannot be interrupted.
          return Effect.zipRight(room.release(spare), Effect.yieldNow())
        })
      return Effect.uninterruptibleMask((restore) =>
        Effect.zipRight(
          restore(room.take(pageBytes)),
          Effect.ensuring(
            restore(work(took)),
            Effect.suspend(() => room.release(held))
          )
        )
      )
    })
}))
