import * as Clock from "effect/Clock"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Record from "effect/Record"
import * as Schema from "effect/Schema"
import { namedLink } from "../../../foundation/http/Request.ts"
import {
  Outbound,
  type OutboundError,
  type OutboundReason,
  type OutboundResponse
} from "../../../foundation/outbound/Outbound.ts"
import { Cipher, installationLayer } from "../../../foundation/secrets/Cipher.ts"
import type { WebhookUrl } from "../Domain.ts"
import { bytesOf } from "../messages/Formats.ts"
import * as DeliveryHeaders from "../signature/DeliveryHeaders.ts"
import * as Secrets from "../subscriptions/Subscriptions.ts"
import type {
  AttemptError,
  AttemptErrorCode,
  AttemptTimings,
  KeptAttempt,
  KeptRequest,
  KeptResponse
} from "./Delivery.ts"
import type { Claim } from "./Queue.ts"

/** One signed attempt, ready to send. */
export interface SendRequest {
  readonly url: WebhookUrl
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
  /** Whether the attempt may use a kept connection. */
  readonly reuse: boolean
}

interface Measured {
  /** The request; absent if a server fault came before. */
  readonly request?: KeptRequest
  readonly latencyMs: number | null
  readonly timings: AttemptTimings | null
}

/** The outcome of an attempt: accepted by a 2xx response, or failed, and why. */
export type Outcome =
  | (Measured & { readonly _tag: "Delivered"; readonly statusCode: number; readonly response: KeptResponse })
  | (Measured & {
      readonly _tag: "Failed"
      readonly error: AttemptError
      readonly statusCode: number | null
      /** The `Retry-After` of the response, unparsed. */
      readonly retryAfter: string | null
      readonly response: KeptResponse | null
    })

/** From the name look-up to the last byte of the response. */
const deadline = "15 seconds"
const keptBytes = 16 * 1024

const codes: Readonly<Record<OutboundReason, AttemptErrorCode>> = {
  blocked_address: "blocked",
  blocked_url: "blocked",
  connect: "connect",
  dns: "dns",
  protocol: "protocol",
  reset: "reset",
  timeout: "timeout",
  tls: "tls"
}

const measured = ({ timings }: OutboundResponse | OutboundError): Measured => ({
  latencyMs: timings.totalMs,
  timings: {
    dns_ms: timings.dnsMs,
    connect_ms: timings.connectMs,
    tls_ms: timings.tlsMs,
    first_byte_ms: timings.firstByteMs,
    body_ms: timings.bodyMs,
    reused: timings.reused
  }
})

const utf8 = new TextDecoder()

const failure = ({ message, reason }: Pick<OutboundError, "message" | "reason">): AttemptError => ({
  code: codes[reason],
  message
})

/** A text without NUL, the only character that PostgreSQL's `text` cannot store. */
const storable = (text: string) => text.replaceAll("\0", "\uFFFD")

/** The most headers of a response that are kept, and the most characters of each value. */
const keptHeaders = { most: 100, characters: 1000 } as const

/** Headers by name; several of one name are joined, as HTTP joins them (RFC 9110 §5.2). */
const headersOf = ({ headers }: OutboundResponse) =>
  Record.map(Object.fromEntries(Map.groupBy(headers.slice(0, keptHeaders.most), ([name]) => storable(name))), (same) =>
    storable(same.map(([, value]) => value).join(", ")).slice(0, keptHeaders.characters)
  )

/** The kept response. */
const kept = (response: OutboundResponse): KeptResponse => ({
  body: storable(utf8.decode(response.body)),
  truncated: response.truncated,
  headers: headersOf(response),
  ...(response.incomplete === undefined ? {} : { error: failure(response.incomplete) })
})

const refusal = (status: number): AttemptError =>
  status >= 300 && status < 400
    ? {
        code: "redirect",
        message: `The endpoint returned ${status}, and Findable does not follow redirects. Set the final URL`
      }
    : { code: "http", message: `The endpoint returned ${status}` }

const readWait = Schema.decodeUnknownOption(Schema.parseJson(Schema.Struct({ retry_after: Schema.NonNegative })))

/** `Retry-After`, or the seconds in the body of Discord's 429. */
const waitOf = ({ body, headers }: OutboundResponse): string | null =>
  headers.find(([name]) => name === "retry-after")?.[1] ??
  Option.match(readWait(utf8.decode(body)), {
    onNone: () => null,
    onSome: ({ retry_after }) => String(Math.ceil(retry_after))
  })

const answered = (response: OutboundResponse): Outcome => {
  const { status } = response
  const common = { ...measured(response), response: kept(response), statusCode: status }
  if (status >= 200 && status < 300) return { _tag: "Delivered", ...common }
  return { _tag: "Failed", ...common, error: refusal(status), retryAfter: waitOf(response) }
}

const unanswered = (error: OutboundError): Outcome => ({
  _tag: "Failed",
  ...measured(error),
  error: failure(error),
  response: null,
  retryAfter: null,
  statusCode: null
})

/** Makes one attempt through the guarded client; any behaviour of the endpoint is an outcome, within 15 s. */
const sendOver = (
  { exchange }: Context.Tag.Service<Outbound>,
  { body, headers, reuse, url }: SendRequest
): Effect.Effect<Outcome> =>
  Effect.match(
    exchange({
      url: new URL(url),
      method: "POST",
      headers,
      body,
      deadline,
      keepBytes: keptBytes,
      maxBytes: keptBytes,
      decode: false,
      statusDecides: true,
      reuse
    }),
    { onFailure: unanswered, onSuccess: answered }
  )

/** `sendOver` through the client in the context. */
export const send = (request: SendRequest) => Effect.flatMap(Outbound, (outbound) => sendOver(outbound, request))

/** A server fault, such as an unreadable secret, counts as a failed attempt too: the delivery must have a visible end. */
const broken: Outcome = {
  _tag: "Failed",
  error: { code: "interrupted", message: "Internal error. The server's log has the cause" },
  latencyMs: null,
  response: null,
  retryAfter: null,
  statusCode: null,
  timings: null
}

/** An attempt for storage. */
export const attemptOf = ({ number, startedAt, trigger }: Claim, outcome: Outcome): KeptAttempt => ({
  number,
  trigger,
  started_at: startedAt,
  status_code: outcome.statusCode,
  latency_ms: outcome.latencyMs,
  timings: outcome.timings,
  error: outcome._tag === "Failed" ? outcome.error : null,
  response: outcome.response,
  ...(outcome.request !== undefined && { request: outcome.request })
})

/** Makes the attempts of claimed deliveries. */
export class Attempts extends Effect.Service<Attempts>()("webhooks/deliveries/Attempts", {
  dependencies: [installationLayer],
  effect: Effect.gen(function* () {
    const base = yield* namedLink
    const outbound = yield* Outbound
    const cipher = yield* Cipher
    const open = Secrets.remembering(cipher)

    const send = (claim: Claim) =>
      Effect.flatMap(Effect.zip(open(claim.webhook, claim), Clock.currentTimeMillis), ([secrets, now]) => {
        const { eventId, eventType, url } = claim
        const body = bytesOf(claim.format, claim.body, claim.webhook, base)
        const headers = DeliveryHeaders.make({ body, eventId, eventType, secrets, timestamp: Math.floor(now / 1000) })
        const request = claim.format === "json" ? { headers } : { headers, body: utf8.decode(body) }
        return Effect.map(
          sendOver(outbound, { body, headers, reuse: true, url }),
          (outcome): Outcome => ({ ...outcome, request })
        )
      })

    /** Sends once; a server fault is an outcome too. */
    const attempt = (claim: Claim): Effect.Effect<Outcome> =>
      Effect.catchAllCause(
        Effect.suspend(() => send(claim)),
        (cause) => Effect.as(Effect.logError("A webhook delivery failed with an internal error", cause), broken)
      )

    return { attempt }
  })
}) {}
