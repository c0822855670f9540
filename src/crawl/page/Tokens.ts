import { InsertionMode, type Parser, Token, Tokenizer, TokenizerMode, type TreeAdapterTypeMap } from "parse5"

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
