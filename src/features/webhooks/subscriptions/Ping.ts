import * as Clock from "effect/Clock"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { namedLink } from "../../../foundation/http/Request.ts"
import type { Outbound } from "../../../foundation/outbound/Outbound.ts"
import { NotFound } from "../../../foundation/schema/DomainError.ts"
import * as Traced from "../../../foundation/schema/Traced.ts"
import { type Cipher, installationLayer } from "../../../foundation/secrets/Cipher.ts"
import * as Entropy from "../../../foundation/secrets/Entropy.ts"
import type { AccountId } from "../../accounts/Domain.ts"
import { makeBody, makeEventId } from "../../events/EventKind.ts"
import type { WebhookId } from "../Domain.ts"
import * as Sender from "../deliveries/Sender.ts"
import { webhookPing } from "../Events.ts"
import { bytesOf } from "../messages/Formats.ts"
import * as DeliveryHeaders from "../signature/DeliveryHeaders.ts"
import type { Secret } from "../signature/Secret.ts"
import * as Signature from "../signature/Signature.ts"
import type { PingRequest, PingResult } from "./Subscription.ts"
import * as Secrets from "./Subscriptions.ts"

/** A delivery with a signature to verify. */
interface Suspect {
  readonly body: Signature.Body
  readonly header: string | null | undefined
  readonly secrets: ReadonlyArray<Redacted.Redacted<Secret>>
}

/** `Signature.verify` at the current time. */
export const verify = Effect.fnUntraced(function* ({ body, header, secrets }: Suspect) {
  const now = (yield* Clock.currentTimeMillis) / 1000
  return yield* Effect.promise(() => Signature.verify({ body, header, now, secret: secrets.map(Redacted.value) }))
})

const missing = NotFound.of("endpoint")

const judged = ({ statusCode }: Sender.Outcome): boolean | null => {
  if (statusCode === null) return null
  if (statusCode >= 200 && statusCode < 300) return false
  return statusCode >= 400 && statusCode < 500 ? true : null
}

const phases = ({ timings }: Sender.Outcome): PingResult["timings"] => {
  if (timings === null) return null
  const { reused: _, ...phases } = timings
  return phases
}

/** A live test of a subscription, active or not: one signed delivery over its own connection, neither stored nor retried. */
export class Ping extends Effect.Service<Ping>()("webhooks/subscriptions/Ping", {
  dependencies: [Entropy.layer, installationLayer, Secrets.SubscriptionsRepo.Default],
  effect: Effect.gen(function* () {
    const base = yield* namedLink
    const repo = yield* Secrets.SubscriptionsRepo
    const services = yield* Effect.context<Cipher | Entropy.Entropy | Outbound>()

    /** Signs a ping with its own id. */
    const prepare = Effect.fnUntraced(function* (id: WebhookId, target: Secrets.Target) {
      const secrets = yield* Effect.orDie(Secrets.open(id, target))
      const createdAt = yield* DateTime.now
      const eventId = yield* makeEventId
      const parts = { createdAt, data: { webhook_id: id }, id: eventId }
      const body = bytesOf(target.format, yield* Effect.orDie(makeBody(webhookPing, parts)), id, base)
      const timestamp = Math.floor(DateTime.toEpochMillis(createdAt) / 1000)
      const headers = DeliveryHeaders.make({ body, eventId, eventType: webhookPing.type, secrets, timestamp })
      return { body, eventId, headers, secrets }
    })

    const verifyRejection = Effect.fnUntraced(function* (id: WebhookId, target: Secrets.Target) {
      const { body, headers } = yield* prepare(id, target)
      return judged(
        yield* Sender.send({ body, headers: DeliveryHeaders.forged(headers), reuse: false, url: target.url })
      )
    })

    /** Answers within the 15 s of an attempt, or twice that to verify a rejection too. */
    const ping = Traced.fn("Ping.ping")(function* (account: AccountId, id: WebhookId, request: PingRequest) {
      const target = yield* Effect.mapError(Effect.flatten(repo.target({ account, id })), () => missing)
      const { body, eventId, headers, secrets } = yield* prepare(id, target)
      const outcome = yield* Sender.send({ body, headers, reuse: false, url: target.url })
      const delivered = outcome._tag === "Delivered"
      const verdict = yield* verify({
        body,
        header: headers["Service-Signature"],
        secrets: secrets.slice(0, 1)
      })
      return {
        event_id: eventId,
        event_type: webhookPing.type,
        delivered,
        status_code: outcome.statusCode,
        latency_ms: outcome.latencyMs,
        timings: phases(outcome),
        signature_verified: delivered ? verdict.valid : null,
        error: outcome._tag === "Failed" ? outcome.error : null,
        ...(request.verify_rejection ? { rejects_forgery: delivered ? yield* verifyRejection(id, target) : null } : {})
      } satisfies PingResult
    }, Effect.provide(services))

    return { ping }
  })
}) {}
