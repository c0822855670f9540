import { describe, expect, test } from "bun:test"
import { answer } from "./Answers.ts"
import { maxUrls } from "./Builder.ts"
import { chosen, generate } from "./Generate.ts"
import { reach } from "./ModelReach.ts"
import { origin, seeds } from "./Seeds.ts"
import { worldOf } from "./World.ts"

const shown = (seed: number, repaired?: ReadonlySet<number>): string => {
  const site = generate(seed, { origin, ...(repaired === undefined ? {} : { repaired }) })
  return JSON.stringify([...site.answers.keys()].map((url) => [url, answer(site, new URL(url), 0)]).slice(0, 20))
}

describe("the generator", () => {
  test("makes the same site of the same seed, and another of another", () => {
    for (const seed of seeds(20)) expect(shown(seed)).toBe(shown(seed))
    expect(new Set(seeds(20).map((seed) => shown(seed))).size).toBe(20)
  })

  test("keeps within the pages of a run", () => {
    const sizes = seeds(300).map((seed) => reach(generate(seed, { origin })).size)
    expect(Math.max(...sizes)).toBeLessThanOrEqual(maxUrls + 2)
    expect(Math.max(...sizes)).toBeGreaterThan(40)
    expect(Math.min(...sizes)).toBeLessThanOrEqual(2)
  })

  test("leaves the same addresses when a defect is repaired", () => {
    for (const seed of seeds(60)) {
      const all = new Set(chosen(seed, origin).map((_, index) => index))
      const [broken, repaired] = [generate(seed, { origin }), generate(seed, { origin, repaired: all })]
      const secure = (url: string) => url.replace("http:", "https:")
      const known = new Set([...broken.answers.keys()].map(secure))
      const gone = [...repaired.answers.keys()].filter((url) => !known.has(secure(url)))
      expect({ seed, gone }).toEqual({ seed, gone: [] })
    }
  })

  test("leaves a sound site when everything is repaired", () => {
    for (const seed of seeds(60)) {
      const all = new Set(chosen(seed, origin).map((_, index) => index))
      const world = worldOf(generate(seed, { origin, repaired: all }), true)
      const states = new Set([...world.places.values()].map(({ health }) => health))
      states.delete("hidden")
      expect({ seed, states: [...states] }).toEqual({ seed, states: ["eligible"] })
    }
  })
})
