import { expect } from "bun:test"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import { Stopping } from "../../src/http/Stopping.ts"
import { Runs } from "../../src/sitehealth/Runs.ts"
import { Waiting } from "../../src/sitehealth/Waiting.ts"
import { suite } from "../harness.ts"
import * as Server from "../server.ts"

const it = suite(
  Layer.mergeAll(Waiting.Default, Runs.Default).pipe(
    Layer.provideMerge(Stopping.Default),
    Layer.provideMerge(Server.layer)
  )
)

it.effect("a node that stops answers those who wait for a run at once, with the run as it is", () =>
  Effect.gen(function* () {
    const [runs, stopping, waiting] = [yield* Runs, yield* Stopping, yield* Waiting]
    const { account, key } = yield* Server.customer()
    const project = yield* Server.projectOf(account)
    yield* Server.send("POST", `/api/v1/projects/${project.id}/site-health/runs`, { key })
    const [run] = yield* runs.list(account, project.id, { after: undefined, count: 1 })
    if (run === undefined) return expect.unreachable("the run was not started")
    const waiter = yield* Effect.fork(waiting.waited(account, run, "wait=25"))
    yield* Effect.sleep("100 millis")
    expect(yield* Fiber.poll(waiter)).toMatchObject({ _tag: "None" })
    yield* stopping.begin
    expect(yield* Effect.timeout(Fiber.join(waiter), "2 seconds")).toMatchObject({ id: run.id, status: "queued" })
  })
)
