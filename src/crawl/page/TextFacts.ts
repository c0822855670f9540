import { sequenceHash, simhash, wordHash } from "./Fingerprint.ts"
import { keep } from "./Keep.ts"
import type { Outline } from "./Outline.ts"
import { words } from "./Words.ts"

/** Statistics of the visible text: scripts, styles, form fields, templates and noscript left out. */
export interface TextFacts {
  /** Words of the whole visible body (an ideograph counts as a word). */
  readonly words: number
  /** Characters of the visible body text, whitespace collapsed. */
  readonly characters: number
  /** Words of the main text: the body without nav, header, footer and aside, or the whole body when that leaves nothing. */
  readonly mainWords: number
  /** 16 hex digits over the case-folded words of the main text; equal text, equal hash. */
  readonly mainHash: string
  /** 64-bit simhash over 3-word shingles of the main text, 16 hex digits; compare with `hammingDistance`. */
  readonly simhash: string
  /** The first 2,000 characters of the main text, collapsed: where soft 404 phrases are looked for. */
  readonly excerpt: string
}

/** The words of a text as numbers: of a large page there are too many to hold them as strings. */
const hashes = (text: string): ReadonlyArray<number> => Array.from(words(text), wordHash)

const count = (text: string): number => {
  let found = 0
  for (const _ of words(text)) found++
  return found
}

/** Counts and fingerprints the text of a document. */
export const textFacts = ({ body, main }: Outline): TextFacts => {
  const ofMain = hashes(main)
  const isAllChrome = ofMain.length === 0
  const chosen = isAllChrome ? hashes(body) : ofMain
  return {
    words: isAllChrome ? chosen.length : count(body),
    characters: body.length,
    mainWords: chosen.length,
    mainHash: sequenceHash(chosen),
    simhash: simhash(chosen),
    excerpt: keep(isAllChrome ? body : main, 2000)
  }
}
