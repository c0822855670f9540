import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as EventBody from "../../events/EventBody.ts"
import type * as Outbound from "../../outbound/Outbound.ts"
import type { Cipher } from "../../secrets/Cipher.ts"
import * as InstallationKey from "../../secrets/InstallationKey.ts"
import * as DeliveryHeaders from "../signature/DeliveryHeaders.ts"
import * as Secrets from "../subscriptions/Secrets.ts"
import { type Claim, QueueRepo } from "./QueueRepo.ts"
import { RecordOutcome } from "./RecordOutcome.ts"
import * as Sender from "./Sender.ts"

/** A fault of ours, such as a secret that cannot be read, takes its place in the schedule as well: the delivery must come to an end that is seen. */
const broken: Sender.Outcome = {
  _tag: "Failed",
  error: { code: "interrupted", message: "The attempt broke on our side; the log of the server tells why" },
  latencyMs: null,
  response: null,
  retryAfter: null,
  statusCode: null,
  timings: null
}

const send = Effect.fnUntraced(function* (claim: Claim) {
  const secrets = yield* Secrets.open(claim.webhook, claim)
  const body = EventBody.bytes(claim.body)
  const timestamp = Math.floor((yield* Clock.currentTimeMillis) / 1000)
  const { eventId, eventType, url } = claim
  const headers = yield* DeliveryHeaders.make({ body, eventId, eventType, secrets, timestamp })
  return yield* Sender.send({ body, headers, url })
})

/** Makes the attempts of claimed deliveries. */
export class Attempts extends Effect.Service<Attempts>()("webhooks/deliveries/Attempts", {
  dependencies: [InstallationKey.layer, QueueRepo.Default, RecordOutcome.Default],
  effect: Effect.gen(function* () {
    const queue = yield* QueueRepo
    const { record } = yield* RecordOutcome
    const services = yield* Effect.context<Cipher | Outbound.Outbound>()

    const outcomeOf = (claim: Claim) =>
      send(claim).pipe(
        Effect.provide(services),
        Effect.catchAll((error) => Effect.as(Effect.logError(error.message), broken)),
        Effect.catchAllDefect((defect) => Effect.as(Effect.logError("An attempt broke", defect), broken))
      )

    /** Sends once and records what came of it; interrupted while it sends, it hands the delivery back. */
    const attempt = (claim: Claim) =>
      Effect.uninterruptibleMask((restore) =>
        restore(outcomeOf(claim)).pipe(
          Effect.onInterrupt(() => queue.handBack(claim)),
          Effect.flatMap((outcome) => record(claim, outcome)),
          Effect.annotateLogs({ delivery: claim.id, webhook: claim.webhook })
        )
      )

    return { attempt }
  })
}) {}
