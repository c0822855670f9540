import { expect, test } from "bun:test"
import { verdictWords } from "../../../src/crawl/report/Labels.ts"
import { verdictOn } from "../../../src/crawl/report/ScoreVerdict.ts"

test("a verdict is the rating of the score, but never good while an issue is critical", () => {
  const said = ([score, critical]: readonly [number, number]) => verdictWords[verdictOn(score, critical)]
  const cases = [
    [100, 0],
    [90, 0],
    [90, 1],
    [89, 0],
    [50, 3],
    [49, 3]
  ] as const
  expect(cases.map(said)).toEqual(["good", "good", "needs attention", "needs improvement", "needs improvement", "poor"])
})
