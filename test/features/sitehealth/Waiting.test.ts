import { expect } from "bun:test"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import { Runs, Waiting } from "../../../src/features/sitehealth/Runs.ts"
import { Stopping } from "../../../src/foundation/http/Request.ts"
import { suite } from "../../harness.ts"
import * as Server from "../../server.ts"
import { eventually } from "../../waiting.ts"

const it = suite(
  Layer.mergeAll(Waiting.Default, Runs.Default).pipe(
    Layer.provideMerge(Stopping.Default),
    Layer.provideMerge(Server.layer)
  )
)

it("a server that stops answers waiting requests immediately, with the current state of the crawl", function* () {
  const [runs, stopping, waiting] = [yield* Runs, yield* Stopping, yield* Waiting]
  const { account, key } = yield* Server.customer()
  const project = yield* Server.projectOf(account)
  yield* Server.send("POST", `/api/v1/projects/${project.id}/site-health/runs`, { key })
  const [run] = yield* runs.list(account, project.id, undefined, { after: undefined, count: 1 })
  if (run === undefined) return expect.unreachable("the run was not started")
  let sleeps = 0
  // The waiting request's clock stands still, so that only the stop can end it.
  const still = (clock: Clock.Clock): Clock.Clock => ({
    [Clock.ClockTypeId]: Clock.ClockTypeId,
    currentTimeMillis: clock.currentTimeMillis,
    currentTimeNanos: clock.currentTimeNanos,
    unsafeCurrentTimeMillis: () => clock.unsafeCurrentTimeMillis(),
    unsafeCurrentTimeNanos: () => clock.unsafeCurrentTimeNanos(),
    sleep: () =>
      Effect.zipRight(
        Effect.sync(() => sleeps++),
        Effect.never
      )
  })
  const waited = Effect.clockWith((clock) => Effect.withClock(waiting.waited(account, run, "wait=25"), still(clock)))
  const waiter = yield* Effect.fork(waited)
  yield* eventually(() => sleeps > 1)
  expect(yield* Fiber.poll(waiter)).toMatchObject({ _tag: "None" })
  yield* stopping.begin
  expect(yield* Fiber.join(waiter)).toMatchObject({ id: run.id, status: "queued" })
})
