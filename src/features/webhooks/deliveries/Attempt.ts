import * as Schema from "effect/Schema"
import { field } from "../../../foundation/schema/Field.ts"
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
).annotations({
  identifier: "WebhookAttemptErrorCode",
  description:
    "Stage at which an attempt failed; `http`: an answer that is neither 2xx nor 3xx, `interrupted`: the worker died before it had the answer"
})
export type AttemptErrorCode = typeof AttemptErrorCode.Type

/** Why an attempt was not accepted. */
export const AttemptError = Schema.Struct({
  code: field(AttemptErrorCode, "Stage at which it failed"),
  message: Schema.String.annotations({ description: "The same in one sentence, for people" })
}).annotations({ identifier: "WebhookAttemptError", description: "Why an attempt was not accepted" })
export type AttemptError = typeof AttemptError.Type

const Milliseconds = Schema.Number.pipe(Schema.nonNegative())

/** How long each phase of an exchange took, in milliseconds; null for a phase that was not needed or not reached. */
export const Timings = Schema.Struct({
  dns_ms: Schema.NullOr(Milliseconds).annotations({
    description: "Name look-up in milliseconds; null when it was not needed or not reached"
  }),
  connect_ms: Schema.NullOr(Milliseconds).annotations({
    description: "TCP connection in milliseconds; null when it was not needed or not reached"
  }),
  tls_ms: Schema.NullOr(Milliseconds).annotations({
    description: "TLS handshake in milliseconds; null when it was not needed or not reached"
  }),
  first_byte_ms: Schema.NullOr(Milliseconds).annotations({
    description: "From the request to the first byte of the answer in milliseconds; null when not reached"
  }),
  body_ms: Schema.NullOr(Milliseconds).annotations({
    description: "Rest of the answer in milliseconds; null when not reached"
  })
}).annotations({ identifier: "WebhookPingTimings", description: "How long each phase of an exchange took" })
export type Timings = typeof Timings.Type

/** The phases of an attempt; a connection that was kept alive from an earlier one needs neither connecting nor TLS. */
export const AttemptTimings = Schema.Struct({
  ...Timings.fields,
  reused: Schema.Boolean.annotations({
    description: "Whether a connection of an earlier attempt was used, which needs neither connecting nor TLS"
  })
}).annotations({ identifier: "WebhookTimings", description: "How long each phase of an attempt took" })
export type AttemptTimings = typeof AttemptTimings.Type

/** What is kept of an answer: at most 16 KiB of its body, not decompressed, read as UTF-8. */
export const KeptResponse = Schema.Struct({
  body: Schema.String.annotations({ description: "At most 16 KiB of the body, not decompressed, read as UTF-8" }),
  truncated: Schema.Boolean.annotations({ description: "Whether the body was longer" })
}).annotations({ identifier: "WebhookResponse", description: "What is kept of the receiver's answer" })
export type KeptResponse = typeof KeptResponse.Type

/** One try to deliver an event; while it is under way it has neither a status code nor an error. */
export const Attempt = Schema.Struct({
  number: Schema.Int.pipe(Schema.positive()).annotations({
    description: "Number of the attempt within its delivery, from 1"
  }),
  trigger: Schema.Literal("automatic", "manual").annotations({
    description: "`manual`: asked for by a redelivery or recovery"
  }),
  started_at: field(Timestamp, "When it began"),
  status_code: Schema.NullOr(Schema.Int).annotations({
    description: "Status of the receiver's answer; null when none came"
  }),
  latency_ms: Schema.NullOr(Milliseconds).annotations({
    description: "From the name look-up to the last byte that was read: the phases and the time between them"
  }),
  timings: Schema.NullOr(AttemptTimings).annotations({
    description: "How long each phase took; null when nothing was sent"
  }),
  error: Schema.NullOr(AttemptError).annotations({
    description: "Why it was not accepted; null when it was, or while it is under way"
  }),
  response: Schema.NullOr(KeptResponse).annotations({
    description: "What the receiver answered; null when nothing came"
  })
}).annotations({
  identifier: "WebhookAttempt",
  description: "One try to deliver an event; while it is under way it has neither a status code nor an error"
})
export type Attempt = typeof Attempt.Type
