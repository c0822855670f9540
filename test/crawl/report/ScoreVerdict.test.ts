import { expect, test } from "bun:test"
import * as Effect from "effect/Effect"
import { renderHtml } from "../../../src/crawl/formats/Html.ts"
import { renderReport } from "../../../src/crawl/formats/Terminal.ts"
import { verdictWords } from "../../../src/crawl/report/Labels.ts"
import { verdictOn } from "../../../src/crawl/report/ScoreVerdict.ts"
import { it } from "../../harness.ts"
import { notFound, origin, page, soundSite } from "../rules/SoundSite.ts"
import { report } from "../site/Crawled.ts"
import { memoryOutbound } from "../site/MemoryOutbound.ts"

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

it("a crawl has one verdict in all reports for people", function* () {
  const paths = Array.from({ length: 30 }, (_, index) => `/p${index}`)
  const links = ["/", ...paths]
  const pages = Object.fromEntries(paths.map((path) => [path, page(path, { links })]))
  const changes = { ...pages, "/p0": page("/p0", { links: [...links, "/gone"] }), "/gone": notFound }
  const result = yield* Effect.provide(report(`${origin}/`), memoryOutbound(soundSite(changes, ["/gone"])))
  expect(result.score).toMatchObject({ status: "good" })
  expect(yield* renderHtml(result, null)).toContain("needs attention · 2 critical issues")
  expect(renderReport(result, { color: false })).toContain("of 100, needs attention, 2 critical issues")
  const free = "No points lost: “Broken link” already counts this cause."
  expect(yield* renderHtml(result, null)).toContain(free)
  expect(renderReport(result, { color: false })).toContain(free)
})
