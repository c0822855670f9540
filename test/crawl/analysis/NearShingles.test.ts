import { expect, test } from "bun:test"
import { nearShingles } from "../../../src/crawl/analysis/Near.ts"
import { alike, likeness, shingles, wordHash } from "../../../src/crawl/page/Texts.ts"
import { Random } from "../generator/Random.ts"

test("finds all short texts that are alike, and no others, as a comparison of all pairs does", () => {
  const random = new Random("near")
  const word = () => wordHash(`w${random.int(0, 99_999)}`)
  const texts = Array.from({ length: 12 }, () => Array.from({ length: random.int(25, 160) }, word)).flatMap((text) =>
    [0, 0, 1, 1, 2, 6].map((changes) => {
      const copy = [...text]
      for (let change = 0; change < changes; change++) copy[random.int(0, copy.length - 1)] = word()
      return copy
    })
  )
  const sets = texts.map(shingles)
  const near = nearShingles(sets)
  let pairs = 0
  sets.forEach((own, index) => {
    const expected = sets.flatMap((other, at) =>
      at !== index && likeness(own, other) >= alike ? [{ index: at, likeness: likeness(own, other) }] : []
    )
    pairs += expected.length
    expect(near(index)).toEqual(expected)
  })
  expect(pairs).toBeGreaterThan(30)
})

test("texts that are not short are compared with none", () => {
  const set = shingles([1, 2, 3, 4, 5])
  const near = nearShingles([set, null, set])
  expect([0, 1, 2].map((index) => near(index).map((each) => each.index))).toEqual([[2], [], [0]])
})
