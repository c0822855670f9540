import { expect, test } from "bun:test"
import * as fc from "fast-check"
import { nearBits, nearHashes } from "../../../src/crawl/analysis/NearHashes.ts"
import { hammingDistance } from "../../../src/crawl/page/Fingerprint.ts"

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

test("near hashes are exactly those that comparing every pair finds, in the order of the list", () => {
  fc.assert(
    fc.property(hashes, (list) => {
      const near = nearHashes(list)
      const found = list.map((_, index) => near(index))
      const compared = list.map((hash, index) =>
        list.flatMap((other, at) => {
          const distance = hammingDistance(hash, other)
          return at !== index && distance <= nearBits ? [{ index: at, distance }] : []
        })
      )
      expect(found).toEqual(compared)
    }),
    { numRuns: 300 }
  )
})
