import * as Schema from "effect/Schema"
import { Timestamp } from "../../../foundation/schema/Timestamp.ts"

/** The stage at which an attempt failed; `http` is an answer that is neither 2xx nor 3xx, `interrupted` means that the worker died before it had the answer. */
export const AttemptErrorCode = Schema.Literal(
  "blocked",
  "dns",
  "connect",
  "tls",
  "timeout",
  "reset",
  "protocol",
  "redirect",
  "http",
  "interrupted"
)
export type AttemptErrorCode = typeof AttemptErrorCode.Type

/** Why an attempt was not accepted. */
export const AttemptError = Schema.Struct({ code: AttemptErrorCode, message: Schema.String })
export type AttemptError = typeof AttemptError.Type

const Milliseconds = Schema.Number.pipe(Schema.nonNegative())

/** How long each phase of an exchange took, in milliseconds; null for a phase that was not needed or not reached. */
export const Timings = Schema.Struct({
  dns_ms: Schema.NullOr(Milliseconds),
  connect_ms: Schema.NullOr(Milliseconds),
  tls_ms: Schema.NullOr(Milliseconds),
  first_byte_ms: Schema.NullOr(Milliseconds),
  body_ms: Schema.NullOr(Milliseconds)
})
export type Timings = typeof Timings.Type

/** The phases of an attempt; a connection that was kept alive from an earlier one needs neither connecting nor TLS. */
export const AttemptTimings = Schema.Struct({ ...Timings.fields, reused: Schema.Boolean })
export type AttemptTimings = typeof AttemptTimings.Type

/** What is kept of an answer: at most 16 KiB of its body, not decompressed, read as UTF-8. */
export const KeptResponse = Schema.Struct({ body: Schema.String, truncated: Schema.Boolean })
export type KeptResponse = typeof KeptResponse.Type

/** One try to deliver an event; while it is under way it has neither a status code nor an error. */
export const Attempt = Schema.Struct({
  number: Schema.Int.pipe(Schema.positive()),
  trigger: Schema.Literal("automatic", "manual"),
  started_at: Timestamp,
  status_code: Schema.NullOr(Schema.Int),
  latency_ms: Schema.NullOr(Milliseconds).annotations({
    description: "From the name look-up to the last byte that was read: the phases and the time between them"
  }),
  timings: Schema.NullOr(AttemptTimings),
  error: Schema.NullOr(AttemptError),
  response: Schema.NullOr(KeptResponse)
}).annotations({ identifier: "WebhookAttempt" })
export type Attempt = typeof Attempt.Type
