import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { leaseSeconds } from "../Limits.ts"
import { type Claim, QueueRepo } from "./QueueRepo.ts"

/** Between two looks at what the queue says, in milliseconds. */
const lookEvery = 5000

/** For so long a statement whose answer was lost may still be at work, in milliseconds. */
const settled = leaseSeconds * 1000

/** What is in a worker's hand, as it knows and as the queue has it: they may differ after a crash of the database, or when the answer to a claim was lost. */
export const make = (worker: string) =>
  Effect.map(QueueRepo, (queue) => {
    const inHand = new Set<string>()
    let doubtful = false
    let doubtUntil = 0
    let nextLook = 0

    /** The queue may have another opinion from here on. */
    const doubt = Effect.sync(() => {
      doubtful = true
    })

    const look = Effect.gen(function* () {
      const lost = yield* queue.giveBack({ inHand: [...inHand], worker })
      if (lost.length > 0)
        yield* Effect.logWarning(`${lost.length} deliveries that the queue had for this worker's are due again`)
    })

    /** While there is a doubt, gives back what is not in hand. Nothing may be claimed meanwhile: what was claimed is in hand when this begins. */
    const settle = Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      if (doubtful) {
        doubtUntil = now + settled
        nextLook = 0
      }
      doubtful = false
      if (now > doubtUntil || now < nextLook) return
      nextLook = now + lookEvery
      yield* Effect.onError(look, () => doubt)
    })

    return {
      doubt,
      settle,
      take: (claims: ReadonlyArray<Claim>) => {
        for (const { id } of claims) inHand.add(id)
      },
      /** They are written down, given back, or given up. */
      leave: (claims: ReadonlyArray<Claim>) =>
        Effect.sync(() => {
          for (const { id } of claims) inHand.delete(id)
        })
    }
  })

export type Hand = Effect.Effect.Success<ReturnType<typeof make>>
