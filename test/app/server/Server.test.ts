import { describe, expect } from "bun:test"
import * as Effect from "effect/Effect"
import * as cluster from "../../cluster.ts"
import * as Node from "../../e2e/node.ts"
import { suite } from "../../harness.ts"

const it = suite(cluster.layer)

describe("the port of a server", () => {
  it("is shared only by servers with FINDABLE_REUSE_PORT", function* () {
    const DATABASE_URL = yield* cluster.databaseUrl
    const shared = { DATABASE_URL, FINDABLE_REUSE_PORT: "true", FINDABLE_ROLE: "api" }
    const first = yield* Node.start(shared)
    const port = { FINDABLE_PORT: new URL(first.base).port }
    const second = yield* Node.start({ ...shared, ...port })
    expect(second.base).toBe(first.base)
    const refused = yield* Effect.flip(Node.start({ ...shared, ...port, FINDABLE_REUSE_PORT: "false" }))
    expect(refused).toMatchObject({ code: 1, output: expect.stringContaining("Another program may use the port") })
    first.kill("SIGTERM")
    yield* first.exited
    expect((yield* Node.ask(`${second.base}/healthz`)).status).toBe(200)
  })
})
