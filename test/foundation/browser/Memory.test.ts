import { describe, expect } from "bun:test"
import * as Effect from "effect/Effect"
import { type Excess, watch } from "../../../src/foundation/browser/Memory.ts"
import { it } from "../../harness.ts"

/** A process that waits for another that it has started. */
const parent = Effect.acquireRelease(
  Effect.sync(() => Bun.spawn(["sh", "-c", "sleep 600 & wait"], { detached: true })),
  (shell) => Effect.ignore(Effect.try(() => process.kill(-shell.pid, "SIGKILL")))
)

const ifLinux = process.platform === "linux" ? describe : describe.skip

ifLinux("the watch of memory", () => {
  it("kills what a process has started above the bound of each, and says so once", function* () {
    const shell = yield* parent
    const said: Array<Excess> = []
    yield* watch(shell.pid, { all: 4e9, each: 1 }, (excess) => Effect.sync(() => void said.push(excess)))
    yield* Effect.promise(() => shell.exited)
    expect(said).toEqual(["each"])
    expect(shell.signalCode).toBeNull()
  })

  it("kills all of them above the bound of all", function* () {
    const shell = yield* parent
    const said: Array<Excess> = []
    yield* watch(shell.pid, { all: 1, each: 4e9 }, (excess) => Effect.sync(() => void said.push(excess)))
    yield* Effect.promise(() => shell.exited)
    expect(said).toEqual(["all"])
    expect(shell.signalCode).toBe("SIGKILL")
  })
})
