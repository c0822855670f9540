import { describe, expect, test } from "bun:test"
import * as fc from "fast-check"
import { assigning, type Candidate } from "../../../../../src/features/experiments/statistics/design/Design.ts"
import { finish } from "../../../../../src/foundation/schema/Steps.ts"

const assign = (pages: ReadonlyArray<Candidate>, seed: string) => finish(assigning(pages, seed))

const pages = fc.uniqueArray(
  fc.record({
    path: fc.string({ unit: "binary", minLength: 1, maxLength: 6 }),
    clicks: fc.integer({ min: 0, max: 9 })
  }),
  { selector: ({ path }) => path, maxLength: 40 }
)

describe("an assignment", () => {
  test("treats of each pair by clicks the path whose SHA-256 with the seed is smaller", () => {
    // SHA-256 of `seed`, a line feed and the path begin with 6eb9 (/a), 56d1 (/b), 455b (/c), 2726 (/d) and ce48 (/é).
    const arms = assign(
      [
        { path: "/é", clicks: 1 },
        { path: "/d", clicks: 5 },
        { path: "/a", clicks: 90 },
        { path: "/c", clicks: 40 },
        { path: "/b", clicks: 7 }
      ],
      "seed"
    )
    expect(arms).toEqual({ treatment: ["/c", "/d"], control: ["/a", "/b", "/é"] })
  })

  test("leaves out pages without a click, and makes the odd last one control", () => {
    const arms = assign(
      [
        { path: "/x", clicks: 0 },
        { path: "/y", clicks: 1 }
      ],
      ""
    )
    expect(arms).toEqual({ treatment: [], control: ["/y"] })
  })

  test("orders pages of equal clicks by code points: U+FFFD comes before U+1F600, although its code unit is greater", () => {
    const of = (paths: ReadonlyArray<string>) =>
      assign(
        paths.map((path) => ({ path, clicks: 3 })),
        "s"
      )
    // The odd last of three is control: the emoji is, in whatever order they came.
    for (const paths of [
      ["/\u{1F600}", "/\uFFFD", "/a"],
      ["/a", "/\uFFFD", "/\u{1F600}"]
    ]) {
      const { control, treatment } = of(paths)
      expect(control.at(-1)).toBe("/\u{1F600}")
      expect(treatment).toHaveLength(1)
    }
  })

  test("deals each page with clicks once, into arms of one size, like neighbours, whatever the order they came in", () => {
    fc.assert(
      fc.property(pages, fc.string(), fc.infiniteStream(fc.nat()), (given, seed, order) => {
        const { control, treatment } = assign(given, seed)
        const clicked = given.filter(({ clicks }) => clicks >= 1)
        expect([...control, ...treatment].toSorted()).toEqual(clicked.map(({ path }) => path).toSorted())
        expect(control.length - treatment.length).toBe(clicked.length % 2)
        const clicksOf = new Map(given.map(({ clicks, path }) => [path, clicks]))
        const ranked = clicked.map(({ clicks }) => clicks).toSorted((a, b) => b - a)
        treatment.forEach((path, pair) => {
          const found = [clicksOf.get(path) ?? 0, clicksOf.get(control[pair] ?? "") ?? 0].toSorted((a, b) => b - a)
          expect(found).toEqual(ranked.slice(2 * pair, 2 * pair + 2))
        })
        const shuffled = given
          .map((page) => ({ page, at: order.next().value ?? 0 }))
          .toSorted((a, b) => a.at - b.at)
          .map(({ page }) => page)
        expect(assign(shuffled, seed)).toEqual({ control, treatment })
      })
    )
  })

  test("treats each page about half of the time over many seeds", () => {
    const given = Array.from({ length: 10 }, (_, at) => ({ path: `/${at}`, clicks: 10 - at }))
    const seeds = Array.from({ length: 400 }, (_, seed) => assign(given, `${seed}`).treatment)
    for (const { path } of given) {
      const times = seeds.filter((treatment) => treatment.includes(path)).length
      expect(Math.abs(times - 200)).toBeLessThan(60)
    }
  })
})
