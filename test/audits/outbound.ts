import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Outbound, OutboundError, type OutboundReason, type OutboundRequest } from "../../src/outbound/Outbound.ts"

const timings = { dnsMs: null, connectMs: null, tlsMs: null, firstByteMs: null, totalMs: 1 }

const failure = (reason: OutboundReason) =>
  new OutboundError({ reason, message: "of https://api.example/?key=secret", timings })

/** A guarded client that finds every host at 127.0.0.1, except those that it refuses. */
export const localOnly = (refused: Record<string, OutboundReason> = {}) =>
  Layer.succeed(
    Outbound,
    Outbound.of({
      exchange: () => Effect.dieMessage("nothing is exchanged in this test"),
      vet: ({ hostname }) => {
        const reason = refused[hostname]
        return reason === undefined ? Effect.succeed(["127.0.0.1"]) : Effect.fail(failure(reason))
      }
    })
  )

/** A guarded client that gives one answer and notes what it was asked. */
export const answering = (answer: { readonly status: number; readonly body: unknown } | OutboundReason) => {
  const asked: Array<OutboundRequest> = []
  const exchange = (request: OutboundRequest) => {
    asked.push(request)
    if (typeof answer === "string") return Effect.fail(failure(answer))
    const body = new TextEncoder().encode(JSON.stringify(answer.body))
    const { status } = answer
    return Effect.succeed({
      status,
      headers: [],
      body,
      bytesRead: body.length,
      truncated: false,
      remoteAddress: "192.0.2.1",
      timings
    })
  }
  const vet = () => Effect.dieMessage("nothing is vetted in this test")
  return { asked, layer: Layer.succeed(Outbound, Outbound.of({ exchange, vet })) }
}
