import { expect } from "bun:test"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { Accounts } from "../../../src/features/accounts/Accounts.ts"
import { suite } from "../../harness.ts"
import * as Server from "../../server.ts"
import { until } from "../../waiting.ts"

const it = suite(Server.layer)

it.effect("a key that is revoked while its request is being answered: that one is finished, the next is refused", () =>
  Effect.gen(function* () {
    const accounts = yield* Accounts
    const { account, key } = yield* Server.customer()
    const { id } = yield* Server.projectOf(account)
    const path = `/api/v1/projects/${id}/site-health/runs`
    const other = yield* accounts.createKey(account, ["*", "site-health:write"], "live")
    // Nobody works on runs here, so that the answer is waited for until the run is cancelled.
    const long = yield* Effect.fork(Server.send("POST", path, { headers: { prefer: "wait=25" }, key: other.key }))
    const started = yield* until(Server.send("GET", path, { key }), ({ body }) => body.data.length === 1)
    yield* accounts.revokeKey(other.id)
    const next = yield* Server.send("GET", path, { key: other.key })
    expect([next.status, next.body.error.code]).toEqual([401, "revoked_key"])
    expect(yield* Fiber.poll(long)).toMatchObject({ _tag: "None" })
    yield* Server.send("POST", `/api/v1/runs/${started.body.data[0].id}/cancel`, { key })
    expect(yield* Fiber.join(long)).toMatchObject({ body: { data: { status: "cancelled" } }, status: 202 })
  })
)
