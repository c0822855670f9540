import { describe, expect } from "bun:test"
import { brotliCompressSync, constants, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from "node:zlib"
import * as Effect from "effect/Effect"
import type { OutboundRequest } from "../../../src/foundation/outbound/Outbound.ts"
import { it } from "../../harness.ts"
import { client, get } from "./client.ts"
import { serve } from "./server.ts"

/** Serves an encoded body, in pieces of so many bytes, framed by its length. */
const serveEncoded = (encoding: string, body: Uint8Array, piece = body.length) =>
  serve((socket) => {
    const head = `HTTP/1.1 200 OK\r\nContent-Encoding: ${encoding}\r\nContent-Length: ${body.length}\r\n\r\n`
    socket.write(head)
    const write = (at: number) => {
      if (at < body.length && !socket.destroyed) socket.write(body.subarray(at, at + piece), () => write(at + piece))
    }
    write(0)
  })

const fetched = (encoding: string, body: Uint8Array, more: Partial<OutboundRequest> = {}, piece = body.length) =>
  Effect.flatMap(serveEncoded(encoding, body, piece), ({ url }) => client().exchange(get(url, more)))

// Text that compresses, with some that does not, larger than the buffers in between.
const original = Buffer.concat(
  Array.from({ length: 400 }, (_, index) =>
    Buffer.concat([Buffer.alloc(700, index), Buffer.from(Bun.hash(`${index}`).toString(36))])
  )
)

const codings: ReadonlyArray<readonly [encoding: string, name: string, encoded: Uint8Array]> = [
  ["gzip", "gzip", gzipSync(original)],
  ["x-gzip", "gzip by its old name", gzipSync(original)],
  ["GZIP", "gzip in capitals", gzipSync(original)],
  [
    "gzip",
    "gzip in two members",
    Buffer.concat([gzipSync(original.subarray(0, 999)), gzipSync(original.subarray(999))])
  ],
  ["deflate", "deflate", deflateSync(original)],
  ["deflate", "deflate without its wrapper", deflateRawSync(original)],
  ["br", "brotli", brotliCompressSync(original)],
  ["zstd", "zstd", zstdCompressSync(original)],
  ["gzip, br", "brotli over gzip", brotliCompressSync(gzipSync(original))],
  ["deflate, zstd, gzip", "three codings", gzipSync(zstdCompressSync(deflateSync(original)))],
  ["gzip, identity", "gzip and identity", gzipSync(original)]
]

describe("content codings", () => {
  for (const [encoding, name, encoded] of codings) {
    it(`${name} is decoded, in one piece and byte by byte at its ends`, function* () {
      const whole = yield* fetched(encoding, encoded)
      const pieces = yield* fetched(encoding, encoded, {}, 97)
      expect(original.equals(whole.body)).toBe(true)
      expect(original.equals(pieces.body)).toBe(true)
      expect([whole.bytesRead, pieces.bytesRead]).toEqual([original.length, original.length])
    })
  }

  it("two lines of the field are one list", function* () {
    const body = brotliCompressSync(gzipSync(original))
    const response = yield* fetched("gzip\r\nContent-Encoding: br", body)
    expect(original.equals(response.body)).toBe(true)
  })

  it("nothing is decoded when the request wants raw bytes", function* () {
    const encoded = gzipSync(original)
    const raw = yield* fetched("gzip", encoded, { decode: false })
    const unknown = yield* fetched("sdch", encoded, { decode: false })
    expect([encoded.equals(raw.body), encoded.equals(unknown.body), raw.bytesRead]).toEqual([
      true,
      true,
      encoded.length
    ])
  })

  it("a coding that is cut within a complete body is protocol", () =>
    Effect.forEach(
      [
        ["gzip", gzipSync(original)],
        ["deflate", deflateSync(original)],
        ["br", brotliCompressSync(original)]
      ] as const,
      ([encoding, encoded]) =>
        Effect.gen(function* () {
          const error = yield* Effect.flip(fetched(encoding, encoded.subarray(0, encoded.length - 5)))
          expect([encoding, error.reason]).toEqual([encoding, "protocol"])
        })
    ))

  it("caps count decoded bytes", function* () {
    const encoded = gzipSync(original)
    const kept = yield* fetched("gzip", encoded, { keepBytes: 1000 })
    expect([original.subarray(0, 1000).equals(kept.body), kept.bytesRead, kept.truncated]).toEqual([
      true,
      original.length,
      false
    ])
    const cut = yield* fetched("gzip", encoded, { maxBytes: 5000 })
    expect([original.subarray(0, 5000).equals(cut.body), cut.bytesRead, cut.truncated]).toEqual([true, 5000, true])
  })
})

const zeros = Buffer.alloc(200_000_000)
const member = gzipSync(zeros.subarray(0, 10_000_000))

const bombs: ReadonlyArray<readonly [encoding: string, body: Uint8Array]> = [
  ["gzip", Buffer.concat(Array.from({ length: 20 }, () => member))],
  ["br", brotliCompressSync(zeros, { params: { [constants.BROTLI_PARAM_QUALITY]: 2 } })],
  ["zstd", zstdCompressSync(zeros)],
  ["gzip, gzip", gzipSync(Buffer.concat(Array.from({ length: 20 }, () => member)))]
]

describe("bombs", () => {
  for (const [encoding, body] of bombs) {
    it(`200 MB in ${encoding} are read to the cap and no further`, function* () {
      const { url } = yield* serveEncoded(encoding, body)
      const ask = client().exchange(get(url, { maxBytes: 20_000_000, keepBytes: 1000 }))
      const result = yield* Effect.replicateEffect(ask, 4, { concurrency: 4 })
      expect(result.map(({ bytesRead, truncated }) => [bytesRead, truncated])).toEqual(
        Array.from({ length: 4 }, () => [20_000_000, true])
      )
    })
  }

  it("input that a coding makes nothing of is bounded too", function* () {
    const empty = gzipSync("")
    const body = Buffer.concat(Array.from({ length: 100_000 }, () => empty))
    const error = yield* Effect.flip(fetched("gzip", body, { maxBytes: 1000 }))
    expect(error.reason).toBe("protocol")
  })
})
