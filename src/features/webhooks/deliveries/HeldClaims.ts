import * as Effect from "effect/Effect"
import * as Monotonic from "../../../foundation/schema/Monotonic.ts"
import { leaseSeconds } from "../Limits.ts"
import { type Claim, QueueRepo } from "./QueueRepo.ts"

/** Milliseconds between two readings of what the queue says. */
const readEvery = 5000

/** Milliseconds for which a statement whose answer was lost may still be at work. */
const settled = leaseSeconds * 1000

/** The claims that a worker holds. The queue may say otherwise after a crash of the database, or when the answer to a claim was lost. */
export const make = (worker: string) =>
  Effect.map(QueueRepo, (queue) => {
    const held = new Set<string>()
    let doubtful = false
    let doubtUntil = 0
    let nextReading = 0

    /** The queue may disagree from here on. */
    const doubt = Effect.sync(() => {
      doubtful = true
    })

    const giveBack = Effect.gen(function* () {
      const lost = yield* queue.giveBack({ held: [...held], worker })
      if (lost.length > 0)
        yield* Effect.logWarning(
          `The queue assigned ${lost.length} deliveries to this worker that it does not hold; they are due again`
        )
    })

    /** While in doubt, gives back what the queue assigns to this worker and it does not hold. Must not run concurrently with `claim`. */
    const reconcile = Effect.gen(function* () {
      const now = yield* Monotonic.now
      if (doubtful) {
        doubtUntil = now + settled
        nextReading = 0
      }
      doubtful = false
      if (now > doubtUntil || now < nextReading) return
      nextReading = now + readEvery
      yield* Effect.onError(giveBack, () => doubt)
    })

    return {
      doubt,
      reconcile,
      hold: (claims: ReadonlyArray<Claim>) => {
        for (const { id } of claims) held.add(id)
      },
      /** They are recorded, handed back, or given up. */
      release: (claims: ReadonlyArray<Claim>) =>
        Effect.sync(() => {
          for (const { id } of claims) held.delete(id)
        })
    }
  })

export type HeldClaims = Effect.Effect.Success<ReturnType<typeof make>>
