import type { Steps } from "../../foundation/schema/Steps.ts"
import { sequenceHash, simhash, wordHash } from "./Fingerprint.ts"
import type { Outline } from "./Outline.ts"
import { keep } from "./Strings.ts"
import { eachWord } from "./WordBounds.ts"

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

/** The words of a text as numbers, case-folded. */
function* hashesOf(text: string): Steps<ReadonlyArray<number>> {
  const folded = text.toLowerCase()
  const hashes: Array<number> = []
  yield* eachWord(folded, (from, to) => hashes.push(wordHash(folded, from, to)))
  return hashes
}

function* countWords(text: string): Steps<number> {
  let count = 0
  yield* eachWord(text.toLowerCase(), () => count++)
  return count
}

/** Counts and fingerprints the text of a document. */
export function* textFacts({ body, main }: Outline): Steps<TextFacts> {
  const ofMain = yield* hashesOf(main)
  const isAllChrome = ofMain.length === 0
  const chosen = isAllChrome ? yield* hashesOf(body) : ofMain
  yield 4 * chosen.length
  return {
    words: isAllChrome || main === body ? chosen.length : yield* countWords(body),
    characters: body.length,
    mainWords: chosen.length,
    mainHash: sequenceHash(chosen),
    simhash: simhash(chosen),
    excerpt: keep(isAllChrome ? body : main, 2000)
  }
}
