import { InsertionMode, type Parser, Token, Tokenizer, TokenizerMode, type TreeAdapterTypeMap } from "parse5"

const encoder = new TextEncoder()
const decoder = new TextDecoder("utf-8", { ignoreBOM: true })

/**
 * A copy of the text's first `max` UTF-16 units. Engines keep the whole of a string alive for a slice of it: without the
 * copy a few kept words pin a page of megabytes. A surrogate that the cut would orphan is dropped.
 */
export const keep = (text: string, max: number): string => {
  const last = text.charCodeAt(max - 1)
  const end = text.length > max && last >= 0xd800 && last < 0xdc00 ? max - 1 : max
  return decoder.decode(encoder.encode(text.slice(0, end)))
}

/**
 * The same text in one piece. The parser makes its strings a character at a time, and engines hold such a string as a chain
 * of its pieces, 32 bytes each, until it is read: a tree of large pages takes half the memory without chains.
 */
export const whole = (text: string): string => (text.charCodeAt(0) === -1 ? "" : text)

/** Strips and collapses ASCII whitespace (Infra standard). */
export const collapse = (text: string): string => squeeze(text).replace(/^ | $/g, "")

/** Collapses ASCII whitespace without stripping: each run of it becomes one space. */
export const squeeze = (text: string): string =>
  text.includes("  ") || /[\t\n\f\r]/.test(text) ? text.replace(/[\t\n\f\r ]+/g, " ") : text

const isBlank = (text: string, at: number): boolean => "\t\n\f\r ".includes(text.charAt(at))

/** Strips ASCII whitespace from both ends (Infra standard); a loop, since the pattern for the end is quadratic. */
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

/** Longest URL that is kept or followed, in characters. */
export const maxUrl = 2048

const endOfFile = -1
const carriageReturn = 0x0d
const quotationMark = 0x22
const ampersand = 0x26
const lessThan = 0x3c

/** Where the parser does the same with blanks as with other characters, once one came that is no blank. */
const evenHanded = new Set([
  InsertionMode.IN_BODY,
  InsertionMode.IN_CAPTION,
  InsertionMode.IN_CELL,
  InsertionMode.IN_TEMPLATE,
  InsertionMode.TEXT
])

/** States in which nothing but `<`, `&` and what is not plain ends a text. */
const texts = new Set<number>([
  TokenizerMode.DATA,
  TokenizerMode.RAWTEXT,
  TokenizerMode.RCDATA,
  TokenizerMode.SCRIPT_DATA
])

/** Whether a unit is a character that stands for itself: neither NUL nor CR, nor half of a pair (HTML standard §13.2.3.5). */
const isPlain = (unit: number): boolean => unit !== 0 && unit !== carriageReturn && (unit & 0xf800) !== 0xd800

/**
 * parse5's tokenizer with two short cuts: what stands for itself in a text or a quoted value is taken at once and not in a step for each character, and
 * words and the blanks between them are one token where that makes the same tree.
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

  /** Goes on behind a character that was taken, up to what may end the text or has to be looked at. */
  private take(end: number): void {
    const { html, pos } = this.preprocessor
    // An LF behind a CR is no character of its own.
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

/** Where the next word begins, or the end of the text. Most text is ASCII, for which a loop takes a third of the pattern's time. */
const startOf = (text: string, from: number): number => {
  for (let at = from; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    if (unit > 0x7f) return endOf(gap, text, at)
    if (isAsciiWord(unit)) return at
  }
  return text.length
}

/** Where the word that begins here ends; -1 when none begins here. */
const wordEnd = (text: string, from: number): number => {
  for (let at = from; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    if (unit > 0x7f) return endOf(word, text, from)
    if (!isAsciiWord(unit) && unit !== apostrophe) return at
  }
  return from < text.length ? text.length : -1
}

/** Where the words of a text begin and end, in order; a large page has too many of them to make a string of each. */
export const eachWord = (text: string, onWord: (from: number, to: number) => void): void => {
  for (let at = 0; ; ) {
    const from = startOf(text, at)
    const to = wordEnd(text, from)
    if (to === -1) return
    onWord(from, to)
    at = to
  }
}
