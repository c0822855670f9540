import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import type { EventId } from "../../../features/events/EventId.ts"
import * as DeliveryHeaders from "../../../features/webhooks/signature/DeliveryHeaders.ts"
import type { Secret } from "../../../features/webhooks/signature/Secret.ts"

/** An event as its receivers get it. */
interface Event {
  readonly id: EventId
  readonly type: string
  readonly created_at: string
  readonly data: unknown
}

/** Where events go: the address, the secret that signs them, and further fields of each request. */
export interface Destination {
  readonly headers: Readonly<Record<string, string>>
  readonly secret: Redacted.Redacted<Secret>
  readonly url: string
}

/** How a post ended: `error` is null when it was accepted. */
export interface Outcome {
  readonly status_code: number | null
  readonly latency_ms: number
  readonly error: string | null
}

/** As long as a delivery may take. */
const deadline = "15 seconds"

const utf8 = new TextEncoder()

/** The status that the address answers with; of the body only the beginning is read, and only for a second. */
const exchange = (request: HttpClientRequest.HttpClientRequest) =>
  HttpClient.execute(request).pipe(
    Effect.tap(({ stream }) =>
      Effect.ignore(Effect.timeoutOption(Stream.runDrain(Stream.take(stream, 1)), "1 second"))
    ),
    Effect.map(({ status }) => ({
      error: status >= 200 && status < 300 ? null : `the address answered ${status}`,
      status_code: status
    })),
    Effect.orElseSucceed(() => ({ error: "nothing answered", status_code: null })),
    Effect.timeoutTo({
      duration: deadline,
      onSuccess: (outcome) => outcome,
      onTimeout: () => ({ error: `there was no answer within ${deadline}`, status_code: null })
    }),
    // Redirects are not followed, as in a delivery.
    Effect.provideService(FetchHttpClient.RequestInit, { redirect: "manual" }),
    Effect.provide(FetchHttpClient.layer)
  )

/** Posts an event once, signed at this time, with the headers and the body of a delivery. */
export const post = Effect.fnUntraced(function* (event: Event, { headers, secret, url }: Destination) {
  const { created_at, data, id, type } = event
  const body = utf8.encode(JSON.stringify({ id, type, created_at, data }))
  const begun = yield* Clock.currentTimeMillis
  const timestamp = Math.floor(begun / 1000)
  const signed = DeliveryHeaders.make({ body, eventId: id, eventType: type, secrets: [secret], timestamp })
  const outcome = yield* exchange(
    HttpClientRequest.post(url).pipe(
      HttpClientRequest.bodyUint8Array(body, "application/json"),
      HttpClientRequest.setHeaders({ ...headers, ...signed })
    )
  )
  return { ...outcome, latency_ms: (yield* Clock.currentTimeMillis) - begun } satisfies Outcome
})

/** Attempts after the first. */
const again = 3

/** The same, and three times again, after 1, 2 and 4 s, where it is not accepted. */
export const deliver = (
  event: Event,
  destination: Destination,
  attempts = 1
): Effect.Effect<Outcome & { readonly attempts: number }> =>
  Effect.flatMap(post(event, destination), (outcome) =>
    outcome.error === null || attempts > again
      ? Effect.succeed({ ...outcome, attempts })
      : Effect.delay(
          Effect.suspend(() => deliver(event, destination, attempts + 1)),
          `${2 ** (attempts - 1)} seconds`
        )
  )
