import { describe, expect, test } from "bun:test"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/TestClock"
import { type Candidate, isShell, make, type Outcome, settled, templateOf } from "../../../src/crawl/render/Choice.ts"
import { effectWithTestClock, it } from "../../harness.ts"

const settings = { millis: 45_000, mode: "auto", pages: 50, width: 1 } as const

/** A page of a template with the outcome of its rendering; `first` for a start page or a shell. */
interface Page {
  readonly template?: string
  readonly first?: true
  readonly outcome?: Outcome
  /** Milliseconds of its rendering. */
  readonly takes?: number
}

const same: Page = { outcome: { differs: false } }
const differing: Page = { outcome: { differs: true } }
const failing: Page = { outcome: { failed: "time" } }
const candidateOf = ({ first, template = "a" }: Page): Candidate => ({ isFirst: first === true, template })

/** The decisions on pages that are rendered one after another. */
const decisions = (pages: ReadonlyArray<Page>, own: Partial<Parameters<typeof make>[0]> = {}) =>
  Effect.gen(function* () {
    const { turn } = make({ ...settings, ...own })
    return yield* Effect.forEach(pages, (page) =>
      Effect.gen(function* () {
        const { decide, end, tell } = yield* turn
        const decision = yield* decide(candidateOf(page))
        if (page.takes !== undefined && decision === "render") yield* TestClock.adjust(page.takes)
        yield* tell(page.outcome ?? { differs: false })
        yield* end
        return decision === "render" ? "render" : `${decision.state}: ${decision.reason}`
      }).pipe(Effect.map((decision): string => decision))
    )
  })

const times = <A>(count: number, value: A): Array<A> => Array.from({ length: count }, () => value)
const rendered = (count: number) => times(count, "render")
const left = "not_rendered: template_same"
const over = "not_rendered: budget"

describe("auto", () => {
  it("renders two pages of a template, and the rest only if one of the two differs", function* () {
    expect(yield* decisions(times(4, same))).toEqual(["render", "render", left, left])
    expect(yield* decisions([same, differing, same, same])).toEqual(rendered(4))
  })

  it("does not count a failed sample as alike", function* () {
    expect(yield* decisions([failing, same, same])).toEqual(rendered(3))
  })

  it("renders start pages and shells of any template", function* () {
    expect(yield* decisions([same, same, { ...same, first: true }, same])).toEqual(["render", "render", "render", left])
  })

  it("knows templates apart", function* () {
    const other = { ...same, template: "b" }
    expect(yield* decisions([same, same, other, same, other, other])).toEqual([
      "render",
      "render",
      "render",
      left,
      "render",
      left
    ])
  })
})

it("always renders pages of any template", function* () {
  expect(yield* decisions(times(4, same), { mode: "always" })).toEqual(rendered(4))
})

it("ends a template after three failures, with the reason of the third, and no other", function* () {
  const crashed: Page = { outcome: { failed: "crashed" } }
  const pages = [failing, failing, crashed, differing, { ...differing, template: "b" }]
  expect(yield* decisions(pages, { mode: "always" })).toEqual([...rendered(3), "failed: crashed", "render"])
})

it("renders nothing more after the first page that found no browser", function* () {
  const missing: Page = { outcome: { failed: "no_browser" } }
  expect(yield* decisions([missing, { template: "b" }, { first: true }])).toEqual([
    "render",
    ...times(2, "not_rendered: no_browser")
  ])
})

describe("the budget", () => {
  it("of pages keeps a fifth for start pages, shells and samples", function* () {
    const pages = [...times(9, differing), { ...same, template: "b" }, { ...same, first: true as const }]
    expect(yield* decisions(pages, { pages: 10 })).toEqual([...rendered(8), over, "render", "render"])
    expect(yield* decisions([...pages, { ...same, template: "c" }], { pages: 10 })).toContain(over)
  })

  effectWithTestClock("of time counts a page by its share of the browser", function* () {
    const slow: Page = { ...differing, takes: 10_000 }
    expect(yield* decisions(times(6, slow), { millis: 25_000 })).toEqual([...rendered(2), ...times(4, over)])
    expect(yield* decisions(times(6, slow), { millis: 25_000, width: 2 })).toEqual([...rendered(4), ...times(2, over)])
  })
})

describe("a turn", () => {
  it("is decided after all earlier ones, whatever order they come in", function* () {
    const { turn } = make({ ...settings, pages: 2, mode: "always" })
    const [first, second, third] = [yield* turn, yield* turn, yield* turn]
    const late = yield* Effect.fork(third.decide({ isFirst: true, template: "a" }))
    const middle = yield* Effect.fork(second.decide({ isFirst: true, template: "b" }))
    yield* Effect.yieldNow()
    expect(yield* first.decide({ isFirst: true, template: "c" })).toBe("render")
    expect(yield* Fiber.join(middle)).toBe("render")
    expect(yield* Fiber.join(late)).toEqual({ reason: "budget", state: "not_rendered" })
  })

  it("that ends without a page holds up nobody, and its template has no outcome of it", function* () {
    const { turn } = make(settings)
    const [first, second] = [yield* turn, yield* turn]
    yield* first.end
    yield* second.entrance
    expect(yield* second.decide({ isFirst: false, template: "a" })).toBe("render")
  })

  it("that ends before its outcome is known counts as a failure", function* () {
    const { turn } = make({ ...settings, mode: "always" })
    for (const _ of times(3, 0)) {
      const { decide, end } = yield* turn
      yield* decide({ isFirst: false, template: "a" })
      yield* end
    }
    const { decide } = yield* turn
    expect(yield* decide({ isFirst: false, template: "a" })).toEqual({ reason: "time", state: "failed" })
  })

  it("of a known decision waits for nobody", function* () {
    const { decide, entrance } = settled({ reason: "off", state: "not_rendered" })
    yield* entrance
    expect(yield* decide({ isFirst: true, template: "a" })).toEqual({ reason: "off", state: "not_rendered" })
  })
})

describe("a template", () => {
  const of = (url: string, scriptHash = "s") => templateOf({ scriptHash, url: `https://site.test${url}` })

  test("has the kind of URL and the scripts of its pages", () => {
    expect(of("/products/12")).toBe(of("/products/7"))
    expect(of("/products/12")).not.toBe(of("/products/12", "t"))
    expect(of("/products/12")).not.toBe(of("/about/team/12"))
  })
})

describe("a shell", () => {
  const link = (url: string) => ({ target: { fragment: null, followable: true as const, url } })
  const document = { links: [], scripts: 1, text: { words: 3 } }

  test("has scripts, few words and at most two links", () => {
    expect(isShell(document)).toBe(true)
    expect(isShell({ ...document, links: [link("/a"), link("/b"), link("/b")] })).toBe(true)
    expect(isShell({ ...document, links: [link("/a"), link("/b"), link("/c")] })).toBe(false)
    expect(isShell({ ...document, text: { words: 15 } })).toBe(false)
    expect(isShell({ ...document, scripts: 0 })).toBe(false)
  })
})
