import { describe, expect } from "bun:test"
import { createServer, type Socket } from "node:net"
import { brotliCompressSync, constants, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from "node:zlib"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import fc from "fast-check"
import { collect, nothing, type Poll, type Step } from "../../../src/foundation/outbound/Body.ts"
import {
  Fault,
  type OutboundReason,
  type OutboundRequest,
  protocol
} from "../../../src/foundation/outbound/Outbound.ts"
import * as ReadAnswer from "../../../src/foundation/outbound/ReadAnswer.ts"
import { it } from "../../harness.ts"
import { client, eventually, get, names, text } from "./client.ts"
import { listening, serve, serveBytes, track } from "./server.ts"

/** Serves an encoded body, in chunks of a number of bytes, framed by its length. */
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

// Text that compresses, with some that does not, larger than the buffers.
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
    it(`${name} is decoded from one chunk, and from single bytes at its ends`, function* () {
      const whole = yield* fetched(encoding, encoded)
      const pieces = yield* fetched(encoding, encoded, {}, 97)
      expect(original.equals(whole.body)).toBe(true)
      expect(original.equals(pieces.body)).toBe(true)
      expect([whole.bytesRead, pieces.bytesRead]).toEqual([original.length, original.length])
    })
  }

  for (const [name, behind, bytes] of [
    ["a comment", Buffer.from("<!-- cached -->"), 15],
    ["a line break", Buffer.from("\n"), 1],
    ["the beginning of a header", Buffer.from([0x1f, 0x8b]), 2],
    ["zeros and text", Buffer.concat([Buffer.alloc(10), Buffer.from("abc")]), 13],
    ["70,000 bytes", Buffer.alloc(70_000, "x"), 70_000],
    ["padding of zeros", Buffer.alloc(2000), undefined]
  ] as const) {
    it(`${name} after the end of gzip is not content`, function* () {
      const encoded = Buffer.concat([gzipSync(original.subarray(0, 999)), gzipSync(original.subarray(999)), behind])
      for (const piece of [encoded.length, 97]) {
        const { body, trailing } = yield* fetched("gzip", encoded, {}, piece)
        expect(original.equals(body)).toBe(true)
        expect(trailing?.bytes).toBe(bytes)
        if (trailing !== undefined) expect(behind.includes(Buffer.from(trailing.start))).toBe(true)
      }
    })
  }

  it("a gzip member with every optional field is decoded", function* () {
    const encoded = gzipSync(original)
    const fields = Buffer.from([
      0x1f,
      0x8b,
      8,
      31,
      0,
      0,
      0,
      0,
      0,
      3,
      2,
      0,
      65,
      66,
      ...Buffer.from("name\0note\0"),
      1,
      2
    ])
    const member = Buffer.concat([fields, encoded.subarray(10)])
    for (const piece of [member.length, 3]) {
      const { body } = yield* fetched("gzip", member, {}, piece)
      expect(original.equals(body)).toBe(true)
    }
  })

  it("a gzip member with a wrong checksum or length is a protocol error", function* () {
    for (const at of [8, 4]) {
      const encoded = Buffer.from(gzipSync(original))
      encoded.writeUInt32LE(1, encoded.length - at)
      expect((yield* Effect.flip(fetched("gzip", encoded))).reason).toBe("protocol")
    }
  })

  it("two Content-Encoding lines are one list", function* () {
    const body = brotliCompressSync(gzipSync(original))
    const response = yield* fetched("gzip\r\nContent-Encoding: br", body)
    expect(original.equals(response.body)).toBe(true)
  })

  it("a request for raw bytes gets an undecoded body", function* () {
    const encoded = gzipSync(original)
    const raw = yield* fetched("gzip", encoded, { decode: false })
    const unknown = yield* fetched("sdch", encoded, { decode: false })
    expect([encoded.equals(raw.body), encoded.equals(unknown.body), raw.bytesRead]).toEqual([
      true,
      true,
      encoded.length
    ])
  })

  it("a coding that is cut within a complete body is a protocol error", () =>
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

  it("size limits count decoded bytes", function* () {
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

describe("decompression bombs", () => {
  for (const [encoding, body] of bombs) {
    it(`200 MB in ${encoding} are read up to the limit only`, function* () {
      const { url } = yield* serveEncoded(encoding, body)
      const ask = client().exchange(get(url, { maxBytes: 20_000_000, keepBytes: 1000 }))
      const result = yield* Effect.replicateEffect(ask, 4, { concurrency: 4 })
      expect(result.map(({ bytesRead, truncated }) => [bytesRead, truncated])).toEqual(
        Array.from({ length: 4 }, () => [20_000_000, true])
      )
    })
  }

  it("input that decodes to nothing is limited too", function* () {
    const empty = gzipSync("")
    const body = Buffer.concat(Array.from({ length: 100_000 }, () => empty))
    const error = yield* Effect.flip(fetched("gzip", body, { maxBytes: 1000 }))
    expect(error.reason).toBe("protocol")
  })
})

/** A stream that arrives in chunks cut at these positions, one at a time. */
const inPieces = (bytes: Uint8Array, cuts: ReadonlyArray<number>): Poll => {
  const places = [...new Set([0, ...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length])].sort((a, b) => a - b)
  const pieces = places.slice(1).flatMap((place, index) => [nothing, bytes.slice(places[index], place)] as const)
  return () => pieces.shift()
}

/** Reads until there is a result. */
const settle = <A>(step: Step<A>): A | Fault => {
  const got = step()
  return got === nothing ? settle(step) : got
}

const read = (poll: Poll) => {
  const heading = settle(ReadAnswer.readHead(poll).step)
  if (heading instanceof Fault) return heading
  const framing = ReadAnswer.of("GET", heading.head)
  if (Either.isLeft(framing)) return protocol(framing.left)
  const collected = settle(collect(ReadAnswer.readBody(framing.right, heading.rest, poll).poll, 100_000, 100_000).step)
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
  it("the result does not depend on how the network splits the bytes", () =>
    Effect.sync(() => {
      for (const response of responses) {
        const bytes = latin1(response)
        const whole = outcome(bytes, [])
        fc.assert(fc.property(cuts, (places) => expect(outcome(bytes, places)).toEqual(whole)))
        expect(outcome(bytes, [...bytes.keys()])).toEqual(whole)
      }
    }))

  it("any body in any chunks is read back unchanged", () =>
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

  it("any bytes lead to a response, a reset or a protocol error", () =>
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

type Then = "end" | "reset" | "stay"

const ok = "HTTP/1.1 200 OK\r\n"

const hello = "Content-Length: 5\r\n\r\nhello"

const chunked = "Transfer-Encoding: chunked\r\n\r\n"

const flood = `X-Filler: ${"a".repeat(90)}\r\n`.repeat(1000)

/** Valid responses, with their status and body. */
const readable: ReadonlyArray<readonly [name: string, bytes: string, then: Then, status: number, body: string]> = [
  ["a counted body", `${ok}${hello}`, "stay", 200, "hello"],
  ["a chunked body", `${ok}${chunked}5\r\nhello\r\n0\r\n\r\n`, "stay", 200, "hello"],
  [
    "chunks with extensions and trailers",
    `${ok}${chunked}2;a=b\r\nhe\r\n3 \r\nllo\r\n00\r\nX: 1\r\n\r\n`,
    "stay",
    200,
    "hello"
  ],
  ["a body until the end of the connection", `${ok}\r\nhello`, "end", 200, "hello"],
  ["an HTTP/1.0 response", "HTTP/1.0 200 OK\r\n\r\nhello", "end", 200, "hello"],
  ["no reason phrase", `HTTP/1.1 200\r\n${hello}`, "stay", 200, "hello"],
  ["an unknown status", `HTTP/1.1 799 Odd\r\n${hello}`, "stay", 799, "hello"],
  [
    "interim responses",
    `HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early\r\nLink: </a>\r\n\r\n${ok}${hello}`,
    "stay",
    200,
    "hello"
  ],
  ["bare line feeds", "HTTP/1.1 200 OK\nContent-Length: 5\n\nhello", "stay", 200, "hello"],
  ["more bytes than Content-Length", `${ok}Content-Length: 3\r\n\r\nhello`, "stay", 200, "hel"],
  ["more bytes than the last chunk", `${ok}${chunked}2\r\nhe\r\n0\r\n\r\nllo`, "stay", 200, "he"],
  ["a reset after a complete body", `${ok}${hello}`, "reset", 200, "hello"],
  ["two equal Content-Lengths", `${ok}Content-Length: 5\r\n${hello}`, "stay", 200, "hello"],
  [
    "Content-Length beside chunked",
    `${ok}Content-Length: 3\r\n${chunked}5\r\nhello\r\n0\r\n\r\n`,
    "stay",
    200,
    "hello"
  ],
  ["an empty body", `${ok}Content-Length: 0\r\n\r\n`, "stay", 200, ""],
  ["204 with a Content-Length", "HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\n", "stay", 204, ""],
  ["304 with a Content-Length", "HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n", "stay", 304, ""],
  ["an empty encoded body", `${ok}Content-Encoding: gzip\r\nContent-Length: 0\r\n\r\n`, "stay", 200, ""],
  ["an unknown content coding", `${ok}Content-Encoding: utf-8\r\n${hello}`, "stay", 200, "hello"],
  ["the identity coding", `${ok}Content-Encoding: identity\r\n${hello}`, "stay", 200, "hello"],
  [
    "a redirect, which is not followed",
    `HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:2/\r\n${hello}`,
    "stay",
    302,
    "hello"
  ]
]

/** Invalid responses, with the reason of each. */
const broken: ReadonlyArray<readonly [name: string, bytes: string, then: Then, reason: OutboundReason]> = [
  ["an end without a byte", "", "end", "reset"],
  ["a reset without a byte", "", "reset", "reset"],
  ["an end within the head", `${ok}Content-Le`, "end", "reset"],
  ["a reset within the head", `${ok}Content-Le`, "reset", "reset"],
  ["an end after an interim response", "HTTP/1.1 100 Continue\r\n\r\n", "end", "reset"],
  ["a reset within a counted body", `${ok}Content-Length: 50\r\n\r\nhello`, "reset", "reset"],
  ["a reset within a chunked body", `${ok}${chunked}5\r\nhello\r\n`, "reset", "reset"],
  ["a reset within a body until the end", `${ok}\r\nhello`, "reset", "reset"],
  ["a body shorter than Content-Length", `${ok}Content-Length: 50\r\n\r\nhello`, "end", "protocol"],
  ["chunks without the last one", `${ok}${chunked}5\r\nhello\r\n`, "end", "protocol"],
  ["a truncated chunk", `${ok}${chunked}9\r\nhello`, "end", "protocol"],
  ["truncated trailers", `${ok}${chunked}0\r\nX: 1\r\n`, "end", "protocol"],
  ["a malformed chunk size", `${ok}${chunked}zz\r\nhello\r\n0\r\n\r\n`, "stay", "protocol"],
  ["a negative chunk size", `${ok}${chunked}-5\r\nhello\r\n0\r\n\r\n`, "stay", "protocol"],
  ["an absurdly large chunk size", `${ok}${chunked}ffffffffffffffff\r\nhello`, "stay", "protocol"],
  ["a chunk longer than its size", `${ok}${chunked}3\r\nhello\r\n0\r\n\r\n`, "stay", "protocol"],
  ["an endless chunk extension", `${ok}${chunked}5;${"x".repeat(5000)}`, "stay", "protocol"],
  ["endless trailers", `${ok}${chunked}0\r\n${"X: 1\r\n".repeat(4000)}`, "stay", "protocol"],
  ["different Content-Lengths", `${ok}Content-Length: 6\r\n${hello}`, "stay", "protocol"],
  ["a negative Content-Length", `${ok}Content-Length: -5\r\n\r\nhello`, "stay", "protocol"],
  ["a malformed Content-Length", `${ok}Content-Length: 0x5\r\n\r\nhello`, "stay", "protocol"],
  ["an unknown transfer coding", `${ok}Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n`, "stay", "protocol"],
  ["endless headers", `${ok}${flood}`, "stay", "protocol"],
  ["too many headers", `${ok}${flood}${hello}`, "stay", "protocol"],
  ["one endless header", `${ok}X: ${"a".repeat(70_000)}`, "stay", "protocol"],
  ["endless interim responses", "HTTP/1.1 103 Early\r\n\r\n".repeat(4000), "stay", "protocol"],
  ["a header without a colon", `${ok}no colon here\r\n${hello}`, "stay", "protocol"],
  ["a header without a name", `${ok}: x\r\n${hello}`, "stay", "protocol"],
  ["a header name with a blank", `${ok}Content-Length : 5\r\n\r\nhello`, "stay", "protocol"],
  ["a header with a zero byte", `${ok}X: a\0b\r\n${hello}`, "stay", "protocol"],
  ["another protocol", "SSH-2.0-OpenSSH_9.6\r\n\r\n", "stay", "protocol"],
  ["a line of another protocol from a waiting server", "SSH-2.0-OpenSSH_9.6\r\n", "stay", "protocol"],
  ["a line of another protocol, and an end", "220 mail.example.com ESMTP\r\n", "end", "protocol"],
  ["a line of another protocol, and a reset", "-ERR unknown command\r\n", "reset", "protocol"],
  ["bytes of another protocol without a line", "\x15\x03\x03\0\x02\x02\x46", "stay", "protocol"],
  ["a status line without a status", "HTTP/1.1 OK\r\n", "stay", "protocol"],
  ["another version", `HTTP/2 200\r\n${hello}`, "stay", "protocol"],
  ["a switch to another protocol", "HTTP/1.1 101 Switching\r\nUpgrade: x\r\n\r\n", "stay", "protocol"],
  ["too many content codings", `${ok}Content-Encoding: gzip, gzip, gzip, gzip\r\n${hello}`, "stay", "protocol"],
  ["a body that is not gzip", `${ok}Content-Encoding: gzip\r\n${hello}`, "stay", "protocol"],
  ["a body that is not brotli", `${ok}Content-Encoding: br\r\n${hello}`, "stay", "protocol"],
  ["a body that is not deflate", `${ok}Content-Encoding: deflate\r\n${hello}`, "stay", "protocol"],
  ["a body that is not zstd", `${ok}Content-Encoding: zstd\r\n${hello}`, "stay", "protocol"]
]

const ask = (url: string, more: Partial<OutboundRequest> = {}) => client().exchange(get(url, more))

describe("valid responses", () => {
  for (const [name, bytes, then, status, body] of readable) {
    it(name, function* () {
      const response = yield* ask((yield* serveBytes(bytes, then)).url)
      expect([response.status, text(response.body), response.truncated]).toEqual([status, body, false])
      expect(response.bytesRead).toBe(body.length)
    })
  }

  it("a HEAD response has no body, whatever its headers say", function* () {
    const counted = yield* ask((yield* serveBytes(`${ok}Content-Length: 500\r\n\r\n`)).url, { method: "HEAD" })
    const parts = yield* ask((yield* serveBytes(`${ok}Content-Encoding: br\r\n${chunked}`)).url, { method: "HEAD" })
    expect([counted.body.length, parts.body.length]).toEqual([0, 0])
  })

  it("headers keep order, repetitions and all bytes, in lower case and trimmed", function* () {
    const fields =
      "X-Robots-Tag: noindex\r\nLink: <a>\r\nSet-Cookie:a=1\r\nx-robots-tag: \tnofollow \r\nLINK: <b>\r\nSet-Cookie: b=2\r\nX-Fold: a\r\n\t b\r\nX-Latin: caf\xe9\r\nX-Empty:\r\n"
    const { headers } = yield* ask((yield* serveBytes(`${ok}${fields}${hello}`)).url)
    expect(headers).toEqual([
      ["x-robots-tag", "noindex"],
      ["link", "<a>"],
      ["set-cookie", "a=1"],
      ["x-robots-tag", "nofollow"],
      ["link", "<b>"],
      ["set-cookie", "b=2"],
      ["x-fold", "a b"],
      ["x-latin", "caf\xe9"],
      ["x-empty", ""],
      ["content-length", "5"]
    ])
  })
})

describe("invalid responses", () => {
  for (const [name, bytes, then, reason] of broken) {
    it(`${name} is ${reason}`, function* () {
      const error = yield* Effect.flip(ask((yield* serveBytes(bytes, then)).url))
      expect(error.reason).toBe(reason)
      expect(error.timings.connectMs).not.toBeNull()
    })
  }

  for (const greeting of ["SSH-2.0-OpenSSH_9.6\r\n", "220 mail.example.com ESMTP\r\n", "* OK IMAP4rev1\r\n"])
    it(`a server that sends ${greeting.trim()} first is a protocol error`, function* () {
      for (const end of [false, true]) {
        const sockets = new Set<Socket>()
        const server = createServer((socket) => (end ? socket.end(greeting) : socket.write(greeting)))
        track(server, sockets)
        const port = yield* listening(server, sockets)
        expect((yield* Effect.flip(ask(`http://127.0.0.1:${port}/`))).reason).toBe("protocol")
      }
    })

  it("a port where nothing listens is a connect error", function* () {
    const { url } = yield* Effect.scoped(serveBytes(""))
    const error = yield* Effect.flip(ask(url))
    expect(error.reason).toBe("connect")
    expect(error.timings.connectMs).toBeNull()
  })

  it("a name with only refusing IP addresses is a connect error", function* () {
    const { port } = yield* Effect.scoped(serveBytes(""))
    const resolver = names({ "site.test": ["127.0.0.99", "127.0.0.98", "127.0.0.1"] })
    const error = yield* Effect.flip(client({ resolver }).exchange(get(`http://site.test:${port}/`)))
    expect(error.reason).toBe("connect")
  })

  it("the next checked IP address is tried when one refuses the connection", function* () {
    const { port } = yield* serveBytes(`${ok}${hello}`)
    const resolver = names({ "site.test": ["127.0.0.99", "127.0.0.98", "127.0.0.1"] })
    const response = yield* client({ resolver }).exchange(get(`http://site.test:${port}/`))
    expect(response.remoteAddress).toBe("127.0.0.1")
  })
})

/** Errors after the status line, by their reason, with the body so far. */
const decided: ReadonlyArray<readonly [name: string, bytes: string, then: Then, reason: OutboundReason, body: string]> =
  [
    ["an end within the head", "Content-Le", "end", "reset", ""],
    ["a reset within the head", "Retry-After: 7\r\nContent-Le", "reset", "reset", ""],
    ["a head without an end", "", "stay", "timeout", ""],
    ["too many headers", flood, "stay", "protocol", ""],
    ["a header without a colon", `no colon here\r\n${hello}`, "stay", "protocol", ""],
    ["a malformed Content-Length", "Content-Length: 0x5\r\n\r\nhello", "stay", "protocol", ""],
    ["an unknown transfer coding", "Transfer-Encoding: gzip\r\n\r\n0\r\n\r\n", "stay", "protocol", ""],
    ["a reset within the body", "Content-Length: 50\r\n\r\nhello", "reset", "reset", "hello"],
    ["a body shorter than it says", "Content-Length: 50\r\n\r\nhello", "end", "protocol", "hello"],
    ["a body that stops", "Content-Length: 50\r\n\r\nhello", "stay", "timeout", "hello"],
    ["a broken chunk", `${chunked}5\r\nhello\r\nzz\r\n`, "stay", "protocol", "hello"]
  ]

describe("a request that the status line decides", () => {
  const deciding = (url: string, more: Partial<OutboundRequest> = {}) =>
    ask(url, { decode: false, reuse: true, statusDecides: true, ...more })
  for (const [name, bytes, then, reason, body] of decided)
    it(`succeeds in spite of ${name}, which is kept as ${reason}`, () =>
      Effect.forEach(
        [200, 503],
        (status) =>
          Effect.gen(function* () {
            const server = yield* serveBytes(`HTTP/1.1 ${status} Said\r\n${bytes}`, then)
            // The status line arrives within the deadline on a busy machine too.
            const answer = yield* deciding(server.url, reason === "timeout" ? { deadline: "2 seconds" } : {})
            expect([answer.status, answer.incomplete?.reason, text(answer.body)]).toEqual([status, reason, body])
            // Nothing was requested twice, and a broken connection is not used again.
            expect(server.accepted()).toBe(1)
            yield* eventually(() => server.open() === 0)
          }),
        { concurrency: "unbounded", discard: true }
      ))

  it("keeps the headers from before the error", function* () {
    const server = yield* serveBytes("HTTP/1.1 503 Busy\r\nRetry-After: 7\r\nContent-Le", "end")
    expect((yield* deciding(server.url)).headers).toEqual([["retry-after", "7"]])
  })

  it("has no error in its result if there is none", function* () {
    const answer = yield* deciding((yield* serveBytes(`${ok}${hello}`)).url)
    expect([answer.status, "incomplete" in answer]).toEqual([200, false])
  })

  for (const [name, bytes, then] of [
    ["an end without a byte", "", "end"],
    ["an end within the status line", "HTTP/1.1 20", "end"],
    ["an end after an interim response", "HTTP/1.1 100 Continue\r\n\r\n", "end"],
    ["a switch to another protocol", "HTTP/1.1 101 Switching\r\n\r\n", "stay"]
  ] as const)
    it(`fails with ${name}`, function* () {
      expect((yield* Effect.flip(deciding((yield* serveBytes(bytes, then)).url)))._tag).toBe("OutboundError")
    })
})

describe("requests", () => {
  it("a POST arrives with exactly its bytes, its length, and the host of the URL", function* () {
    const server = yield* serve((socket) => setTimeout(() => socket.end(`${ok}${hello}`), 30))
    const body = Uint8Array.from({ length: 70_000 }, (_, index) => (index * 31) % 256)
    const url = `http://site.test:${server.port}/hooks/%C3%A9?a=1&b=%20`
    yield* ask(url, {
      method: "POST",
      body,
      headers: { "Content-Type": "application/json", "User-Agent": "Findable" }
    })
    const [request = Buffer.alloc(0)] = server.requests
    const end = request.indexOf("\r\n\r\n") + 4
    expect(request.subarray(end).equals(body)).toBe(true)
    expect(request.subarray(0, end).toString().split("\r\n")).toEqual([
      "POST /hooks/%C3%A9?a=1&b=%20 HTTP/1.1",
      `Host: site.test:${server.port}`,
      "Content-Type: application/json",
      "User-Agent: Findable",
      "Accept-Encoding: gzip, deflate, br, zstd",
      "Content-Length: 70000",
      "Connection: close",
      "",
      ""
    ])
  })

  it("credentials, cookies and connection headers are never sent", function* () {
    const server = yield* serveBytes(`${ok}${hello}`)
    const headers = {
      Authorization: "Basic eDp5",
      cookie: "a=1",
      "Proxy-Authorization": "x",
      HOST: "evil",
      TE: "trailers"
    }
    yield* ask(server.url, { headers, decode: false })
    expect(String(server.requests[0]).split("\r\n")).toEqual([
      "GET / HTTP/1.1",
      `Host: 127.0.0.1:${server.port}`,
      "Accept-Encoding: identity",
      "Connection: close",
      "",
      ""
    ])
  })

  it("cookies that the caller provides are sent unchanged", function* () {
    const server = yield* serveBytes(`${ok}${hello}`)
    yield* ask(server.url, { cookies: "a=1; b=2", headers: { cookie: "c=3" } })
    expect(String(server.requests[0])).toContain("\r\nCookie: a=1; b=2\r\n")
    expect(String(server.requests[0])).not.toContain("c=3")
  })

  it("a header that would break the request is refused before a connection is opened", () =>
    Effect.forEach(
      [{ "X-A": "a\r\nX-B: b" }, { "X-A": "a\0" }, { "X A": "a" }, { "X-A:": "a" }, { "X-A": "\u0100" }],
      (headers) =>
        Effect.gen(function* () {
          const server = yield* serveBytes(`${ok}${hello}`)
          const error = yield* Effect.flip(ask(server.url, { headers: { ...headers } }))
          expect([error.reason, server.accepted()]).toEqual(["protocol", 0])
        })
    ))

  it("a response to a request that was not read completely counts", function* () {
    const server = yield* serve((socket) => socket.end(`HTTP/1.1 413 Too Large\r\n${hello}`))
    const response = yield* ask(server.url, { method: "POST", body: new Uint8Array(1000) })
    expect(response.status).toBe(413)
  })
})

describe("size limits", () => {
  it("bytes beyond keepBytes are counted and not kept", function* () {
    const { url } = yield* serveBytes(`${ok}${hello}`)
    const response = yield* ask(url, { keepBytes: 2 })
    expect([text(response.body), response.bytesRead, response.truncated]).toEqual(["he", 5, false])
  })

  it("a body of exactly maxBytes is complete, and one byte more is truncated", function* () {
    const { url } = yield* serveBytes(`${ok}${hello}`)
    const whole = yield* ask(url, { maxBytes: 5 })
    expect([text(whole.body), whole.bytesRead, whole.truncated]).toEqual(["hello", 5, false])
    const cut = yield* ask(url, { maxBytes: 4 })
    expect([text(cut.body), cut.bytesRead, cut.truncated]).toEqual(["hell", 4, true])
  })

  it("an endless body is read up to maxBytes, and its connection is closed", function* () {
    const server = yield* serve((socket) => {
      socket.write(`${ok}\r\n`)
      const more = () => {
        while (!socket.destroyed && socket.write(Buffer.alloc(65_536, 65))) {}
      }
      socket.on("drain", more)
      more()
    })
    const response = yield* ask(server.url, { maxBytes: 1_000_000, keepBytes: 10 })
    expect([response.bytesRead, response.truncated, text(response.body)]).toEqual([1_000_000, true, "AAAAAAAAAA"])
    yield* eventually(() => server.open() === 0)
  })
})
