import { InsertionMode, type Parser, Token, Tokenizer, TokenizerMode, type TreeAdapterTypeMap } from "parse5"

const encoder = new TextEncoder()
const decoder = new TextDecoder("utf-8", { ignoreBOM: true })

/**
 * A copy of the text's first `max` UTF-16 units. A slice keeps its whole string alive: without the copy a few kept words pin a page of megabytes. The copy
 * drops a surrogate that the cut would orphan.
 */
export const keep = (text: string, max: number): string => {
  const last = text.charCodeAt(max - 1)
  const end = text.length > max && last >= 0xd800 && last < 0xdc00 ? max - 1 : max
  return decoder.decode(encoder.encode(text.slice(0, end)))
}

/**
 * The text in one piece. The parser builds strings character by character, and engines keep such a string as a chain of 32-byte pieces until it is read:
 * without chains a large page's tree takes half the memory.
 */
export const whole = (text: string): string => (text.charCodeAt(0) === -1 ? "" : text)

/** Strips and collapses ASCII whitespace (Infra standard). */
export const collapse = (text: string): string => squeeze(text).replace(/^ | $/g, "")

/** Collapses ASCII whitespace without stripping: each sequence becomes one space. */
export const squeeze = (text: string): string =>
  text.includes("  ") || /[\t\n\f\r]/.test(text) ? text.replace(/[\t\n\f\r ]+/g, " ") : text

const isBlank = (text: string, at: number): boolean => "\t\n\f\r ".includes(text.charAt(at))

/** Strips ASCII whitespace from both ends (Infra standard); a loop, because a pattern for the end is quadratic. */
export const strip = (text: string): string => {
  let start = 0
  let end = text.length
  while (start < end && isBlank(text, start)) start++
  while (end > start && isBlank(text, end - 1)) end--
  return text.slice(start, end)
}

/** The lower-cased tokens of a space-separated attribute (`rel`, `type` lists), in order. */
export const tokens = (text: string): ReadonlyArray<string> =>
  text.split(/[\t\n\f\r ]+/, 100).flatMap((token) => (token === "" ? [] : [keep(token.toLowerCase(), 100)]))

/** Longest URL to keep or follow, in characters. */
export const maxUrl = 2048

const endOfFile = -1
const carriageReturn = 0x0d
const quotationMark = 0x22
const ampersand = 0x26
const lessThan = 0x3c

/** Insertion modes that treat blanks like other characters after the first non-blank. */
const evenHanded = new Set([
  InsertionMode.IN_BODY,
  InsertionMode.IN_CAPTION,
  InsertionMode.IN_CELL,
  InsertionMode.IN_TEMPLATE,
  InsertionMode.TEXT
])

/** Tokenizer states where only `<`, `&` and special characters end a text. */
const texts = new Set<number>([
  TokenizerMode.DATA,
  TokenizerMode.RAWTEXT,
  TokenizerMode.RCDATA,
  TokenizerMode.SCRIPT_DATA
])

/** Whether a unit is a plain character: neither NUL nor CR, nor half of a pair (HTML standard §13.2.3.5). */
const isPlain = (unit: number): boolean => unit !== 0 && unit !== carriageReturn && (unit & 0xf800) !== 0xd800

/**
 * parse5's tokenizer with two short cuts: it reads plain characters of a text or a quoted value together rather than one per step, and emits words with their
 * blanks as one token where the tree stays equal.
 */
export class Tokens<T extends TreeAdapterTypeMap> extends Tokenizer {
  constructor(private readonly parser: Parser<T>) {
    super({}, parser)
  }

  protected override _emitCodePoint(point: number): void {
    const isText = this.currentCharacterToken?.type === Token.TokenType.CHARACTER && point !== 0
    if (isText && evenHanded.has(this.parser.insertionMode)) {
      this._extendRun(point)
      if (texts.has(this.state)) this.take(lessThan)
    } else super._emitCodePoint(point)
  }

  protected override _stateAttributeValueDoubleQuoted(point: number): void {
    super._stateAttributeValueDoubleQuoted(point)
    if (point !== quotationMark && point !== ampersand && point !== endOfFile && point !== 0) this.take(quotationMark)
  }

  /** Skips from a read character to the next one that may end the text or needs a look. */
  private take(end: number): void {
    const { html, pos } = this.preprocessor
    // An LF after a CR is part of the line break.
    if (html.charCodeAt(pos) === carriageReturn) return
    let at = pos + 1
    for (; at < html.length; at++) {
      const unit = html.charCodeAt(at)
      if (unit === end || unit === ampersand || !isPlain(unit)) break
    }
    this.preprocessor.pos = at - 1
    this.runEnd = at
  }
}

/** Scripts written without spaces: each character counts as a word. */
const unspaced =
  "[\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}]"
const spaced = (characters: string): string => `[[${characters}]--${unspaced}]`
const start = spaced("\\p{L}\\p{N}")

const word = new RegExp(`${unspaced}|${start}${spaced("\\p{L}\\p{N}\\p{M}'’")}*`, "vy")
const gap = new RegExp(`[^\\p{L}\\p{N}${unspaced}]*`, "vy")

const endOf = (pattern: RegExp, text: string, from: number): number => {
  pattern.lastIndex = from
  return pattern.test(text) ? pattern.lastIndex : -1
}

/** Letters and digits of ASCII, lower or upper case. */
const isAsciiWord = (unit: number): boolean =>
  (unit >= 0x61 && unit <= 0x7a) || (unit >= 0x30 && unit <= 0x39) || (unit >= 0x41 && unit <= 0x5a)

const apostrophe = 0x27

/** The start of the next word, or the end of the text. Most text is ASCII, where a loop takes a third of the pattern's time. */
const startOf = (text: string, from: number): number => {
  for (let at = from; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    if (unit > 0x7f) return endOf(gap, text, at)
    if (isAsciiWord(unit)) return at
  }
  return text.length
}

/** The end of the word that starts here; -1 without one. */
const wordEnd = (text: string, from: number): number => {
  for (let at = from; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    if (unit > 0x7f) return endOf(word, text, from)
    if (!isAsciiWord(unit) && unit !== apostrophe) return at
  }
  return from < text.length ? text.length : -1
}

/** Calls `onWord` with start and end of each word, because a large page has too many words for a string each. */
export const eachWord = (text: string, onWord: (from: number, to: number) => void): void => {
  for (let at = 0; ; ) {
    const from = startOf(text, at)
    const to = wordEnd(text, from)
    if (to === -1) return
    onWord(from, to)
    at = to
  }
}
