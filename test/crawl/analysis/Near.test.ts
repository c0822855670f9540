import { expect, test } from "bun:test"
import * as fc from "fast-check"
import { fewHashes, nearBits, nearHashes, nearShingles } from "../../../src/crawl/analysis/Near.ts"
import { alike, hammingDistance, likeness, shingles, wordHash } from "../../../src/crawl/page/Texts.ts"
import { Random } from "../generator/Random.ts"

const hex = (value: bigint): string => value.toString(16).padStart(16, "0")

/** Hashes in families: some differ by a few bits, on both sides of the limit. */
const hashes = fc
  .array(
    fc.record({
      base: fc.bigInt({ min: 0n, max: (1n << 64n) - 1n }),
      flips: fc.array(fc.uniqueArray(fc.nat(63), { maxLength: 12 }), { maxLength: 6 })
    }),
    { maxLength: 12 }
  )
  .map((families) =>
    families.flatMap(({ base, flips }) => [
      hex(base),
      ...flips.map((bits) => hex(bits.reduce((hash, bit) => hash ^ (1n << BigInt(bit)), base)))
    ])
  )

const compared = (list: ReadonlyArray<string>, hash: string, index: number) =>
  list.flatMap((other, at) => {
    const distance = hammingDistance(hash, other)
    return at !== index && distance <= nearBits ? [{ index: at, distance }] : []
  })

test("a list of hashes has exactly the near hashes that a comparison of all pairs finds, in order", () => {
  fc.assert(
    fc.property(hashes, (list) => {
      const near = nearHashes(list)
      for (const [index, hash] of list.entries()) expect(near(index)).toEqual(compared(list, hash, index))
    }),
    { numRuns: 300 }
  )
})

test("a list too long for comparing all pairs has the same near hashes", () => {
  const others = Array.from({ length: fewHashes }, (_, index) => hex(BigInt(Bun.hash(`${index}`))))
  fc.assert(
    fc.property(hashes, (families) => {
      const list = [...families, ...others]
      const near = nearHashes(list)
      for (const [index, hash] of families.entries()) expect(near(index)).toEqual(compared(list, hash, index))
    }),
    { numRuns: 100 }
  )
})

test("all similar short texts are found, exactly as a comparison of all pairs finds them", () => {
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

test("long texts are compared with no short text", () => {
  const set = shingles([1, 2, 3, 4, 5])
  const near = nearShingles([set, null, set])
  expect([0, 1, 2].map((index) => near(index).map((each) => each.index))).toEqual([[2], [], [0]])
})
