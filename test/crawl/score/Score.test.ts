import { describe, expect, test } from "bun:test"
import * as fc from "fast-check"
import { scoreOf } from "../../../src/crawl/score/Score.ts"
import { type Fault, type KnownPage, type ScoreLedger, valueOf } from "../../../src/crawl/score/Value.ts"

const severities = ["critical", "warning", "info"] as const

const fault: fc.Arbitrary<Fault> = fc
  .record({
    severity: fc.constantFrom(...severities),
    rule: fc.constantFrom("a", "b", "c"),
    isShared: fc.boolean()
  })
  .map((each) => ({ ...each, rule: `${each.severity} ${each.rule}` }))
const faults = fc.uniqueArray(fault, { maxLength: 6, selector: ({ rule }) => rule })
const unshared = faults.map((all) => all.map((each) => ({ ...each, isShared: false })))
const refersToUnverified = fc.constantFrom("no", "shared", "own")

const page: fc.Arbitrary<KnownPage> = fc
  .oneof(
    {
      weight: 5,
      arbitrary: fc.record({ state: fc.constant("up" as const), faults, refersToUnverified })
    },
    fc.record({ state: fc.constant("hidden" as const), faults, refersToUnverified }),
    fc.record({ state: fc.constant("down" as const), rule: fc.constant("page_down"), refersToUnverified })
  )
  .map((each) => ({ ...each, isStart: false }))

/** Possible ledgers of a crawl: at most one start page, the first. */
const ledger: fc.Arbitrary<ScoreLedger> = fc
  .record({
    pages: fc.array(page, { maxLength: 50 }),
    redirects: fc.nat(20),
    outside: unshared,
    site: unshared,
    needsJavascript: fc.boolean(),
    blockedStart: fc.constantFrom("no", "read"),
    unverified: fc.nat(60),
    isStartUnverified: fc.boolean()
  })
  .map((book) => ({
    ...book,
    redirects: book.outside.length === 0 ? book.redirects : Math.max(1, book.redirects),
    pages: book.pages.map((each, index) => ({ ...each, isStart: index === 0 && !book.isStartUnverified }))
  }))

const clean = (pages: number, own: Partial<ScoreLedger> = {}): ScoreLedger => ({
  pages: Array.from({ length: pages }, (_, index) => ({
    state: "up",
    faults: [],
    isStart: index === 0,
    refersToUnverified: "no" as const
  })),
  redirects: 0,
  outside: [],
  site: [],
  needsJavascript: false,
  blockedStart: "no",
  unverified: 0,
  isStartUnverified: false,
  ...own
})

const exact = (book: ScoreLedger): number => valueOf(book)?.value ?? Number.NaN
const slack = 1e-12

/** Every place of a ledger for issues: pages, other URLs, the site. */
type Place = (book: ScoreLedger, change: (faults: ReadonlyArray<Fault>) => ReadonlyArray<Fault>) => ScoreLedger

const places = (book: ScoreLedger): ReadonlyArray<Place> => [
  ...book.pages.flatMap(
    ({ state }, index): ReadonlyArray<Place> =>
      state === "down"
        ? []
        : [
            (old, change) => ({
              ...old,
              pages: old.pages.map((each, at) =>
                at === index && each.state !== "down" ? { ...each, faults: change(each.faults) } : each
              )
            })
          ]
  ),
  (old, change) => ({ ...old, outside: change(old.outside) }),
  (old, change) => ({ ...old, site: change(old.site) })
]

test("the score lies between 0 and 100, and within its range", () => {
  fc.assert(
    fc.property(ledger, (book) => {
      const { aggregate_score, coverage, has_data, range } = scoreOf(book)
      expect(aggregate_score === null).toBe(!has_data)
      expect(coverage).toBeGreaterThanOrEqual(0)
      expect(coverage).toBeLessThanOrEqual(1)
      if (aggregate_score === null || range.low === null || range.high === null) return
      expect([0, range.low, aggregate_score, range.high, 100]).toEqual(
        [0, range.low, aggregate_score, range.high, 100].toSorted((a, b) => a - b)
      )
    })
  )
})

test("a fix never lowers the exact value", () => {
  fc.assert(
    fc.property(ledger, fc.nat(), fc.nat(), (book, pick, which) => {
      fc.pre(book.pages.length > 0)
      const at = places(book)
      const place = at[pick % at.length]
      const repaired = place?.(book, (old) => old.filter((_, index) => index !== which % Math.max(1, old.length)))
      expect(exact(repaired ?? book)).toBeGreaterThanOrEqual(exact(book) - slack)
    })
  )
})

test("a page that becomes available again never lowers the exact value", () => {
  fc.assert(
    fc.property(ledger, faults, fc.nat(), (book, left, pick) => {
      const down = book.pages.flatMap(({ state }, index) => (state === "down" ? [index] : []))
      fc.pre(down.length > 0)
      const pages = book.pages.map((each, index) =>
        index === down[pick % down.length] ? { ...each, state: "up" as const, faults: left } : each
      )
      expect(exact({ ...book, pages })).toBeGreaterThanOrEqual(exact(book) - slack)
    })
  )
})

test("each further critical issue or warning lowers the exact value of a site", () => {
  fc.assert(
    fc.property(ledger, fc.nat(), fc.constantFrom("critical", "warning"), (book, pick, severity) => {
      fc.pre(exact(book) > 0)
      const at = places(book)
      const worse = at[pick % at.length]?.(book, (old) => [...old, { rule: "more", severity, isShared: false }]) ?? book
      expect(exact(worse)).toBeLessThan(exact(book))
    })
  )
})

test("one critical issue lowers the visible score of any clean site with at most 50 pages", () => {
  const critical: Fault = { rule: "r", severity: "critical", isShared: false }
  for (let size = 1; size <= 50; size++) {
    const book = clean(size)
    expect(scoreOf(book).aggregate_score).toBe(100)
    for (const place of places(book))
      expect(scoreOf(place(book, () => [critical])).aggregate_score ?? 100).toBeLessThan(100)
  }
})

test("the order of pages and issues does not matter", () => {
  fc.assert(
    fc.property(ledger, (book) => {
      fc.pre(book.pages.length > 0)
      const backwards = {
        ...book,
        outside: book.outside.toReversed(),
        site: book.site.toReversed(),
        pages: book.pages
          .toReversed()
          .map((each) => (each.state === "down" ? each : { ...each, faults: each.faults.toReversed() }))
      }
      const [a, b] = [scoreOf(book), scoreOf(backwards)]
      expect({ ...b, breakdown: null }).toEqual({ ...a, breakdown: null })
      expect(exact(backwards)).toBeCloseTo(exact(book), 12)
    })
  )
})

test("deductions and the value add up exactly to 100, and the score is the value rounded down", () => {
  fc.assert(
    fc.property(ledger, (book) => {
      const { aggregate_score, breakdown } = scoreOf(book)
      if (aggregate_score === null) return
      const left = breakdown.lost.reduce((rest, { points }) => rest - points, 100)
      expect(left).toBeCloseTo(100 * exact(book), 9)
      expect(aggregate_score).toBe(Math.floor(left + 1e-8))
      expect(breakdown.mean).toBeGreaterThanOrEqual(exact(book) - slack)
    })
  )
})

test("unverified URLs widen the range and never change the score", () => {
  fc.assert(
    fc.property(ledger, (book) => {
      const known = { ...book, unverified: 0, isStartUnverified: false }
      const sure = { ...known, pages: known.pages.map((each) => ({ ...each, refersToUnverified: "no" as const })) }
      const [certain, open] = [scoreOf(sure), scoreOf(book)]
      expect(open.aggregate_score).toBe(certain.aggregate_score)
      expect(open.breakdown).toEqual(certain.breakdown)
      expect(certain.range).toEqual({ low: certain.aggregate_score, high: certain.aggregate_score })
      expect(certain.provisional).toBe(false)
    })
  )
})

describe("the formula, computed by hand:", () => {
  const one = (severity: Fault["severity"], rule = "r"): ReadonlyArray<Fault> => [{ rule, severity, isShared: false }]
  const withFaults = (faults: ReadonlyArray<Fault>, pages = 10): ScoreLedger => {
    const [place] = places(clean(pages))
    return place?.(clean(pages), () => faults) ?? clean(pages)
  }

  test("the value of a page is the product over its failed checks", () => {
    expect(exact(withFaults([...one("critical"), ...one("warning"), ...one("info")], 1))).toBeCloseTo(0.5 * 0.85 * 0.97)
    expect(exact(withFaults(one("critical"), 4))).toBeCloseTo(3.5 / 4)
  })

  test("a URL outside of the pages weighs by the number of pages, and an issue without a URL weighs half", () => {
    expect(exact(clean(9, { redirects: 1, outside: one("critical") }))).toBeCloseTo(1 - 0.5 / 10)
    expect(exact(clean(9, { redirects: 1, outside: one("warning") }))).toBeCloseTo(1 - 0.15 / 10)
    expect(exact(clean(9, { site: one("critical") }))).toBeCloseTo(0.75)
    expect(exact(clean(9, { site: one("info") }))).toBeCloseTo(1 - 0.03 / 2)
  })

  test("at most one factor counts, the smallest", () => {
    const hidden = (from: number, size: number) => ({
      ...clean(size, { needsJavascript: true }),
      pages: clean(size).pages.map((each, index) =>
        index >= from && each.state === "up" ? { ...each, state: "hidden" as const } : each
      )
    })
    const factor = (book: ScoreLedger) => scoreOf(book).breakdown.factor
    expect(factor(clean(3))).toBe(null)
    expect(factor(clean(3, { needsJavascript: true }))).toEqual({ name: "needs_javascript", value: 0.45 })
    expect(factor(hidden(5, 10))).toEqual({ name: "needs_javascript", value: 0.45 })
    expect(factor(hidden(4, 10))).toEqual({ name: "mostly_hidden", value: 0.45 })
    expect(
      factor({ ...hidden(0, 10), pages: hidden(0, 10).pages.toSpliced(5, 1, { ...page0, isStart: false }) })
    ).toEqual({
      name: "start_unavailable",
      value: 0.3
    })
    expect(factor(hidden(0, 10))).toEqual({ name: "no_eligible_page", value: 0.1 })
    expect(factor({ ...hidden(0, 10), blockedStart: "read" })).toEqual({ name: "start_blocked", value: 0.1 })
  })

  const page0: KnownPage = { state: "up", faults: [], isStart: true, refersToUnverified: "no" as const }

  test("the range assumes all unverified URLs to be down or sound", () => {
    const book = clean(3, { unverified: 1 })
    const [first, ...others] = book.pages
    const pages = first === undefined ? [] : [{ ...first, refersToUnverified: "own" as const }, ...others]
    expect(scoreOf({ ...book, pages })).toMatchObject({
      aggregate_score: 100,
      range: { low: 62, high: 100 },
      coverage: 0.75,
      provisional: true
    })
  })

  test("unverified links shared by pages would be deducted once if they were broken", () => {
    const book = clean(12, { unverified: 1 })
    const refers = (refersToUnverified: KnownPage["refersToUnverified"]) =>
      scoreOf({ ...book, pages: book.pages.map((each) => ({ ...each, refersToUnverified })) }).range
    expect(refers("own")).toEqual({ low: Math.floor((100 * 6) / 13), high: 100 })
    expect(refers("shared")).toEqual({ low: Math.floor((100 * 0.75 * 12) / 13), high: 100 })
    expect(refers("no")).toEqual({ low: Math.floor((100 * 12) / 13), high: 100 })
  })

  test("a start page blocked for search engines leaves at most ten points, and blocked for us leaves everything open", () => {
    expect(scoreOf(clean(12, { blockedStart: "read" }))).toMatchObject({
      aggregate_score: 10,
      coverage: 1,
      range: { low: 10, high: 10 },
      provisional: false
    })
    expect(scoreOf(clean(12, { blockedStart: "unread", unverified: 3 }))).toMatchObject({
      aggregate_score: 10,
      status: "poor",
      coverage: 0,
      range: { low: 0, high: 10 },
      provisional: true
    })
  })

  test("the deduction of a factor is listed under its name, and every other deduction under its check", () => {
    const { breakdown } = scoreOf({ ...withFaults(one("critical", "title_missing")), needsJavascript: true })
    expect(breakdown.mean).toBeCloseTo(0.95)
    expect(breakdown.lost.map(({ points, rule }) => [rule, Math.round(points * 100) / 100])).toEqual([
      ["needs_javascript", 52.25],
      ["title_missing", 5]
    ])
  })

  test("the status follows the published limits", () => {
    const down = (count: number) => {
      const pages = clean(100).pages.map((each, index) =>
        index > 0 && index <= count
          ? { state: "down" as const, rule: "d", isStart: false, refersToUnverified: "no" as const }
          : each
      )
      return scoreOf({ ...clean(100), pages }).status
    }
    expect([down(10), down(11), down(50), down(51)]).toEqual(["good", "needs_improvement", "needs_improvement", "poor"])
  })
})

test("a site without assessed pages has no score, not a zero", () => {
  expect(scoreOf(clean(0, { unverified: 3 }))).toEqual({
    score_version: 4,
    has_data: false,
    aggregate_score: null,
    status: null,
    range: { low: null, high: null },
    coverage: 0,
    provisional: false,
    breakdown: { mean: null, factor: null, lost: [] }
  })
})
