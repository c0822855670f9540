import { describe, expect } from "bun:test"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import fc from "fast-check"
import { collect, nothing, type Poll, type Step } from "../../../src/foundation/outbound/Body.ts"
import { Fault, protocol } from "../../../src/foundation/outbound/Outbound.ts"
import * as ReadAnswer from "../../../src/foundation/outbound/ReadAnswer.ts"

import { it } from "../../harness.ts"

/** A stream that comes in pieces cut at these places, with nothing there between any two of them. */
const inPieces = (bytes: Uint8Array, cuts: ReadonlyArray<number>): Poll => {
  const places = [...new Set([0, ...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length])].sort((a, b) => a - b)
  const pieces = places.slice(1).flatMap((place, index) => [nothing, bytes.slice(places[index], place)] as const)
  return () => pieces.shift()
}

/** Tries until something comes of it. */
const settle = <A>(step: Step<A>): A | Fault => {
  const got = step()
  return got === nothing ? settle(step) : got
}

const read = (poll: Poll) => {
  const heading = settle(ReadAnswer.readHead(poll))
  if (heading instanceof Fault) return heading
  const framing = ReadAnswer.of("GET", heading.head)
  if (Either.isLeft(framing)) return protocol(framing.left)
  const collected = settle(collect(ReadAnswer.readBody(framing.right, heading.rest, poll).poll, 100_000, 100_000))
  return collected instanceof Fault
    ? collected
    : { head: heading.head, body: Buffer.from(collected.body).toString("latin1") }
}

const outcome = (bytes: Uint8Array, cuts: ReadonlyArray<number>) => {
  const result = read(inPieces(bytes, cuts))
  return result instanceof Fault
    ? Either.left({ reason: result.reason, message: result.message })
    : Either.right(result)
}

const cuts = fc.array(fc.nat(), { maxLength: 40 })
const latin1 = (text: string) => Uint8Array.from(text, (character) => character.charCodeAt(0))

const responses: ReadonlyArray<string> = [
  "HTTP/1.1 200 OK\r\nX-A: 1\r\n folded\r\nContent-Length: 11\r\n\r\nhello world",
  "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5;x=y\r\nhello\r\n6\r\n world\r\n0\r\nT: 1\r\n\r\nbeyond",
  "HTTP/1.1 103 Early\r\nLink: <a>\r\n\r\nHTTP/1.0 200 OK\n\nhello world",
  "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nhello",
  "HTTP/1.1 200 OK\r\nContent-Length: 30\r\n\r\nhello",
  "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhelloX\r\n",
  "HTTP/1.1 200 OK\r\nno colon\r\n\r\n",
  "nonsense\r\n\r\n"
]

describe("framing", () => {
  it("the outcome does not depend on how the network cut the bytes", () =>
    Effect.sync(() => {
      for (const response of responses) {
        const bytes = latin1(response)
        const whole = outcome(bytes, [])
        fc.assert(fc.property(cuts, (places) => expect(outcome(bytes, places)).toEqual(whole)))
        expect(outcome(bytes, [...bytes.keys()])).toEqual(whole)
      }
    }))

  it("any body comes out of any chunks as it went in", () =>
    Effect.sync(() =>
      fc.assert(
        fc.property(fc.array(fc.uint8Array({ minLength: 1, maxLength: 50 })), cuts, (chunks, places) => {
          const framed = chunks.map((chunk) =>
            Buffer.concat([Buffer.from(`${chunk.length.toString(16)}\r\n`), chunk, Buffer.from("\r\n")])
          )
          const head = Buffer.from("HTTP/1.1 200 OK\r\nTransfer-Encoding: Chunked\r\n\r\n")
          const bytes = new Uint8Array(Buffer.concat([head, ...framed, Buffer.from("0\r\n\r\n")]))
          const result = Either.getOrThrow(outcome(bytes, places))
          expect(result.body).toBe(Buffer.concat(chunks).toString("latin1"))
        })
      )
    ))

  it("no bytes make the reader die: every outcome is a response, a reset or a protocol failure", () =>
    Effect.sync(() =>
      fc.assert(
        fc.property(
          fc.constantFrom("", ...responses),
          fc.uint8Array({ maxLength: 60 }),
          fc.nat({ max: 120 }),
          cuts,
          (response, noise, at, places) => {
            const bytes = Buffer.from(response, "latin1")
            const mixed = new Uint8Array(
              Buffer.concat([bytes.subarray(0, at), noise, bytes.subarray(at + noise.length)])
            )
            const result = outcome(mixed, places)
            expect(Either.isRight(result) || ["reset", "protocol"].includes(result.left.reason)).toBe(true)
          }
        )
      )
    ))
})
