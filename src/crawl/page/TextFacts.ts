import { sequenceHash, simhash } from "./Fingerprint.ts"
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

/** Counts and fingerprints the text of a document. */
export const textFacts = ({ body, main }: Outline): TextFacts => {
  const all = words(body)
  const ofMain = words(main)
  const isAllChrome = ofMain.length === 0
  const chosen = isAllChrome ? all : ofMain
  return {
    words: all.length,
    characters: body.length,
    mainWords: chosen.length,
    mainHash: sequenceHash(chosen),
    simhash: simhash(chosen),
    excerpt: keep(isAllChrome ? body : main, 2000)
  }
}
