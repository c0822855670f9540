import { expect, test } from "bun:test"
import * as fc from "fast-check"
import { fewHashes, nearBits, nearHashes } from "../../../src/crawl/analysis/Near.ts"
import { hammingDistance } from "../../../src/crawl/page/Texts.ts"

const hex = (value: bigint): string => value.toString(16).padStart(16, "0")

/** Hashes in families: some of them a few bits from another, on both sides of the limit. */
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

test("near hashes are exactly those that comparing every pair finds, in the order of the list", () => {
  fc.assert(
    fc.property(hashes, (list) => {
      const near = nearHashes(list)
      for (const [index, hash] of list.entries()) expect(near(index)).toEqual(compared(list, hash, index))
    }),
    { numRuns: 300 }
  )
})

test("so they are among as many as tables are made for", () => {
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
