import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import {
  Outbound,
  OutboundError,
  type OutboundReason,
  type OutboundRequest
} from "../../../src/foundation/outbound/Outbound.ts"

/** The response of a scripted site, or the fault that prevents it. */
export type Reply =
  | {
      readonly status?: number
      readonly headers?: Readonly<Record<string, string>> | ReadonlyArray<readonly [string, string]>
      readonly body?: string | Uint8Array
      readonly delay?: number
      /** The reported milliseconds to the first byte of the response; no time passes. */
      readonly firstByte?: number
    }
  | { readonly fault: OutboundReason; readonly delay?: number }

/** A site as a function of the request and the number of earlier requests for its URL. */
export type ScriptedSite = (url: URL, request: OutboundRequest, asked: number) => Reply

const timings = { dnsMs: 0, connectMs: 0, tlsMs: null, firstByteMs: 0, bodyMs: 0, totalMs: 0, reused: false }

const isPairs = (
  headers: Readonly<Record<string, string>> | ReadonlyArray<readonly [string, string]>
): headers is ReadonlyArray<readonly [string, string]> => Array.isArray(headers)

const pairs = (headers: Readonly<Record<string, string>> | ReadonlyArray<readonly [string, string]> = {}) => {
  const lines = isPairs(headers) ? headers : Object.entries(headers)
  return lines.map(([name, value]) => [name.toLowerCase(), value] as const)
}

/** An outbound client that reaches one scripted site and no network; `log` receives each request as it is sent. */
export const memoryOutbound = (site: ScriptedSite, log: (url: URL) => void = () => undefined): Layer.Layer<Outbound> =>
  Layer.sync(Outbound, () => {
    const asked = new Map<string, number>()
    return {
      vet: () => Effect.succeed(["192.0.2.1"]),
      exchange: (request) =>
        Effect.suspend(() => {
          const count = asked.get(request.url.href) ?? 0
          asked.set(request.url.href, count + 1)
          log(request.url)
          const reply = site(request.url, request, count)
          const wait = reply.delay === undefined ? Effect.yieldNow() : Effect.sleep(reply.delay)
          if ("fault" in reply) {
            const connected =
              reply.fault === "timeout" ||
              reply.fault === "reset" ||
              reply.fault === "protocol" ||
              reply.fault === "tls"
            const error = new OutboundError({
              reason: reply.fault,
              message: reply.fault,
              timings: { ...timings, connectMs: connected ? 0 : null }
            })
            return Effect.zipRight(wait, Effect.fail(error))
          }
          const bytes =
            typeof reply.body === "string" ? new TextEncoder().encode(reply.body) : (reply.body ?? new Uint8Array())
          const read = Math.min(bytes.length, request.maxBytes)
          return Effect.as(wait, {
            status: reply.status ?? 200,
            headers: pairs(reply.headers ?? { "content-type": "text/html; charset=utf-8" }),
            body: bytes.subarray(0, Math.min(read, request.keepBytes)),
            bytesRead: read,
            truncated: bytes.length > request.maxBytes,
            remoteAddress: "192.0.2.1",
            timings: { ...timings, firstByteMs: reply.firstByte ?? 0 }
          })
        })
    }
  })
