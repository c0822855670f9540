import { describe, expect } from "bun:test"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import { suite } from "../../harness.ts"
import { raw } from "../../raw.ts"
import * as Server from "../../server.ts"

const it = suite(Server.layer)

const port = Effect.map(Server.TestServer, ({ base }) => Number(new URL(base).port))
const statuses = (answer: string) => Array.from(answer.matchAll(/HTTP\/1\.1 (\d{3})/g), ([, status]) => Number(status))

/** The request that is not to be found: it would make a project. */
const hidden = (key: string) => {
  const body = '{"url":"https://hidden.example"}'
  return `POST /api/v1/projects HTTP/1.1\r\nHost: a.example\r\nX-API-Key: ${key}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`
}

const hex = (text: string) => text.length.toString(16)

// Bun's parser refuses all of these with 400 and closes the connection; these tests hold on to it, since a proxy in front may read them otherwise.
/** Requests that two readers could cut in two places: what one takes for a body is the next request to the other (RFC 9112 §11.2). */
const ambiguous: Readonly<Record<string, (inner: string) => readonly [headers: string, body: string]>> = {
  "a length and chunks": (inner) => [
    `Content-Length: ${inner.length + 5}\r\nTransfer-Encoding: chunked`,
    `0\r\n\r\n${inner}`
  ],
  "chunks and a length": (inner) => [`Transfer-Encoding: chunked\r\nContent-Length: 4`, `0\r\n\r\n${inner}`],
  "two lengths": (inner) => [`Content-Length: 0\r\nContent-Length: ${inner.length}`, inner],
  "two lengths in one line": (inner) => [`Content-Length: 0, ${inner.length}`, inner],
  "a length with a sign": (inner) => [`Content-Length: +${inner.length}`, inner],
  "a negative length": (inner) => ["Content-Length: -1", inner],
  "a length in hexadecimal": (inner) => [`Content-Length: 0x${hex(inner)}`, inner],
  "a length beyond all numbers": (inner) => ["Content-Length: 18446744073709551616", inner],
  "a space before the colon": (inner) => [`Content-Length : ${inner.length}`, inner],
  "chunks with a space before the colon": (inner) => [
    `Transfer-Encoding : chunked\r\nContent-Length: ${inner.length + 5}`,
    `0\r\n\r\n${inner}`
  ],
  "a coding that is not known": (inner) => [`Transfer-Encoding: xchunked\r\nContent-Length: 5`, `0\r\n\r\n${inner}`],
  "chunks that are not the last coding": (inner) => ["Transfer-Encoding: chunked, identity", `0\r\n\r\n${inner}`],
  "chunks twice": (inner) => [
    "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity",
    `${hex(inner)}\r\n${inner}\r\n0\r\n\r\n`
  ],
  "a tab in the coding": (inner) => [
    `Transfer-Encoding:\tchunked\u000b\r\nContent-Length: ${inner.length + 5}`,
    `0\r\n\r\n${inner}`
  ],
  "a folded line": (inner) => [
    `Transfer-Encoding:\r\n chunked\r\nContent-Length: ${inner.length + 5}`,
    `0\r\n\r\n${inner}`
  ],
  "a chunk's size beyond all numbers": (inner) => ["Transfer-Encoding: chunked", `10000000000000000\r\n${inner}`],
  "a chunk's size with a sign": (inner) => ["Transfer-Encoding: chunked", `+${hex(inner)}\r\n${inner}\r\n0\r\n\r\n`],
  "a chunk's size with 0x": (inner) => ["Transfer-Encoding: chunked", `0x${hex(inner)}\r\n${inner}\r\n0\r\n\r\n`],
  "a line feed alone after a chunk's size": (inner) => [
    "Transfer-Encoding: chunked",
    `${hex(inner)};\n${inner}\r\n0\r\n\r\n`
  ],
  "a chunk that is longer than its size": (inner) => ["Transfer-Encoding: chunked", `1\r\n0\r\n\r\n${inner}`],
  "a NUL in a name": (inner) => [`Content-\u0000Length: ${inner.length}`, inner],
  "a line feed alone between headers": (inner) => [`X-A: b\nContent-Length: ${inner.length}`, inner]
}

describe("a request within a request", () => {
  for (const [name, around] of Object.entries(ambiguous)) {
    it(`behind ${name} is not done`, function* () {
      const sql = yield* SqlClient.SqlClient
      const { account, key } = yield* Server.customer()
      const [headers, body] = around(hidden(key))
      const outer = `POST /api/v1/projects HTTP/1.1\r\nHost: a.example\r\nContent-Type: application/json\r\n${headers}\r\n\r\n${body}`
      const answer = yield* raw(yield* port, outer)
      expect(statuses(answer).at(-1)).toBe(400)
      expect(yield* sql`SELECT host FROM projects WHERE account_id = ${account}`).toEqual([])
    })
  }

  it("is done when it is sent as what it is", function* () {
    const { key } = yield* Server.customer()
    expect(statuses(yield* raw(yield* port, hidden(key), 300))).toEqual([201])
  })
})
