import { alike, likeness } from "../page/Fingerprint.ts"

/** One of the texts that are alike to another, by its place in the list. */
interface Alike {
  readonly index: number
  /** How much of both is in both, from `alike` to 1. */
  readonly likeness: number
}

/** Texts that are compared with one: thousands may share the words of a template. */
const maxCompared = 256

/** How many of its lowest hashes a set has in common with one that is alike, at the least one (prefix filter: Chaudhuri, Ganti and Kaushik 2006). */
const prefix = (hashes: Int32Array): Int32Array =>
  hashes.subarray(0, hashes.length - Math.ceil(alike * hashes.length) + 1)

/** Finds the short texts that are alike, by their shingles in ascending order; null stands for a text that is not short. */
export const nearShingles = (sets: ReadonlyArray<Int32Array | null>): ((index: number) => ReadonlyArray<Alike>) => {
  const holders = new Map<number, Array<number>>()
  sets.forEach((hashes, index) => {
    for (const hash of hashes === null ? [] : prefix(hashes)) {
      const known = holders.get(hash)
      if (known === undefined) holders.set(hash, [index])
      else known.push(index)
    }
  })
  return (index) => {
    const own = sets[index] ?? null
    const seen = new Set([index])
    const found: Array<Alike> = []
    for (const hash of own === null ? [] : prefix(own)) {
      for (const other of holders.get(hash) ?? []) {
        if (seen.size > maxCompared) break
        const hashes = sets[other] ?? null
        if (own === null || hashes === null || seen.has(other)) continue
        seen.add(other)
        const share = likeness(own, hashes)
        if (share >= alike) found.push({ index: other, likeness: share })
      }
    }
    return found.sort((a, b) => a.index - b.index)
  }
}
