import { expect } from "bun:test"
import { mkdtempSync, rmSync } from "node:fs"
import { connect } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import { databaseUrl } from "../cluster.ts"
import { csv, importInto, layer, owner } from "../features/rankings/storing.ts"
import { suite } from "../harness.ts"
import { settings } from "../server.ts"
import { until } from "../waiting.ts"
import * as Node from "./node.ts"

const it = suite(layer, { timeout: 90_000 })

const scratch = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "findable-e2e-"))),
  (path) => Effect.sync(() => rmSync(path, { force: true, recursive: true }))
)

/** Records of 2 KB: 14 MB in total, of which the buffers of a connection hold a part. */
const count = 7_000

const facts = Array.from(
  { length: count },
  (_, number) => `2026-10-08,query ${number} ${"q".repeat(1_000)},/${number}/${"p".repeat(950)},1,20,3`
)

/** An export that is read on demand: `socket` reads ahead only into its own buffer. */
const exporting = (base: string, key: string) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const socket = connect(Number(new URL(base).port), "127.0.0.1")
      socket.write(
        `GET /api/v1/keywords HTTP/1.1\r\nHost: a\r\nX-Api-Key: ${key}\r\nAccept: application/x-ndjson\r\nConnection: close\r\n\r\n`
      )
      return socket
    }),
    (socket) => Effect.sync(() => socket.destroy())
  )

/** The body of a chunked response, which has to end with the last chunk. */
const bodyOf = (answer: string): string => {
  const parts: Array<string> = []
  let at = answer.indexOf("\r\n\r\n") + 4
  while (true) {
    const start = answer.indexOf("\r\n", at) + 2
    const length = Number.parseInt(answer.slice(at, start), 16)
    if (length === 0) return parts.join("")
    if (Number.isNaN(length)) throw new Error(`The answer broke off after ${parts.join("").length} bytes`)
    parts.push(answer.slice(start, start + length))
    at = start + length + 2
  }
}

it("a server that stops while it sends an export sends all of it, refuses other requests meanwhile, and ends", function* () {
  const { key, site } = yield* owner
  yield* importInto(site, "gsc-csv", [{ text: csv(...facts) }])
  const node = yield* Node.start({
    ...settings,
    DATABASE_URL: yield* databaseUrl,
    FINDABLE_DATA_DIR: yield* scratch,
    FINDABLE_ROLE: "api"
  })
  const socket = yield* exporting(node.base, key)
  const pieces: AsyncIterator<Buffer> = socket[Symbol.asyncIterator]()
  const first = yield* Effect.promise(() => pieces.next())
  node.kill("SIGTERM")
  yield* until(Node.ask(`${node.base}/healthz`), ({ status }) => status === 503)
  const answer = yield* Effect.promise(async () => {
    const read = [first.value]
    for (let next = await pieces.next(); next.done !== true; next = await pieces.next()) {
      read.push(next.value)
      await Bun.sleep(1)
    }
    return Buffer.concat(read).toString("latin1")
  })
  const lines = bodyOf(answer).split("\n")
  expect(lines.pop()).toBe("")
  const queries = lines.map((line) => JSON.parse(line).query.split(" ")[1])
  expect(new Set(queries).size).toBe(count)
  expect(queries).toHaveLength(count)
  expect(yield* node.exited).toBe(0)
})
