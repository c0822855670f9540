import { expect } from "bun:test"
import * as Effect from "effect/Effect"
import { databaseUrl } from "../../cluster.ts"
import * as Node from "../../e2e/node.ts"
import { suite } from "../../harness.ts"
import * as Server from "../../server.ts"

const it = suite(Server.layer)

const line = /level=INFO .*message="GET [^"]*"/

it("each request is one line with its id, route, status and milliseconds, but not what machines ask; a setting leaves them out", () =>
  Effect.gen(function* () {
    const settings = {
      DATABASE_URL: yield* databaseUrl,
      FINDABLE_MASTER_KEY: Server.settings.FINDABLE_MASTER_KEY,
      FINDABLE_ROLE: "api"
    }
    const [logging, silent] = yield* Effect.all([
      Node.start(settings),
      Node.start({ ...settings, FINDABLE_ACCESS_LOG: "false" })
    ])
    for (const { base } of [logging, silent]) {
      yield* Node.ask(`${base}/healthz`)
      yield* Node.ask(`${base}/api/v1/keywords?search=%1B%5B31m`)
    }
    const { headers } = yield* Node.ask(`${logging.base}/api/v1/nothing`)
    for (const node of [logging, silent]) node.kill("SIGTERM")
    yield* Effect.all([logging.exited, silent.exited])
    const lines = logging
      .output()
      .split("\n")
      .filter((text) => line.test(text))
    expect(lines).toHaveLength(2)
    for (const part of [/message="GET \/api\/v1\/keywords"/, /request_id=req_\w{26}/, /status=401/, /ms=[\d.]+/]) {
      expect(lines[0]).toMatch(part)
    }
    for (const part of ['message="GET none"', `request_id=${headers.get("x-request-id")}`, "status=404"]) {
      expect(lines[1]).toContain(part)
    }
    expect(silent.output()).not.toMatch(line)
  }).pipe(Effect.scoped))
