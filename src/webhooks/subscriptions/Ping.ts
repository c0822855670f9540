import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import type { AccountId } from "../../accounts/Domain.ts"
import * as EventBody from "../../events/EventBody.ts"
import { makeEventId } from "../../events/EventId.ts"
import type { Outbound } from "../../outbound/Outbound.ts"
import { NotFound } from "../../schema/DomainError.ts"
import type { Cipher } from "../../secrets/Cipher.ts"
import * as Entropy from "../../secrets/Entropy.ts"
import * as InstallationKey from "../../secrets/InstallationKey.ts"
import type { WebhookId } from "../Domain.ts"
import * as Sender from "../deliveries/Sender.ts"
import { webhookPing } from "../Events.ts"
import * as DeliveryHeaders from "../signature/DeliveryHeaders.ts"
import * as Verifier from "../signature/Verifier.ts"
import type { PingResult } from "./PingResult.ts"
import * as Secrets from "./Secrets.ts"
import { SubscriptionsRepo } from "./SubscriptionsRepo.ts"

const missing = NotFound.of("webhook")

/** A live test of a subscription, active or not: one signed delivery through the pipeline of all others, kept nowhere and not retried. */
export class Ping extends Effect.Service<Ping>()("webhooks/subscriptions/Ping", {
  dependencies: [Entropy.layer, InstallationKey.layer, SubscriptionsRepo.Default],
  effect: Effect.gen(function* () {
    const repo = yield* SubscriptionsRepo
    const services = yield* Effect.context<Cipher | Entropy.Entropy | Outbound>()

    /** Answers within the 15 s of an attempt. */
    const ping = Effect.fn("Ping.ping")(function* (account: AccountId, id: WebhookId) {
      const target = yield* Effect.mapError(Effect.flatten(repo.target({ account, id })), () => missing)
      const secrets = yield* Effect.orDie(Secrets.open(id, target))
      const createdAt = yield* DateTime.now
      const eventId = yield* makeEventId
      const parts = { createdAt, data: { webhook_id: id }, id: eventId }
      const body = EventBody.bytes(yield* Effect.orDie(EventBody.make(webhookPing, parts)))
      const timestamp = Math.floor(DateTime.toEpochMillis(createdAt) / 1000)
      const headers = yield* DeliveryHeaders.make({ body, eventId, eventType: webhookPing.type, secrets, timestamp })
      // What is about to be sent is checked as its receiver would check it.
      const verdict = yield* Verifier.verify({
        body,
        header: headers["Service-Signature"],
        secrets: secrets.slice(0, 1)
      })
      const outcome = yield* Sender.send({ body, headers, url: target.url })
      return {
        event_id: eventId,
        event_type: webhookPing.type,
        delivered: outcome._tag === "Delivered",
        status_code: outcome.statusCode,
        latency_ms: outcome.latencyMs,
        timings: outcome.timings,
        signature_verified: verdict.valid,
        error: outcome._tag === "Failed" ? outcome.error : null
      } satisfies PingResult
    }, Effect.provide(services))

    return { ping }
  })
}) {}
