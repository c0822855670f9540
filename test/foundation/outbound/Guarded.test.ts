import { describe, expect } from "bun:test"
import * as Effect from "effect/Effect"
import * as Ref from "effect/Ref"
import { listenOnLoopback, prove, selfTest } from "../../../src/foundation/outbound/Guarded.ts"
import { it } from "../../harness.ts"

const answering = (body: string) =>
  listenOnLoopback(`HTTP/1.1 200 OK\r\nContent-Length: 5\r\nX-Line: 1\r\nX-Line: 2\r\n\r\n${body}`)

/** Takes connections and never answers, as a machine that is too busy. */
const silent = Effect.map(
  Effect.acquireRelease(
    Effect.sync(() => Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data: () => {} } })),
    (server) => Effect.sync(() => server.stop(true))
  ),
  ({ port }) => ({ heard: [], port })
)

describe("the guard's self-test", () => {
  it("holds here, also for twelve at once", () =>
    Effect.replicateEffect(selfTest, 12, { concurrency: "unbounded", discard: true }))

  it("is tried again on a machine that answers late", function* () {
    const tries = yield* Ref.make(0)
    const listen = Effect.flatMap(
      Ref.updateAndGet(tries, (count) => count + 1),
      (count) => (count < 3 ? silent : answering("proof"))
    )
    yield* prove(listen, "500 millis")
    expect(yield* Ref.get(tries)).toBe(3)
  })

  it("says time when only time was short, and that the guard does not work when it does not", function* () {
    const slow = yield* Effect.flip(prove(silent, "100 millis"))
    expect([slow.late, slow.message]).toEqual([true, expect.stringContaining("could not be tested in time")])
    const wrong = yield* Effect.flip(prove(answering("false"), "5 seconds"))
    expect([wrong.late, wrong.message]).toEqual([false, expect.stringContaining("does not work on this machine")])
  })
})
