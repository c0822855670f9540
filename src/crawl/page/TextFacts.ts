import type { Steps } from "../../foundation/schema/Steps.ts"
import { maxShort, sequenceHash, shingles, simhash, wordHash } from "./Fingerprint.ts"
import type { Outline } from "./Outline.ts"
import { keep } from "./Strings.ts"
import { eachWord } from "./WordBounds.ts"

/** Statistics of the visible text: scripts, styles, form fields, templates and noscript left out. */
export interface TextFacts {
  /** Words of the whole visible body (an ideograph counts as a word). */
  readonly words: number
  /** Characters of the visible body text, whitespace collapsed. */
  readonly characters: number
  /** Words of the main text, code included: the body without nav, header, footer and aside, or the whole body when that leaves nothing. */
  readonly mainWords: number
  /** 16 hex digits over the case-folded words of the main text; equal text, equal hash. */
  readonly mainHash: string
  /** 64-bit simhash over 3-word shingles of the main text, 16 hex digits; compare with `hammingDistance`. */
  readonly simhash: string
  /** Hashes of the different runs of three words in a short main text, in ascending order: `likeness` compares them. Null of a longer text. */
  readonly shingles: Int32Array | null
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
    shingles: chosen.length < maxShort ? shingles(chosen) : null,
    excerpt: keep(isAllChrome ? body : main, 2000)
  }
}

const phrases =
  /(?:page|file|site|article|product|document|url|content) (?:(?:was|is|could|can) ?)?(?:not|n['’]t|['’]t)(?: be)? found|not found|nothing (?:was |has been )?found (?:here|at )|(?:could ?n['’]t|could not|can ?not|can['’]t) find (?:the|that|this|what|your)|(?:does not|doesn['’]t|do not) exist|no longer (?:available|exists)|(?:page|produit|article) (?:introuvable|non trouvée?)|nicht gefunden|existiert nicht|no (?:se )?(?:ha )?encontrad[ao]|no existe|não (?:foi )?encontrad[ao]|non trovat[ao]|niet gevonden|ikke funnet|ikke fundet|hittades inte|ei löydy|nie znaleziono|nenalezen[ao]|не найден[ао]?|не існує|bulunamadı|見つかりません|找不到|不存在|찾을 수 없/iu

/** The number alone names many things, a car among them: it must stand as a status, or for the whole title. */
const status =
  /(?:error|http|status|code|fehler|erreur)\W{0,3}404\b|\b404\W{0,3}(?:error|fehler|page)|^\W*404\W*(?:[|·–—-].*)?$/iu

/** Whether a text says that what it stands for was not found. */
export const saysNotFound = (text: string): boolean => phrases.test(text) || status.test(text)

const proof = /^(?:google-site-verification: google[0-9a-f]+\.html|Verification: [0-9a-f]+)$/

/** Whether a text is nothing but a proof of ownership for a search engine (Google, Yandex): such a file is served as HTML and is no page. */
export const provesOwnership = (text: string): boolean => proof.test(text)
