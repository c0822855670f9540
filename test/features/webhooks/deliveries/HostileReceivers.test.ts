import { describe, expect } from "bun:test"
import { createServer, type Socket } from "node:net"
import * as Effect from "effect/Effect"
import { suite } from "../../../harness.ts"
import { attempted, layer, passTime, publishExample, subscriber } from "../pipeline.ts"
import { receiver } from "../receiver.ts"

/** An endpoint on the level of bytes: it gets the request's socket after the headers have arrived, and counts connections. */
const rawReceiver = (respond: (socket: Socket) => void) =>
  Effect.acquireRelease(
    Effect.async<{ readonly close: () => void; readonly connections: () => number; readonly url: string }>((resume) => {
      let connections = 0
      const sockets = new Set<Socket>()
      const server = createServer((socket) => {
        connections++
        sockets.add(socket)
        socket.on("error", () => {})
        socket.on("close", () => sockets.delete(socket))
        socket.once("data", () => respond(socket))
      })
      server.listen(0, "127.0.0.1", () => {
        const address = server.address()
        const port = typeof address === "object" && address !== null ? address.port : 0
        const close = () => {
          for (const socket of sockets) socket.destroy()
          server.close()
        }
        resume(Effect.succeed({ close, connections: () => connections, url: `http://127.0.0.1:${port}/` }))
      })
    }),
    ({ close }) => Effect.sync(close)
  )

const it = suite(layer)

const head = "HTTP/1.1 200 OK\r\n"

const gzip = Bun.gzipSync(new Uint8Array(20 * 1024 * 1024))

const flood = (socket: Socket) => {
  const write = () => {
    while (!socket.destroyed && socket.write("x".repeat(65_536))) {}
  }
  socket.on("drain", write)
  write()
}

const cases: ReadonlyArray<readonly [string, (socket: Socket) => void, Record<string, unknown>]> = [
  ["nothing at all", (socket) => socket.end(), { error: { code: "reset" }, status_code: null }],
  ["a reset", (socket) => socket.resetAndDestroy(), { error: { code: "reset" }, status_code: null }],
  [
    "something other than HTTP",
    (socket) => socket.end("hello\r\n\r\n"),
    { error: { code: "protocol" }, status_code: null }
  ],
  [
    "a line of SSH, and then waits",
    (socket) => socket.write("SSH-2.0-OpenSSH_9.6\r\n"),
    { error: { code: "protocol" }, status_code: null }
  ],
  [
    "a line of SMTP, and closes",
    (socket) => socket.end("220 mail.example.com ESMTP\r\n"),
    { error: { code: "protocol" }, status_code: null }
  ],
  [
    "endless headers",
    (socket) => socket.end(`${head}${"x-a: b\r\n".repeat(20_000)}`),
    { error: null, response: { error: { code: "protocol" } }, status_code: 200 }
  ],
  [
    "a reset after the status line",
    (socket) => socket.write(head, () => setTimeout(() => socket.resetAndDestroy(), 20)),
    { error: null, response: { body: "", error: { code: "reset" } }, status_code: 200 }
  ],
  [
    "a body shorter than announced",
    (socket) => socket.end(`${head}content-length: 100\r\n\r\nshort`),
    { error: null, response: { body: "short", error: { code: "protocol" }, truncated: false }, status_code: 200 }
  ],
  [
    "a long truncated body",
    (socket) => socket.end(`${head}content-length: 9999\r\n\r\n${"y".repeat(2000)}`),
    {
      error: null,
      response: { body: "y".repeat(1024), error: { code: "protocol" }, truncated: true },
      status_code: 200
    }
  ],
  [
    "an error with a truncated body",
    (socket) => socket.end("HTTP/1.1 500 Oh\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n"),
    { error: { code: "http" }, response: { error: { code: "protocol" } }, status_code: 500 }
  ],
  [
    "a switch to another protocol",
    (socket) => socket.end("HTTP/1.1 101 X\r\nupgrade: x\r\n\r\n"),
    { error: { code: "protocol" } }
  ],
  [
    "an endless body",
    (socket) => {
      socket.write(`${head}\r\n`)
      flood(socket)
    },
    { error: null, response: { body: "x".repeat(1024), truncated: true }, status_code: 200 }
  ],
  [
    "a compressed bomb, which is not decompressed",
    (socket) => {
      socket.write(`${head}content-encoding: gzip\r\ncontent-length: ${gzip.length}\r\n\r\n`)
      socket.end(gzip)
    },
    { error: null, response: { body: expect.any(String), truncated: true }, status_code: 200 }
  ],
  [
    "NUL, invalid UTF-8 and a script",
    (socket) =>
      socket.end(
        Buffer.concat([Buffer.from(`${head}content-length: 13\r\n\r\n<script>\0'`), Buffer.of(0xff, 0xfe, 0xc3)])
      ),
    { error: null, response: { body: "<script>\uFFFD'\uFFFD\uFFFD\uFFFD", truncated: false } }
  ]
]

describe("an endpoint that responds with", () => {
  for (const [what, respond, expected] of cases) {
    it(`${what} does no harm, and the log says what happened`, function* () {
      const target = yield* rawReceiver(respond)
      const webhook = yield* subscriber(target.url)
      yield* publishExample["audit.failed"](webhook.account)
      const { attempts } = yield* attempted(webhook, 1)
      expect<unknown>(attempts[0]).toMatchObject(expected)
      expect(target.connections()).toBe(1)
    })
  }

  it("an absurd Retry-After is retried by the schedule", function* () {
    const target = yield* receiver((_, index) =>
      index === 0
        ? new Response("", { headers: { "retry-after": "\u00ff".repeat(900) }, status: 503 })
        : new Response("")
    )
    const webhook = yield* subscriber(target.url)
    yield* publishExample["audit.failed"](webhook.account)
    yield* attempted(webhook, 1)
    yield* passTime
    yield* attempted(webhook, 2)
  })
})
