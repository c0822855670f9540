import { describe, expect } from "bun:test"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import { Accounts } from "../../../src/features/accounts/Accounts.ts"
import { Projects } from "../../../src/features/projects/Projects.ts"
import { it } from "../../harness.ts"
import * as Server from "../../server.ts"
import { accepting } from "./wire.ts"

describe("a call that waits", () => {
  it("is answered with the run as it is when the node stops", function* () {
    const scope = yield* Scope.make()
    const server = yield* Layer.buildWithScope(Server.layer, scope)
    const { base, send } = Context.get(server, Server.TestServer)
    const { account, key } = yield* Effect.provide(Server.customer(), Context.pick(Accounts)(server))
    const { id } = yield* Effect.provide(Server.projectOf(account), Context.pick(Projects)(server))
    const { body: started } = yield* send("POST", `/api/v1/projects/${id}/site-health/runs`, { key })
    const call = {
      id: 1,
      jsonrpc: "2.0",
      method: "tools/call",
      params: {
        _meta: { progressToken: 1 },
        arguments: { run: started.data.id, wait_seconds: 50 },
        name: "get_run"
      }
    }
    const reader = yield* Effect.promise(async () => {
      const { body } = await fetch(`${base}/mcp`, {
        body: JSON.stringify(call),
        headers: { ...accepting, authorization: `Bearer ${key}`, "content-type": "application/json" },
        method: "POST"
      })
      return body?.pipeThrough(new TextDecoderStream()).getReader()
    })
    const next = Effect.promise(async () => reader?.read())
    expect((yield* next)?.value).toContain("notifications/progress")
    // No worker runs, so the run stays in the queue.
    const closing = yield* Effect.fork(Scope.close(scope, Exit.void))
    let rest = ""
    for (let part = yield* next; part !== undefined && !part.done; part = yield* next) rest += part.value
    expect(rest).toContain('\\"status\\":\\"queued\\"')
    expect(rest).toContain("call get_run with this id")
    yield* Fiber.join(closing)
  })
})
