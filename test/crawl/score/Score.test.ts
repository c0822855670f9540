import { expect, test } from "bun:test"
import * as fc from "fast-check"
import { type Outcome, type ScoreLedger, scoreOf, weights } from "../../../src/crawl/score/Score.ts"

const outcome = (pages: number): fc.Arbitrary<Outcome> =>
  fc.record({
    rule: fc.string({ minLength: 1, maxLength: 8 }),
    scope: fc.constantFrom("page", "url", "site", "down"),
    severity: fc.constantFrom("critical", "warning", "info"),
    failing: fc.nat(pages),
    open: fc.boolean()
  })

/** Ledgers as a run can make them: pages that are down are some of the pages, and fail no rule about content. */
const ledger: fc.Arbitrary<ScoreLedger> = fc.integer({ min: 0, max: 60 }).chain((pages) =>
  fc
    .record({
      outcomes: fc.array(outcome(pages), { maxLength: 30 }),
      touchedPages: fc.nat(pages),
      unverifiedPages: fc.nat(60)
    })
    .map(({ outcomes, touchedPages, unverifiedPages }) => ({
      assessedPages: pages,
      touchedPages,
      unverifiedPages,
      outcomes: settled(outcomes, pages)
    }))
)

/** At most as many pages down as there are, and a failed site rule counts once. */
const settled = (outcomes: ReadonlyArray<Outcome>, pages: number): ReadonlyArray<Outcome> => {
  let left = pages
  return outcomes.map((each) => {
    if (each.scope === "site") return { ...each, failing: Math.min(1, each.failing) }
    if (each.scope !== "down") return each
    const failing = Math.min(left, each.failing)
    left -= failing
    return { ...each, failing }
  })
}

const valueOf = (book: ScoreLedger): number => scoreOf(book).aggregate_score ?? Number.NaN

test("the score lies between 0 and 100, and inside its range", () => {
  fc.assert(
    fc.property(ledger, (book) => {
      const { aggregate_score, coverage, has_data, range } = scoreOf(book)
      expect(range.low).toBeGreaterThanOrEqual(0)
      expect(range.high).toBeLessThanOrEqual(100)
      expect(coverage).toBeGreaterThanOrEqual(0)
      expect(coverage).toBeLessThanOrEqual(1)
      expect(aggregate_score === null).toBe(!has_data)
      if (aggregate_score === null) return
      expect(aggregate_score).toBeGreaterThanOrEqual(range.low)
      expect(aggregate_score).toBeLessThanOrEqual(range.high)
    })
  )
})

test("a fix never lowers the score", () => {
  fc.assert(
    fc.property(ledger, fc.nat(), (book, pick) => {
      const failed = book.outcomes.flatMap(({ failing }, index) => (failing > 0 ? [index] : []))
      fc.pre(failed.length > 0)
      const fixed = failed[pick % failed.length]
      const outcomes = book.outcomes.map((each, index) =>
        index === fixed ? { ...each, failing: each.failing - 1 } : each
      )
      const [before, after] = [valueOf(book), valueOf({ ...book, outcomes })]
      if (!Number.isNaN(before)) expect(after).toBeGreaterThanOrEqual(before)
    })
  )
})

test("the order of rules does not matter", () => {
  fc.assert(
    fc.property(ledger, (book) => {
      const { breakdown: _, ...forwards } = scoreOf(book)
      const { breakdown: __, ...backwards } = scoreOf({ ...book, outcomes: [...book.outcomes].reverse() })
      expect(backwards).toEqual(forwards)
    })
  )
})

test("it adds up exactly: what is lost and what is earned is all there is", () => {
  fc.assert(
    fc.property(ledger, (book) => {
      const { aggregate_score, breakdown } = scoreOf(book)
      const lost = breakdown.lost.reduce((sum, { points }) => sum + points, 0)
      expect(breakdown.earned + lost).toBe(breakdown.possible)
      expect(breakdown.earned).toBeGreaterThanOrEqual(0)
      if (breakdown.possible > 0)
        expect(aggregate_score).toBe(Math.floor((100 * breakdown.earned) / breakdown.possible))
    })
  )
})

test("what could not be verified widens the range and never moves the score", () => {
  fc.assert(
    fc.property(ledger, fc.integer({ min: 1, max: 50 }), (book, more) => {
      const [narrow, wide] = [scoreOf(book), scoreOf({ ...book, unverifiedPages: book.unverifiedPages + more })]
      expect(wide.aggregate_score).toBe(narrow.aggregate_score)
      expect(wide.range.low).toBeLessThanOrEqual(narrow.range.low)
      expect(wide.range.high).toBeGreaterThanOrEqual(narrow.range.high)
    })
  )
})

test("rules that only inform cost nothing", () => {
  fc.assert(
    fc.property(ledger, (book) => {
      const silent = book.outcomes.filter(({ scope, severity }) => scope === "down" || weights[severity] > 0)
      expect(scoreOf({ ...book, outcomes: silent })).toEqual(scoreOf(book))
    })
  )
})

test("a rule with nothing left to look at is worth what it was worth when it passed", () => {
  fc.assert(
    fc.property(ledger, (book) => {
      const passed = book.outcomes.map((each) => ({ ...each, failing: 0, open: false }))
      const { aggregate_score, has_data } = scoreOf({ ...book, outcomes: passed })
      expect(aggregate_score).toBe(has_data ? 100 : null)
    })
  )
})

test("open rules lower the low end only, and at most on the pages that refer to the unknown", () => {
  fc.assert(
    fc.property(ledger, (book) => {
      const shut = scoreOf({ ...book, outcomes: book.outcomes.map((each) => ({ ...each, open: false })) })
      const open = scoreOf(book)
      expect(open.range.low).toBeLessThanOrEqual(shut.range.low)
      expect({ ...open, range: null }).toEqual({ ...shut, range: null })
      const untouched = scoreOf({
        ...book,
        touchedPages: 0,
        outcomes: book.outcomes.map((each) => ({ ...each, open: each.open && each.scope !== "site" }))
      })
      expect(untouched.range.low).toBe(shut.range.low)
    })
  )
})

test("status follows the published limits", () => {
  const failing = (count: number) =>
    scoreOf({
      assessedPages: 100,
      touchedPages: 0,
      unverifiedPages: 0,
      outcomes: [{ rule: "r", scope: "page", severity: "critical", failing: count, open: false }]
    })
  expect([failing(10), failing(11), failing(50), failing(51)].map(({ status }) => status)).toEqual([
    "good",
    "needs_improvement",
    "needs_improvement",
    "poor"
  ])
})

test("nothing measured is no score, not a zero", () => {
  expect(scoreOf({ assessedPages: 0, touchedPages: 0, unverifiedPages: 3, outcomes: [] })).toMatchObject({
    has_data: false,
    aggregate_score: null,
    status: null,
    coverage: 0
  })
})
