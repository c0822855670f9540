import { SaxesParser } from "saxes"
import { maxUrl } from "../page/Text.ts"
import { EntryReader, localOf, prefixOf, shapes, sitemapNamespace, type XmlShape } from "./Entries.ts"
import { type Place, placeIn, Recent } from "./Excerpt.ts"
import type { FileLedger } from "./SitemapFacts.ts"

/** Amount of text before a character of a file: whole lines, and characters of the next line. */
export interface Before {
  readonly lines: number
  readonly columns: number
}

/** Reads a plain list of URLs, one per line (sitemaps.org, text file), from pieces of text. */
export class TextForm {
  readonly kind = "urls"
  readonly format = "text"
  /** The first non-blank line. */
  first: Place | null = null
  private rest = ""

  constructor(
    private readonly ledger: FileLedger,
    private before: Before
  ) {}

  get place(): Before {
    return { lines: this.before.lines, columns: this.before.columns + this.rest.length }
  }

  write(text: string): void {
    const lines = (this.rest + text).split(/\r\n|\r(?!$)|\n/)
    // The rest of an endless line is dropped: text above the limit cannot be a URL.
    this.rest = (lines.pop() ?? "").slice(0, 2 * maxUrl)
    for (const line of lines) this.take(line)
  }

  end(): void {
    this.take(this.rest)
  }

  private take(line: string): void {
    const { columns, lines } = this.before
    this.before = { lines: lines + 1, columns: 0 }
    if (this.ledger.isClosed || line.trim() === "") return
    this.first ??= placeIn(line, 0, lines, columns)
    this.ledger.add(line, null, lines + 1)
  }
}

/** Maximum nested elements, and maximum characters without a tag: no real sitemap comes near. */
const maxDepth = 64
const maxSilence = 1 << 20

interface Tag {
  readonly name: string
  readonly attributes: Readonly<Record<string, string>>
}

/** A reference that XML defines without a declaration (XML 1.0 §4.1 and §4.6). */
const soundReference = /&(?:amp|lt|gt|quot|apos|#\d+|#x[\da-fA-F]+);/y

/** The first & without a valid reference; comments, character data and processing instructions end the search. */
const badReference = (text: string): number => {
  const end = text.search(/<(?:!--|!\[CDATA\[|\?)/)
  for (let at = text.indexOf("&"); at !== -1 && (end === -1 || at < end); at = text.indexOf("&", at + 1)) {
    soundReference.lastIndex = at
    if (!soundReference.test(text)) return at
  }
  return -1
}

const referenceWords = (text: string): string => {
  const [reference = ""] = /^&#?[\w.-]{1,40};/.exec(text) ?? []
  if (reference.startsWith("&#")) return `${reference} is not a character that XML allows`
  return reference === "" ? "an unescaped &: write &amp;" : `the entity ${reference} is not declared`
}

/** Names of markup by its beginning. */
const markupWords: Readonly<Record<string, string>> = {
  "<!--": "a comment",
  "<![CDATA[": "character data",
  "<?": "a processing instruction",
  "<": "a tag"
}

/** A syntax fault, with its place and description. */
interface FormFault {
  readonly at: number
  readonly words: string
}

/**
 * Reads an XML sitemap or feed from pieces of text, strictly: the first syntax fault ends the reading, and earlier entries count. Document type declarations
 * end the reading too, so there are no entities to expand and no external files to fetch.
 */
export class XmlForm {
  private readonly parser = new SaxesParser<{ xmlns: false }>({ xmlns: false })
  private readonly recent: Recent
  private silence = 0
  /** The end of the last complete markup, in characters. */
  private settled = 0
  /** The open elements, outermost first, with the prefixes that each declares. */
  private readonly open: Array<{ readonly name: string; readonly line: number; readonly prefixes: string }> = []
  /** The last closed element. */
  private closed: { readonly name: string; readonly line: number } | null = null
  private entries: EntryReader | null = null
  private shape: XmlShape | null = null

  constructor(
    private readonly ledger: FileLedger,
    private readonly insideIndex: boolean,
    /** Amount of the file before this form's text. */
    private readonly before: Before,
    /** Whether the text begins with an XML declaration. */
    private readonly isDeclared: boolean
  ) {
    this.recent = new Recent(before.lines, before.columns)
    this.parser.on("error", ({ message }) => this.broken(message.replace(/^\d+:\d+: /, "").replace(/\.$/, "")))
    this.parser.on("doctype", (declaration) => this.doctype(declaration))
    this.parser.on("opentag", (tag) => this.guard(() => this.opened(tag)))
    this.parser.on("closetag", (tag) => this.guard(() => this.left(tag)))
    this.parser.on("text", (text) => this.guard(() => this.entries?.text(text)))
    this.parser.on("cdata", (text) =>
      this.guard(() => {
        this.settle()
        this.entries?.text(text)
      })
    )
    this.parser.on("xmldecl", () => this.settle())
    // The parser reports a comment before reading its last character.
    this.parser.on("comment", () => this.settle(1))
    this.parser.on("processinginstruction", () => this.settle())
  }

  private get line(): number {
    return this.before.lines + this.parser.line
  }

  get place(): Before {
    const { column, line } = this.parser
    return { lines: this.line - 1, columns: column + (line === 1 ? this.before.columns : 0) }
  }

  get kind(): "index" | "urls" {
    return this.shape?.kind ?? "urls"
  }

  get format(): XmlShape["format"] | "unknown" {
    return this.shape?.format ?? "unknown"
  }

  write(text: string): void {
    this.silence += text.length
    this.recent.add(text)
    this.guard(() => this.parser.write(text))
    if (this.silence > maxSilence) this.guard(() => this.endless("too much text without markup"))
    this.recent.settle(this.settled)
  }

  end(): void {
    this.guard(() => this.parser.close())
    this.entries?.flush()
  }

  private settle(unread = 0): void {
    this.settled = this.parser.position + unread
  }

  private heard(): void {
    this.silence = 0
    this.settle()
  }

  private guard(act: () => unknown): void {
    if (!this.ledger.isClosed) act()
  }

  private fail({ at, words }: FormFault): void {
    if (this.ledger.isClosed) return
    this.entries?.flush(true)
    const isSitemap = this.shape !== null || this.isDeclared
    this.ledger.fatal(isSitemap ? "malformed_xml" : "not_a_sitemap", this.recent.place(at), words)
  }

  /** The file ends, or continues without markup: an unfinished & or an unclosed tag swallows the rest. */
  private endless(words: string): void {
    const rest = this.recent.since(this.settled)
    const reference = badReference(rest)
    const opening = /<(?:!--|!\[CDATA\[|\?)?/.exec(rest)
    if (reference !== -1) this.fail({ at: this.settled + reference, words: referenceWords(rest.slice(reference)) })
    else if (opening !== null)
      this.fail({ at: this.settled + opening.index, words: `${markupWords[opening[0]] ?? "a tag"} without an end` })
    else this.fail({ at: this.settled + Math.max(0, rest.trimEnd().length - 1), words })
  }

  /** The parser's fault, with its place and in plain words. */
  private broken(message: string): void {
    if (this.ledger.isClosed) return
    const unclosed = /^unclosed tag: (.*)/.exec(message)
    if (unclosed !== null) this.endless(`the file ends before </${unclosed[1]}>`)
    else if (message === "unexpected end" || message.startsWith("document must contain"))
      this.endless("the file ends too early")
    else this.fail(this.faultOf(message))
  }

  private faultOf(message: string): FormFault {
    const at = this.parser.position - 1
    const read = this.recent.since(this.settled)
    const here = this.recent.until(at + 1)
    const lastOf = (sign: string) => at + 1 - (here.length - Math.max(0, here.lastIndexOf(sign)))
    switch (message) {
      case "undefined entity":
      case "disallowed character in entity name":
      case "empty entity name":
      case "malformed character entity": {
        const bad = badReference(read)
        const start = bad === -1 ? lastOf("&") : this.settled + bad
        return { at: start, words: referenceWords(this.recent.since(start)) }
      }
      case "disallowed character in tag name": {
        const tag = here.slice(0, -1).lastIndexOf("<")
        return { at: at + 1 - (here.length - Math.max(0, tag)), words: "an unescaped <: write &lt;" }
      }
      case "disallowed character": {
        const sign = here.at(-1) ?? ""
        if (sign === "<") return { at, words: "an unescaped < in an attribute: write &lt;" }
        const code = sign.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")
        return { at, words: `the character U+${code}, which XML does not allow` }
      }
      case "malformed comment":
        return { at: lastOf("--"), words: "-- inside a comment" }
      case "unexpected close tag": {
        const found = /<\/[^<>]*>$/.exec(here)?.[0] ?? "an end tag"
        const { line, name } = this.closed ?? { line: this.line, name: "" }
        return {
          at: lastOf("</"),
          words: `${found} where </${name}> is expected: <${name}> of line ${line} is still open`
        }
      }
      case "text data outside of root node":
        return { at: this.settled + Math.max(0, read.search(/\S/)), words: "text outside the root element" }
      case "documents may contain only one root":
        return { at: lastOf("<"), words: "an element after the root element" }
      case "an XML declaration must be at the start of the document":
      case "the XML declaration must appear at the start of the document":
        return { at: lastOf("<"), words: "an XML declaration inside the document" }
      default:
        return { at, words: message }
    }
  }

  private doctype(declaration: string): void {
    if (this.ledger.isClosed) return
    const isHtml = /^\s*html\b/i.test(declaration)
    this.ledger.fatal(isHtml ? "not_a_sitemap" : "dtd_refused", this.placeOfTag(), isHtml ? "an HTML page" : null)
  }

  private root({ attributes, name }: Tag): void {
    const shape = shapes.find(({ root }) => root === localOf(name))
    if (shape === undefined)
      this.ledger.fatal("not_a_sitemap", this.placeOfTag(), `root element <${name.slice(0, 50)}>`)
    else if (shape.kind === "index" && this.insideIndex) this.ledger.fatal("nested_index", this.line)
    else this.begin(shape, name, attributes)
  }

  private begin(shape: XmlShape, name: string, attributes: Tag["attributes"]): void {
    this.shape = shape
    const prefix = prefixOf(name)
    const namespace = attributes[prefix === "" ? "xmlns" : `xmlns:${prefix}`] ?? ""
    if (shape.format === "xml" && namespace !== sitemapNamespace) {
      this.ledger.fault("bad_namespace", this.line, namespace)
    }
    // RSS 1.0 keeps its items in the default namespace, under a prefixed root.
    this.entries = new EntryReader(this.ledger, shape, shape.root === "RDF" ? "" : prefix)
  }

  /** The beginning of the last tag. */
  private placeOfTag(): Place {
    const { settled } = this
    return this.recent.place(settled + Math.max(0, this.recent.since(settled).indexOf("<")))
  }

  /** Checks that every prefix is declared on its element or on an enclosing one (Namespaces in XML 1.0 §5). */
  private checkPrefixes({ attributes, name }: Tag): void {
    const wrong = [name, ...Object.keys(attributes)].find((each) => {
      const prefix = prefixOf(each)
      if (prefix === "" || prefix === "xml" || prefix === "xmlns") return false
      return !this.open.some(({ prefixes }) => prefixes.includes(` ${prefix} `))
    })
    if (wrong === undefined) return
    const place = this.ledger.has("undeclared_prefix") ? null : this.placeOfTag()
    this.ledger.fault("undeclared_prefix", place, `xmlns:${prefixOf(wrong)} is missing for ${wrong}`)
  }

  private opened(tag: Tag): void {
    const names = Object.keys(tag.attributes).filter((name) => name.startsWith("xmlns:"))
    const prefixes = names.length === 0 ? "" : ` ${names.map((name) => name.slice(6)).join(" ")} `
    this.open.push({ name: tag.name, line: this.line, prefixes })
    if (this.open.length > maxDepth)
      this.fail({ at: this.parser.position - 1, words: "elements are nested too deeply" })
    else if (this.open.length === 1) this.root(tag)
    else this.entries?.open(tag.name, tag.attributes, this.open.length, this.line)
    if (this.shape !== null && !this.ledger.isClosed) this.checkPrefixes(tag)
    this.heard()
  }

  private left({ name }: Tag): void {
    this.entries?.close(name, this.open.length)
    this.closed = this.open.pop() ?? null
    this.heard()
  }
}
