import { alike, likeness } from "../page/Texts.ts"

/** A near hash, by its index in the list. */
interface Near {
  readonly index: number
  readonly distance: number
}

const blocks = 4
const blockBits = 16
const buckets = 1 << blockBits

/**
 * Bits of the 64-bit simhash in which near duplicates may differ. Manku, Jain and Das Sarma 2007 use 3 among billions of
 * pages; among fifty, 8 finds 99 of 100 texts of 200 words and more that differ in one word, and none that share half.
 */
export const nearBits = 8

const popCount = (value: number): number => {
  const pairs = value - ((value >>> 1) & 0x55555555)
  const nibbles = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333)
  return Math.imul((nibbles + (nibbles >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24
}

/** The 16-bit values with at most two bits set: hashes that differ in eight bits differ in at most two bits of one of their four blocks. */
const bits = Array.from({ length: blockBits }, (_, at) => 1 << at)
const flips = [...new Set([0, ...bits.flatMap((one) => bits.map((other) => one | other))])].toSorted((a, b) => a - b)

/** The hashes by the value of one block: `order` has their indexes, and value v starts at `starts[v]`. */
interface Table {
  readonly starts: Uint32Array
  readonly order: Uint32Array
}

const tableOf = (values: Uint16Array): Table => {
  const starts = new Uint32Array(buckets + 1)
  for (const value of values) starts[value + 1] = (starts[value + 1] ?? 0) + 1
  for (let at = 0; at < buckets; at++) starts[at + 1] = (starts[at + 1] ?? 0) + (starts[at] ?? 0)
  const next = starts.slice()
  const order = new Uint32Array(values.length)
  values.forEach((value, index) => {
    const at = next[value] ?? 0
    order[at] = index
    next[value] = at + 1
  })
  return { starts, order }
}

/** With fewer hashes, comparing all pairs is faster than building tables. */
export const fewHashes = 512

/**
 * Finds the hashes (16 hex digits) within eight bits of each hash without comparing every pair (multi-index hashing: Norouzi, Punjani and Fleet 2012). One
 * 16-bit block of two such hashes differs in at most two bits, so each hash looks up 137 neighbours in each of four tables.
 */
export const nearHashes = (hashes: ReadonlyArray<string>): ((index: number) => ReadonlyArray<Near>) => {
  const high = Uint32Array.from(hashes, (hash) => Number.parseInt(hash.slice(0, 8), 16))
  const low = Uint32Array.from(hashes, (hash) => Number.parseInt(hash.slice(8, 16), 16))
  const compare = (index: number, other: number, found: Array<Near>) => {
    if (other === index) return
    const distance = popCount((high[index] ?? 0) ^ (high[other] ?? 0)) + popCount((low[index] ?? 0) ^ (low[other] ?? 0))
    if (distance <= nearBits) found.push({ index: other, distance })
  }
  if (hashes.length < fewHashes) {
    return (index) => {
      const found: Array<Near> = []
      for (let other = 0; other < hashes.length; other++) compare(index, other, found)
      return found
    }
  }
  const blockOf = (index: number, block: number): number =>
    ((block < 2 ? high[index] : low[index]) ?? 0) >>> (block % 2 === 0 ? blockBits : 0)
  const tables = Array.from({ length: blocks }, (_, block) =>
    tableOf(Uint16Array.from(hashes, (_, index) => blockOf(index, block)))
  )
  const seen = new Uint32Array(hashes.length)
  let round = 0
  return (index) => {
    round += 1
    const found: Array<Near> = []
    tables.forEach(({ order, starts }, block) => {
      const own = blockOf(index, block) & (buckets - 1)
      for (const flip of flips) {
        const end = starts[(own ^ flip) + 1] ?? 0
        for (let at = starts[own ^ flip] ?? 0; at < end; at++) {
          const other = order[at] ?? 0
          if (seen[other] === round) continue
          seen[other] = round
          compare(index, other, found)
        }
      }
    })
    return found.sort((a, b) => a.index - b.index)
  }
}

/** A template needs at least this many texts, and more than half of all texts. */
const fewestOfTemplate = 5

/** How many words each text shares with at least `fewest` texts, counted from one end; `wordAt` counts from that end too. */
const sharedWords = (
  texts: ReadonlyArray<Int32Array>,
  fewest: number,
  wordAt: (text: Int32Array, at: number) => number | undefined
): ReadonlyArray<number> => {
  const lengths = texts.map(() => 0)
  let group = [...texts.entries()]
  for (let at = 0; group.length >= fewest; at++) {
    // Finds a majority word: each different word cancels one vote (Boyer and Moore 1981).
    let most: number | undefined
    let votes = 0
    for (const [, text] of group) {
      const word = wordAt(text, at)
      if (word === undefined) continue
      if (votes === 0) most = word
      votes += word === most ? 1 : -1
    }
    const having = group.filter(([, text]) => most !== undefined && wordAt(text, at) === most)
    if (having.length >= fewest) for (const [index] of having) lengths[index] = at + 1
    group = having
  }
  return lengths
}

/**
 * Removes the words with which most texts begin and end: menus and notices without template markup. Words between a page's own words stay, so texts that
 * differ only in names stay alike. Null is an unknown text.
 */
export const withoutTemplate = (texts: ReadonlyArray<Int32Array | null>): ReadonlyArray<Int32Array | null> => {
  const known = texts.filter((text) => text !== null)
  const fewest = Math.max(fewestOfTemplate, Math.floor(known.length / 2) + 1)
  const before = sharedWords(known, fewest, (text, at) => text[at])
  const behind = sharedWords(known, fewest, (text, at) => text[text.length - 1 - at])
  let place = -1
  return texts.map((text) => {
    if (text === null) return null
    place += 1
    const start = before[place] ?? 0
    return text.subarray(start, Math.max(start, text.length - (behind[place] ?? 0)))
  })
}

/** A similar text, by its index in the list. */
interface Alike {
  readonly index: number
  /** Share of common shingles, from `alike` to 1. */
  readonly likeness: number
}

/** Maximum texts to compare with one text, because thousands may share a template's words. */
const maxCompared = 256

/** The lowest hashes of a set; similar sets share at least one (prefix filter: Chaudhuri, Ganti and Kaushik 2006). */
const prefix = (hashes: Int32Array): Int32Array =>
  hashes.subarray(0, hashes.length - Math.ceil(alike * hashes.length) + 1)

/** Finds similar texts by their ascending shingles; null is a text too long for shingles. */
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
