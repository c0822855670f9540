import { expect, test } from "bun:test"
import { connect, type Socket } from "node:net"
import * as Effect from "effect/Effect"
import { backlog, farEnds, queued } from "../../../src/app/server/Server.ts"
import { until } from "../../waiting.ts"

test("the far end of a connection is written in the system's table as words of four bytes, the last byte first", () => {
  expect(farEnds("127.0.0.1", 8787)).toEqual([" 0100007F:2253 ", " 0000000000000000FFFF00000100007F:2253 "])
  expect(farEnds("2001:db8::1", 80)).toEqual([" B80D0120000000000000000001000000:0050 "])
  const rows =
    "   0: 0100007F:2253 0100007F:1F90 01 00000000:00000000 00:00000000 00000000  1000        0 4 1 0 20 4 30 10 -1\n" +
    "   1: 0100007F:1F90 0100007F:2253 01 003B2A12:00000000 01:00000014 00000000  1000        0 5 1 0 20 4 30 10 -1\n"
  expect(queued(rows, " 0100007F:2253 ")).toBe(0x3b2a12)
  expect(queued(rows, " 0100007F:2254 ")).toBeUndefined()
})

test.skipIf(process.platform !== "linux")("what a reader does not take is seen, and what it takes is not", async () => {
  for (const hostname of ["127.0.0.1", "::"]) {
    const accepted = Promise.withResolvers<{ readonly address: string; readonly port: number }>()
    const chunk = new Uint8Array(1 << 16)
    let ended = false
    const server = Bun.serve({
      fetch: (request) => {
        const from = server.requestIP(request)
        if (from !== null) accepted.resolve(from)
        return new Response(new ReadableStream({ pull: (stream) => (ended ? stream.close() : stream.enqueue(chunk)) }))
      },
      hostname,
      port: 0
    })
    const socket: Socket = connect(server.port ?? 0, "127.0.0.1")
    socket.pause()
    socket.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
    const from = await accepted.promise
    await Effect.runPromise(until(backlog(from), (bytes) => bytes > 1 << 16))
    ended = true
    socket.resume()
    await Effect.runPromise(until(backlog(from), (bytes) => bytes === 0))
    socket.destroy()
    await server.stop(true)
  }
})
