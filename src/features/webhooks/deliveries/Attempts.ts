import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { Outbound } from "../../../foundation/outbound/Outbound.ts"
import { Cipher } from "../../../foundation/secrets/Cipher.ts"
import * as InstallationKey from "../../../foundation/secrets/InstallationKey.ts"
import * as EventBody from "../../events/EventBody.ts"
import * as DeliveryHeaders from "../signature/DeliveryHeaders.ts"
import * as Secrets from "../subscriptions/Secrets.ts"
import type { Attempt } from "./Attempt.ts"
import type { Claim } from "./QueueRepo.ts"
import * as Sender from "./Sender.ts"

/** A fault of ours, such as a secret that cannot be read, counts as a failed attempt too: the delivery must come to a visible end. */
const broken: Sender.Outcome = {
  _tag: "Failed",
  error: { code: "interrupted", message: "Internal error during the attempt; the server log has the cause" },
  latencyMs: null,
  response: null,
  retryAfter: null,
  statusCode: null,
  timings: null
}

/** An attempt as it is stored and shown. */
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
    const outbound = yield* Outbound
    const cipher = yield* Cipher
    const open = Secrets.remembering(cipher)

    const send = (claim: Claim) =>
      Effect.flatMap(Effect.zip(open(claim.webhook, claim), Clock.currentTimeMillis), ([secrets, now]) => {
        const body = EventBody.bytes(claim.body)
        const { eventId, eventType, url } = claim
        const headers = DeliveryHeaders.make({ body, eventId, eventType, secrets, timestamp: Math.floor(now / 1000) })
        return Sender.sendOver(outbound, { body, headers, reuse: true, url })
      })

    /** Sends once; a fault of ours is an outcome too. */
    const attempt = (claim: Claim): Effect.Effect<Sender.Outcome> =>
      Effect.catchAllCause(
        Effect.suspend(() => send(claim)),
        (cause) => Effect.as(Effect.logError("A webhook attempt failed with an internal error", cause), broken)
      )

    return { attempt }
  })
}) {}
