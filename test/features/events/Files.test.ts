import { describe, expect, test } from "bun:test"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Snapshots from "../../../src/features/visibility/Snapshots.ts"

const reason = <A>(read: Either.Either<A, string>) => (Either.isLeft(read) ? read.left : "accepted")

describe("a file of AI visibility", () => {
  test("is a JSON array of engines with one metric or both", () => {
    const text = JSON.stringify([
      { citation_rate: 31, engine: "one" },
      { citation_rate: null, engine: "two", sentiment: -100 }
    ])
    expect(Either.getOrThrow(Snapshots.read(text))).toEqual([
      { answers: null, cited: null, citation_rate: 31, engine: "one", sentiment: null },
      { answers: null, cited: null, citation_rate: null, engine: "two", sentiment: -100 }
    ])
  })

  test.each([
    ["[]", "the file has no engines"],
    ['[{"engine":"one"}]', "the engine one has neither sentiment nor citation_rate: send at least one"],
    ['[{"engine":"one","sentiment":1},{"engine":"one","sentiment":2}]', "the engine one occurs twice"]
  ])("%p is refused: %s", (text, expected) => {
    expect(reason(Snapshots.read(text))).toBe(expected)
  })

  test.each([
    '[{"engine":"","sentiment":1}]',
    '[{"engine":"a","sentiment":101}]',
    '[{"engine":"a","citation_rate":-1}]',
    "{}",
    "x"
  ])("%p is refused", (text) => {
    expect(reason(Snapshots.read(text))).not.toBe("accepted")
  })
})

describe("a change of a metric", () => {
  test.each([
    [25.1, 30.1, 5],
    [30.1, 25.1, -5],
    [0, 4.999, null],
    [-2, 3, 5],
    [10, 10, null]
  ])("from %d to %d points is reported as %p", (previous, current, told) => {
    expect(Option.getOrNull(Snapshots.movement(previous, current))).toBe(told)
  })

  test("from or to a missing value does not exist", () => {
    expect(Option.isNone(Snapshots.movement(null, 50))).toBe(true)
    expect(Option.isNone(Snapshots.movement(50, null))).toBe(true)
  })
})
