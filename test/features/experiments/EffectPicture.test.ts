import { expect, test } from "bun:test"
import * as Either from "effect/Either"
import { SaxesParser } from "saxes"
import { effectPicture } from "../../../src/features/experiments/Report.ts"
import { type DesignedAnalysis, evaluate } from "../../../src/features/experiments/statistics/design/Design.ts"
import { experiment, steady } from "./statistics/design/Panels.ts"

const { design, panel } = experiment(
  [steady(10, 13), steady(40, 44), steady(90, 120)],
  [steady(12, 12), steady(30, 33), steady(100, 95)],
  4
)
const analysis: DesignedAnalysis = Either.getOrThrow(evaluate(panel, design))

/** Names, attributes and texts of a picture, which must be well-formed XML. */
const read = (of: DesignedAnalysis) => {
  const tags: Array<{ readonly name: string; readonly of: Readonly<Record<string, string>> }> = []
  const texts: Array<string> = []
  const parser = new SaxesParser({})
  parser.on("error", (error) => {
    throw error
  })
  parser.on("opentag", ({ attributes, name }) => tags.push({ name, of: attributes }))
  parser.on("text", (text) => texts.push(text))
  parser.write(effectPicture(of).text).close()
  return { tags, texts }
}

const xOf = (part: { readonly of: Readonly<Record<string, string>> } | undefined) => Number(part?.of.cx)

test("the picture of an effect has a title and a description for screen readers", () => {
  const { tags, texts } = read(analysis)
  expect(tags[0]?.of).toMatchObject({ role: "img", "aria-labelledby": "effect-title effect-text" })
  expect(tags.filter(({ of }) => of.id?.startsWith("effect-")).map(({ of }) => of.id)).toEqual([
    "effect-title",
    "effect-text"
  ])
  expect(texts).toContain(analysis.sentence)
  expect(texts.some((text) => text.startsWith("Clicks: +"))).toBe(true)
})

test("the picture of an effect escapes texts, and its colors follow light and dark schemes", () => {
  const text = effectPicture({ ...analysis, sentence: '</desc><script>alert("1")</script>' }).text
  expect(text).not.toContain("<script")
  expect(text).toContain("&lt;script&gt;")
  expect(text).toContain("@media (prefers-color-scheme: dark)")
})

test("the effect is drawn at its place on the scale, to the right of zero for an increase", () => {
  const { tags } = read({ ...analysis, liftPercentage: 20, lift_interval: [10, 30], verdict: "increase" })
  const zero = tags.find(({ of }) => of.class === "zero")
  const dot = tags.find(({ of }) => of.class === "dot")
  expect(xOf(dot)).toBeGreaterThan(Number(/^M([\d.]+)/.exec(zero?.of.d ?? "")?.[1]))
  expect(tags.some(({ of }) => of.class === "increase")).toBe(true)
})

test("an interval far longer than the effect ends in an arrow within the picture", () => {
  const { tags } = read({ ...analysis, liftPercentage: 40, lift_interval: [-60, Number.MAX_VALUE] })
  const path = tags.find(({ of }) => of.class === "bar")?.of.d ?? ""
  expect(path).toMatch(/l-7 6$/)
  for (const [, x] of path.matchAll(/[MHL]([\d.]+)/g)) expect(Number(x)).toBeLessThanOrEqual(720)
})

test("extreme effects give finite coordinates and few axis labels", () => {
  for (const lift of [-100, 0, 1e-9, 1e9, Number.MAX_VALUE]) {
    const { tags } = read({
      ...analysis,
      liftPercentage: lift,
      lift_interval: [Math.min(lift, -100), lift],
      secondary: []
    })
    expect(tags.length).toBeLessThan(40)
    expect(JSON.stringify(tags)).not.toMatch(/NaN|Infinity|e\+\d/)
  }
})
