import { expect, test } from "bun:test"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { Condition, gate } from "../../../src/app/operator/Reports.ts"
import { diffOf } from "../../../src/crawl/diff/Diff.ts"
import { page, soundSite } from "../../crawl/rules/SoundSite.ts"
import { report } from "../../crawl/site/Crawled.ts"
import { memoryOutbound } from "../../crawl/site/MemoryOutbound.ts"
import { it } from "../../harness.ts"

const crawled = (changes: Parameters<typeof soundSite>[0], own: Parameters<typeof report>[1] = {}) =>
  Effect.provide(report("https://site.test/", own), memoryOutbound(soundSite(changes)))

const critical = { "/a": page("/a", { title: " " }) }
const warning = { "/a": page("/a", { body: '<img src="/a.png">' }) }
const info = { "/a": page("/a", { title: `A ${"long ".repeat(20)}` }) }
const reasons = (
  conditions: ReadonlyArray<string>,
  ...[result, diff]: [Parameters<typeof gate>[1], Parameters<typeof gate>[2]?]
) => Either.getOrThrow(gate(conditions, result, diff ?? null))

test("a condition is a severity, a new severity or a minimum score", () => {
  const is = Schema.is(Condition)
  for (const good of ["critical", "warning", "info", "new:critical", "new:warning", "score<90", "score<100"])
    expect([good, is(good)]).toEqual([good, true])
  for (const bad of ["", "new", "new:", "severe", "score", "score<", "score<101", "score>90", "score<-1", "score<9.5"])
    expect([bad, is(bad)]).toEqual([bad, false])
})

it("a severity condition includes all higher severities", function* () {
  const fails = (result: Parameters<typeof gate>[1]) =>
    ["critical", "warning", "info"].map((condition) => reasons([condition], result).length === 1)
  expect(fails(yield* crawled({}))).toEqual([false, false, false])
  expect(fails(yield* crawled(info))).toEqual([false, false, true])
  expect(fails(yield* crawled(warning))).toEqual([false, true, true])
  expect(fails(yield* crawled(critical))).toEqual([true, true, true])
})

it("a minimum score fails below its value, and cannot be checked without a score", function* () {
  const result = yield* crawled({})
  expect(reasons(["score<100"], result)).toEqual([])
  const worse = yield* crawled(critical)
  expect(reasons([`score<${worse.score.aggregate_score}`], worse)).toEqual([])
  expect(reasons(["score<100"], worse)).toEqual([`score<100: the score is ${worse.score.aggregate_score}`])
  const none = yield* crawled({ "/robots.txt": { status: 500 } })
  expect(Either.isLeft(gate(["score<90"], none, null))).toBe(true)
})

it("a broken link of the baseline is not new; one more broken link on the same page is new", function* () {
  const gone = { "/gone": { status: 404, headers: {} }, "/lost": { status: 404, headers: {} } }
  const [one, two] = [
    yield* crawled({ "/a": page("/a", { links: ["/", "/gone"] }), ...gone }),
    yield* crawled({ "/a": page("/a", { links: ["/", "/gone", "/lost"] }), ...gone })
  ]
  expect(reasons(["critical"], one)).toHaveLength(1)
  expect(reasons(["new:critical"], one, diffOf(one, one))).toEqual([])
  expect(reasons(["new:critical"], two, diffOf(one, two))).toEqual(["new:critical: 1 new broken link"])
  expect(reasons(["new:info"], one, diffOf(two, one))).toEqual([])
})

it("a baseline that cannot be compared is an error, not a pass", function* () {
  const [elsewhere, now] = [yield* crawled({}, { checkDeadLinks: false }), yield* crawled(critical)]
  expect(Either.isRight(gate(["new:critical"], now, diffOf(elsewhere, now)))).toBe(true)
  const dead = yield* crawled({ "/a": page("/a", { links: ["/", "/gone"] }), "/gone": { status: 404, headers: {} } })
  expect(gate(["new:critical"], dead, diffOf(elsewhere, dead))).toMatchObject(
    Either.left(expect.stringContaining("did not check links"))
  )
  expect(Either.isLeft(gate(["new:critical"], now, null))).toBe(true)
})
