import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as EventBody from "../../events/EventBody.ts"
import type * as Outbound from "../../outbound/Outbound.ts"
import type { Cipher } from "../../secrets/Cipher.ts"
import * as InstallationKey from "../../secrets/InstallationKey.ts"
import * as DeliveryHeaders from "../signature/DeliveryHeaders.ts"
import * as Secrets from "../subscriptions/Secrets.ts"
import type { Attempt } from "./Attempt.ts"
import type { Claim } from "./QueueRepo.ts"
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

/** An attempt as it is kept and shown. */
export const attemptOf = ({ number, startedAt, trigger }: Claim, outcome: Sender.Outcome): Attempt => ({
  number,
  trigger,
  started_at: startedAt,
  status_code: outcome.statusCode,
  latency_ms: outcome.latencyMs,
  timings: outcome.timings,
  error: outcome._tag === "Failed" ? outcome.error : null,
  response: outcome.response
})

/** Makes the attempts of claimed deliveries. */
export class Attempts extends Effect.Service<Attempts>()("webhooks/deliveries/Attempts", {
  dependencies: [InstallationKey.layer],
  effect: Effect.gen(function* () {
    const services = yield* Effect.context<Cipher | Outbound.Outbound>()
    const open = Secrets.remembering()

    const send = Effect.fnUntraced(function* (claim: Claim) {
      const secrets = yield* open(claim.webhook, claim)
      const body = EventBody.bytes(claim.body)
      const timestamp = Math.floor((yield* Clock.currentTimeMillis) / 1000)
      const { eventId, eventType, url } = claim
      const headers = DeliveryHeaders.make({ body, eventId, eventType, secrets, timestamp })
      return yield* Sender.send({ body, headers, reuse: true, url })
    })

    /** Sends once, whatever comes of it. */
    const attempt = (claim: Claim): Effect.Effect<Sender.Outcome> =>
      send(claim).pipe(
        Effect.provide(services),
        Effect.catchAll((error) => Effect.as(Effect.logError(error.message), broken)),
        Effect.catchAllDefect((defect) => Effect.as(Effect.logError("An attempt broke", defect), broken))
      )

    return { attempt }
  })
}) {}
