import { describe, expect, test } from "bun:test"
import * as fc from "fast-check"
import type { PagePlace, Severity } from "../../../src/crawl/report/Finding.ts"
import { causesOf } from "../../../src/crawl/rules/Causes.ts"
import type { Checked } from "../../../src/crawl/rules/Findings.ts"
import { type Failure, type FaultyElement, failureOf } from "../../../src/crawl/rules/Rule.ts"
import { blameOf } from "../../../src/crawl/score/Score.ts"
import { valueOf } from "../../../src/crawl/score/Value.ts"

const rules = { dead: "critical", mute: "warning", bare: "warning", plain: "info" } as const satisfies Record<
  string,
  Severity
>
type RuleId = keyof typeof rules
const ruleIds = ["dead", "mute", "bare", "plain"] as const

/** An element with the checks that fail on it or its contents. */
interface Element {
  readonly id: string
  readonly place: PagePlace
  readonly isLink: boolean
  readonly fails: ReadonlyArray<RuleId>
}

interface Page {
  readonly elements: ReadonlyArray<Element>
  /** Checks of missing elements. */
  readonly lacks: ReadonlyArray<Severity>
  readonly isDown: boolean
}

const elementFor = ({ id, isLink, place }: Element, rule: RuleId): FaultyElement => ({
  markup: `<${id} ${rule}>`,
  place,
  link: isLink ? id : null
})

const checkedBy = (id: string, severity: Severity, failures: ReadonlyArray<Failure>): Checked => ({
  rule: {
    id,
    category: "links",
    severity,
    means: "",
    fix: "",
    source: "",
    scope: "page",
    check: () => ({ _tag: "NotAssessed", reason: "" })
  },
  check: { _tag: "Assessed", assessed: failures.length, failures, open: null },
  causes: causesOf(failures)
})

const checksOf = (pages: ReadonlyArray<Page>): ReadonlyArray<Checked> => [
  ...ruleIds.map((rule) =>
    checkedBy(
      rule,
      rules[rule],
      pages.flatMap((page, index) => {
        const elements = page.elements.filter(({ fails }) => fails.includes(rule))
        if (elements.length === 0) return []
        return [failureOf(`${index}`, { detail: "", elements: elements.map((each) => elementFor(each, rule)) })]
      })
    )
  ),
  ...(["critical", "warning", "info"] as const).map((severity) =>
    checkedBy(
      `lack ${severity}`,
      severity,
      pages.flatMap(({ lacks }, index) => (lacks.includes(severity) ? [failureOf(`${index}`, "")] : []))
    )
  )
]

const exact = (pages: ReadonlyArray<Page>) => {
  const { byUrl } = blameOf(checksOf(pages))
  const common = { isStart: false, refersToUnverified: "no" } as const
  return valueOf({
    pages: pages.map(({ isDown }, index) =>
      isDown
        ? { ...common, state: "down", rule: "down" }
        : { ...common, state: "up", faults: byUrl.get(`${index}`) ?? [] }
    ),
    redirects: 0,
    outside: [],
    site: [],
    needsJavascript: false,
    blockedStart: "no",
    unverified: 0,
    isStartUnverified: false
  })
}
const worth = (pages: ReadonlyArray<Page>): number => exact(pages)?.value ?? Number.NaN
const slack = 1e-12

const element = (id: string, ...fails: ReadonlyArray<RuleId>): Element => ({ id, place: "nav", isLink: true, fails })
const sound: Page = { elements: [], lacks: [], isDown: false }

/** Twelve pages with the elements of `on`. */
const twelve = (on: (index: number) => ReadonlyArray<Element>): ReadonlyArray<Page> =>
  Array.from({ length: 12 }, (_, index) => ({ ...sound, elements: on(index) }))

describe("a shared failing element lowers the score", () => {
  const shared = element("shared", "mute")

  test("per page, as long as that is the smaller deduction", () => {
    expect(worth(twelve((index) => (index < 3 ? [shared] : [])))).toBeCloseTo(1 - (0.15 * 3) / 12)
    expect(worth(twelve((index) => (index < 6 ? [shared] : [])))).toBeCloseTo(1 - 0.15 / 2)
  })

  test("once per check, for any number of pages and causes", () => {
    expect(worth(twelve(() => [shared]))).toBeCloseTo(1 - 0.15 / 2)
    expect(worth(twelve((index) => [shared, element(`part ${index % 4}`, "mute")]))).toBeCloseTo(1 - 0.15 / 2)
  })

  test("once for each of several checks", () => {
    expect(worth(twelve(() => [shared, element("other", "dead")]))).toBeCloseTo((1 - 0.15 / 2) * (1 - 0.5 / 2))
  })

  test("to the bands: a broken link 75, an unnamed link 92, an unnamed control 98", () => {
    const score = (rule: RuleId) => Math.floor(100 * worth(twelve(() => [element("header", rule)])))
    expect([score("dead"), score("mute"), score("plain")]).toEqual([75, 92, 98])
  })
})

test("elements on one page only lower the score of each page", () => {
  expect(worth(twelve((index) => [element(`own ${index}`, "mute")]))).toBeCloseTo(0.85)
  expect(worth(twelve((index) => [element(`pair ${index % 6}`, "mute")]))).toBeCloseTo(0.85)
})

test("equal markup in another place is another element", () => {
  const places = ["header", "nav", "main", "footer", "head", "main"] as const
  const at = (index: number): ReadonlyArray<Element> => [
    { ...element(`part ${Math.floor(index / 6) % 2}`, "mute"), place: places[index % 6] ?? "main" }
  ]
  expect(worth(twelve(at))).toBeCloseTo(0.85)
})

test("a page with a failing element of its own is deducted beside the factor of a shared element", () => {
  const pages = twelve((index) => [element("shared", "mute"), ...(index < 2 ? [element(`own ${index}`, "mute")] : [])])
  expect(worth(pages)).toBeCloseTo((1 - 0.15 / 2) * (1 - (0.15 * 2) / 12))
  // On most pages the factor would come on top of almost all of the pages' deductions.
  const most = twelve((index) => [element("shared", "mute"), ...(index < 9 ? [element(`own ${index}`, "mute")] : [])])
  expect(worth(most)).toBeCloseTo(0.85)
})

describe("an element and its contents are deducted by one check", () => {
  const lone = (...elements: ReadonlyArray<Element>) => worth([{ ...sound, elements }, sound])

  test("the most severe", () => {
    expect(lone(element("a", "plain", "dead", "mute"))).toBeCloseTo(lone(element("a", "dead")))
    expect(lone(element("a", "mute", "bare"))).toBeCloseTo(lone(element("a", "mute")))
  })

  test("an issue of another element adds to the deduction", () => {
    expect(lone(element("a", "mute", "bare"), element("b", "bare"))).toBeCloseTo((1 + 0.85 * 0.85) / 2)
    const apart = { ...element("a", "mute", "bare"), isLink: false }
    expect(lone(apart)).toBeCloseTo((1 + 0.85 * 0.85) / 2)
  })
})

test("missing elements are deducted on each page", () => {
  const pages = twelve(() => []).map((page): Page => ({ ...page, lacks: ["warning"] }))
  expect(worth(pages)).toBeCloseTo(0.85)
})

describe("no fix lowers the score:", () => {
  const someRules = fc.subarray([...ruleIds], { minLength: 1 })
  const places = fc.constantFrom<PagePlace>("header", "nav", "main", "footer")
  const library = fc
    .array(fc.record({ place: places, isLink: fc.boolean(), fails: someRules }), { minLength: 1, maxLength: 5 })
    .map((all) => all.map((each, index): Element => ({ ...each, id: `e${index}` })))
  const sites = library.chain((elements) =>
    fc.array(
      fc.record({
        elements: fc.subarray(elements),
        lacks: fc.subarray<Severity>(["critical", "warning", "info"]),
        isDown: fc.integer({ max: 4, min: 0 }).map((dice) => dice === 0)
      }),
      { minLength: 1, maxLength: 9 }
    )
  )
  const metOn = (pages: ReadonlyArray<Page>): ReadonlyArray<Element> => [
    ...new Set(pages.flatMap(({ elements }) => elements))
  ]
  const runs = { numRuns: 1000 }

  /** Checks that a change, which may be none, never lowers the value. */
  const never = (change: (pages: ReadonlyArray<Page>, pick: number) => ReadonlyArray<Page>) =>
    fc.assert(
      fc.property(sites, fc.nat(), (pages, pick) => {
        expect(worth(change(pages, pick))).toBeGreaterThanOrEqual(worth(pages) - slack)
      }),
      runs
    )

  test("a fix of an element everywhere", () => {
    never((pages, pick) => {
      const met = metOn(pages)
      const gone = met[pick % Math.max(1, met.length)]
      return pages.map((page) => ({ ...page, elements: page.elements.filter((each) => each !== gone) }))
    })
  })

  test("a fix of a missing element", () => {
    never((pages, pick) => pages.map((page, index) => (index === pick % pages.length ? { ...page, lacks: [] } : page)))
  })

  test("a fix of an element on one page, unless two pages remain of a cause hidden by another cause of the check", () => {
    never((pages, pick) => {
      const places = pages.flatMap(({ elements }, index) => elements.map((each) => ({ each, index })))
      const gone = places[pick % Math.max(1, places.length)]
      if (gone === undefined) return pages
      const { fails, id } = gone.each
      const isThird = pages.filter(({ elements }) => elements.some((each) => each.id === id)).length === 3
      const hasOther = metOn(pages).some((each) => each.id !== id && each.fails.some((rule) => fails.includes(rule)))
      if (isThird && hasOther) return pages
      return pages.map((page, index) =>
        index === gone.index ? { ...page, elements: page.elements.filter((each) => each.id !== id) } : page
      )
    })
  })

  test("fixes of the only cause of a check, page by page, on sites of any size", () => {
    for (let size = 1; size <= 12; size++) {
      const values = Array.from({ length: size + 1 }, (_, having) =>
        worth(
          Array.from({ length: size }, (_, index) => ({
            ...sound,
            elements: index < having ? [element("nav", "dead")] : []
          }))
        )
      )
      expect(values).toEqual(values.toSorted((a, b) => b - a))
    }
  })
})

test("the order of pages and checks does not matter, and the parts add up", () => {
  const element = fc.record({
    id: fc.constantFrom("a", "b", "c"),
    place: fc.constantFrom<PagePlace>("nav", "main"),
    isLink: fc.boolean(),
    fails: fc.subarray([...ruleIds])
  })
  const page = fc.record({
    elements: fc.uniqueArray(element, { maxLength: 3, selector: ({ id }) => id }),
    lacks: fc.subarray<Severity>(["critical", "warning"]),
    isDown: fc.constant(false)
  })
  fc.assert(
    fc.property(fc.array(page, { minLength: 1, maxLength: 9 }), (pages) => {
      const found = exact(pages)
      const lost = [...(found?.lost.values() ?? [])].reduce((sum, each) => sum + each, 0)
      expect((found?.value ?? 0) + lost).toBeCloseTo(1, 12)
      expect(worth(pages.toReversed())).toBeCloseTo(worth(pages), 12)
    })
  )
})

test("more checks than can be weighed against each other are also deducted once", () => {
  const page = {
    isStart: false,
    refersToUnverified: "no",
    state: "up",
    faults: Array.from({ length: 14 }, (_, index) => ({
      rule: `r${index}`,
      severity: "info" as const,
      isShared: true
    }))
  } as const
  const found = valueOf({
    pages: [page, page, page, page],
    redirects: 0,
    outside: [],
    site: [],
    needsJavascript: false,
    blockedStart: "no",
    unverified: 0,
    isStartUnverified: false
  })
  expect(found?.value).toBeCloseTo((1 - 0.03 / 2) ** 14)
})
