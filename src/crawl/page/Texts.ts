import type { Outline } from "./Outline.ts"
import { eachWord, keep } from "./Text.ts"

/** Two 32-bit halves of a 64-bit value. */
interface Halves {
  readonly high: number
  readonly low: number
}

const hex = ({ high, low }: Halves): string =>
  (high >>> 0).toString(16).padStart(8, "0") + (low >>> 0).toString(16).padStart(8, "0")

// All numbers here are signed 32-bit, because engines compute others several times slower.

/** FNV-1a over the UTF-16 units of a part of a text: the number of a word. */
export const wordHash = (text: string, from = 0, to = text.length): number => {
  let hash = 0x811c9dc5 | 0
  for (let at = from; at < to; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  return hash
}

/** Spreads a difference in any bit over all bits (the finaliser of MurmurHash3). */
const spread = (value: number): number => {
  const once = Math.imul(value ^ (value >>> 16), 0x85ebca6b)
  const twice = Math.imul(once ^ (once >>> 13), 0xc2b2ae35)
  return twice ^ (twice >>> 16)
}

const golden = 0x9e3779b9 | 0

// Mixes the next word into each half of a state; numbers rather than objects, because each word of a page needs three calls.
const nextHigh = (high: number, word: number): number => spread(Math.imul(high, 31) ^ word)
const nextLow = (low: number, word: number): number => spread((Math.imul(low, 37) + word + golden) | 0)

const start: Halves = { high: 0x2545f491, low: 0x4f6cdd1d }

/** 16 hex digits over a sequence of words; equal sequences have equal hashes. Not for secrets. */
export const sequenceHash = (words: ReadonlyArray<number>): string => {
  let { high, low } = start
  for (const word of words) {
    high = nextHigh(high, word)
    low = nextLow(low, word)
  }
  return hex({ high, low })
}

/** Maximum words of a text for its simhash. */
const maxWords = 20_000

const shingle = 3

/** Counts for each of 32 bits how many numbers have it set. Each digit of all counts is one number, so that counting is an addition with a short carry. */
class BitCounts {
  /** Enough digits for `maxWords`. */
  private readonly digits = new Int32Array(16)

  add(bits: number): void {
    let carry = bits
    for (let digit = 0; carry !== 0; digit++) {
      const before = this.digits[digit] ?? 0
      this.digits[digit] = before ^ carry
      carry &= before
    }
  }

  /** The bits set in more than half of `numbers` numbers. */
  majority(numbers: number): number {
    const countOf = (bit: number) =>
      this.digits.reduce((count, digit, place) => count + (((digit >>> bit) & 1) << place), 0)
    return Array.from({ length: 32 }, (_, bit) => bit).reduce(
      (bits, bit) => (2 * countOf(bit) > numbers ? bits | (1 << bit) : bits),
      0
    )
  }
}

/** 64-bit simhash over 3-word shingles (Charikar 2002): similar texts differ in few bits. Shorter texts are one shingle. */
export const simhash = (words: ReadonlyArray<number>): string => {
  const hashes = words.slice(0, maxWords)
  const shingles = Math.max(1, hashes.length - shingle + 1)
  const highs = new BitCounts()
  const lows = new BitCounts()
  for (let at = 0; at < shingles; at++) {
    const end = Math.min(at + shingle, hashes.length)
    let { high, low } = start
    for (let word = at; word < end; word++) {
      const hash = hashes[word] ?? 0
      high = nextHigh(high, hash)
      low = nextLow(low, hash)
    }
    highs.add(high)
    lows.add(low)
  }
  return hex({ high: highs.majority(shingles), low: lows.majority(shingles) })
}

/** Texts with fewer words are short: each word changes so much of the simhash that it says little. */
export const shortText = 150
/** Minimum likeness of similar texts. */
export const alike = 0.9
/** Longer texts need no word hashes: their simhash suffices, and a template's words are a small part of them. */
const maxKept = 450

/** Hashes of the distinct three-word sequences, ascending. Shorter texts are one sequence. */
export const shingles = (words: ArrayLike<number>): Int32Array => {
  const found = new Int32Array(Math.max(1, words.length - shingle + 1))
  for (let at = 0; at < found.length; at++) {
    let { high } = start
    for (let word = at; word < Math.min(at + shingle, words.length); word++) high = nextHigh(high, words[word] ?? 0)
    found[at] = high
  }
  return found.sort().filter((hash, at) => at === 0 || hash !== found[at - 1])
}

/** Share of common shingles of two texts: 1 for equal sets, 0 for disjoint ones (Jaccard 1901). */
export const likeness = (a: Int32Array, b: Int32Array): number => {
  let [both, left, right] = [0, 0, 0]
  while (left < a.length && right < b.length) {
    const [one, other] = [a[left] ?? 0, b[right] ?? 0]
    if (one === other) both += 1
    if (one <= other) left += 1
    if (other <= one) right += 1
  }
  return both / (a.length + b.length - both)
}

const popCount = (value: number): number => {
  let rest = value
  let count = 0
  for (; rest !== 0; rest &= rest - 1) count++
  return count
}

const half = (text: string, from: number): number => Number.parseInt(text.slice(from, from + 8), 16)

/** Number of different bits of two simhashes: 0 for equal texts, about 32 of 64 for unrelated ones. */
export const hammingDistance = (a: string, b: string): number =>
  popCount(half(a, 0) ^ half(b, 0)) + popCount(half(a, 8) ^ half(b, 8))

/** Statistics of the visible text, without scripts, styles, form fields, templates and noscript. */
export interface TextFacts {
  /** Words of the whole visible body (an ideograph counts as a word). */
  readonly words: number
  /** Characters of the visible body text, whitespace collapsed. */
  readonly characters: number
  /** Words of the main text, code included: the body without nav, header, footer and aside, or the whole body when the rest is empty. */
  readonly mainWords: number
  /** 16 hex digits over the case-folded words of the main text; equal text, equal hash. */
  readonly mainHash: string
  /** 64-bit simhash over 3-word shingles of the main text, 16 hex digits; compare with `hammingDistance`. */
  readonly simhash: string
  /** Hashes of the main text's words, in order; null for a long text. */
  readonly mainWordHashes: Int32Array | null
  /** The first 2,000 characters of the main text, collapsed, for finding soft 404 phrases. */
  readonly excerpt: string
}

/** The words of a text as numbers, case-folded. */
const hashesOf = (text: string): ReadonlyArray<number> => {
  const folded = text.toLowerCase()
  const hashes: Array<number> = []
  eachWord(folded, (from, to) => hashes.push(wordHash(folded, from, to)))
  return hashes
}

const countWords = (text: string): number => {
  let count = 0
  eachWord(text.toLowerCase(), () => count++)
  return count
}

/** Counts and fingerprints the text of a document. */
export const textFacts = ({ body, main }: Outline): TextFacts => {
  const ofMain = hashesOf(main)
  const isAllChrome = ofMain.length === 0
  const chosen = isAllChrome ? hashesOf(body) : ofMain
  return {
    words: isAllChrome || main === body ? chosen.length : countWords(body),
    characters: body.length,
    mainWords: chosen.length,
    mainHash: sequenceHash(chosen),
    simhash: simhash(chosen),
    mainWordHashes: chosen.length > maxKept ? null : Int32Array.from(chosen),
    excerpt: keep(isAllChrome ? body : main, 2000)
  }
}

const phrases =
  /(?:page|file|site|article|product|document|url|content) (?:(?:was|is|could|can) ?)?(?:not|n['’]t|['’]t)(?: be)? found|not found|nothing (?:was |has been )?found (?:here|at )|(?:could ?n['’]t|could not|can ?not|can['’]t) find (?:the|that|this|what|your)|(?:does not|doesn['’]t|do not) exist|no longer (?:available|exists)|(?:page|produit|article) (?:introuvable|non trouvée?)|nicht gefunden|existiert nicht|no (?:se )?(?:ha )?encontrad[ao]|no existe|não (?:foi )?encontrad[ao]|non trovat[ao]|niet gevonden|ikke funnet|ikke fundet|hittades inte|ei löydy|nie znaleziono|nenalezen[ao]|не найден[ао]?|не існує|bulunamadı|見つかりません|找不到|不存在|찾을 수 없/iu

/** The number alone may name anything, such as a car: it must be a status, or the whole title. */
const status =
  /(?:error|http|status|code|fehler|erreur)\W{0,3}404\b|\b404\W{0,3}(?:error|fehler|page)|^\W*404\W*(?:[|·–—-].*)?$/iu

/** Whether a text says that the page was not found. */
export const saysNotFound = (text: string): boolean => phrases.test(text) || status.test(text)

const proof = /^(?:google-site-verification: google[0-9a-f]+\.html|Verification: [0-9a-f]+)$/

/** Whether a text is only a proof of ownership for a search engine (Google, Yandex): the file is served as HTML and is no page. */
export const provesOwnership = (text: string): boolean => proof.test(text)
