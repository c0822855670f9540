import { expect, test } from "bun:test"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { flow } from "effect/Function"
import { shared, unshared } from "../../../src/foundation/process/Turns.ts"
import { block, blocks, each, finish, mapped, sorted, unhurried } from "../../../src/foundation/schema/Steps.ts"
import { it } from "../../harness.ts"

const numbers = (count: number) => Array.from({ length: count }, (_, at) => at)

/** The number of pauses before the work is done. */
const looks = (work: Generator<void, unknown>) => {
  let count = 0
  while (work.next().done !== true) count++
  return count
}

test("work on many items is done in order, in one block or several", () => {
  const double = () => mapped(numbers(1000), 1000, (at) => 2 * at)
  expect(finish(double())).toEqual(numbers(1000).map((at) => 2 * at))
  const work = blocks(double())
  let next = work.next()
  while (next.done !== true) next = work.next()
  expect(next.value).toEqual(finish(double()))
})

test("a block ends with the step that fills it, so four times the work has four times the blocks", () => {
  const worth = 64
  const items = (4 * block) / worth
  expect(looks(blocks(mapped(numbers(items), worth, () => null)))).toBe(4)
  expect(looks(blocks(mapped(numbers(4 * items), worth, () => null)))).toBe(16)
  expect(looks(blocks(mapped(numbers(100), worth, () => null)))).toBe(0)
})

test("thousands of items are sorted in steps, and equal items keep their order", () => {
  const items = numbers(5_000).map((at) => ({ at, key: (at * 7_919) % 101 }))
  const sort = () => sorted(items, 20, (a, b) => a.key - b.key)
  expect(finish(sort())).toEqual(items.toSorted((a, b) => a.key - b.key))
  expect(looks(blocks(sort()))).toBeGreaterThan(1)
})

test("the cost of an item may be known only after its step", () => {
  expect(looks(blocks(each([1, 2, 3], (at) => (at === 2 ? block : 1))))).toBe(1)
})

for (const [where, run, count] of [
  ["in a process without a role", unhurried, 5],
  ["in a process that serves requests", flow(unhurried, shared), 5000],
  ["in a process for this work only", flow(unhurried, unshared), 5000]
] as const)
  it(`a due timer runs between two blocks ${where}`, function* () {
    let turns = 0
    const atTurns: Array<number> = []
    const timer = setInterval(() => turns++, 0)
    yield* Effect.ensuring(
      run(each(numbers(count), () => atTurns.push(turns) && block)),
      Effect.sync(() => clearInterval(timer))
    )
    expect(new Set(atTurns).size).toBeGreaterThan(1)
  })

it("any number of concurrent works take turns, one block each", function* () {
  const order: Array<string> = []
  const work = (name: string) => unhurried(each(numbers(4), () => order.push(name) && block))
  const left = yield* Effect.fork(unhurried(each(numbers(1_000_000), () => block)))
  yield* Effect.forEach(["a", "b", "c"], work, { concurrency: "unbounded" })
  // An interrupted work takes no turn of others.
  yield* Fiber.interrupt(left)
  yield* work("abc")
  // The first block of each runs immediately: short work never waits.
  expect(order.join("")).toMatch(/^abc(abc)*$/)
})

it("an interruption ends work between two blocks", function* () {
  let done = 0
  const endless = function* () {
    for (;;) {
      done++
      yield block
    }
  }
  yield* Effect.timeoutOption(unhurried(endless()), 1)
  const atEnd = done
  yield* Effect.sleep(0)
  expect(done).toBe(atEnd)
})

it("an error in a step fails the whole work", function* () {
  const broken = unhurried(
    (function* () {
      yield 1
      throw new Error("oh")
    })()
  )
  expect(yield* Effect.exit(broken)).toMatchObject({ _tag: "Failure", cause: { _tag: "Die" } })
})

it("work that runs again returns its value again", function* () {
  const work = unhurried(mapped(numbers(100), block, (at) => 2 * at))
  expect(yield* work).toEqual(numbers(100).map((at) => 2 * at))
  expect(yield* work).toEqual(numbers(100).map((at) => 2 * at))
})
