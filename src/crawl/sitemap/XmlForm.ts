import { SaxesParser } from "saxes"
import { EntryReader } from "./EntryReader.ts"
import type { FileLedger } from "./FileLedger.ts"
import { shapes, sitemapNamespace, type XmlShape } from "./XmlShape.ts"

/** Elements open at once, and characters without any tag: no sitemap comes near either. */
const maxDepth = 64
const maxSilence = 1 << 20

interface Tag {
  readonly name: string
  readonly attributes: Readonly<Record<string, string>>
}

const prefixOf = (name: string): string => name.slice(0, Math.max(0, name.indexOf(":")))
const localOf = (name: string): string => name.slice(name.indexOf(":") + 1)

/**
 * Reads an XML sitemap or feed from pieces of text, strictly: at the first fault of form it stops with what came before.
 * Document type declarations end the reading, so there are no entities to expand and nothing external to fetch.
 */
export class XmlForm {
  private readonly parser = new SaxesParser<{ xmlns: false }>({ xmlns: false })
  private depth = 0
  private silence = 0
  /** Line of the last tag. */
  private tagLine = 1
  private entries: EntryReader | null = null
  private shape: XmlShape | null = null

  constructor(
    private readonly ledger: FileLedger,
    private readonly insideIndex: boolean,
    /** Lines of the file before the text that this form is given. */
    private readonly linesBefore: number
  ) {
    this.parser.on("error", ({ message }) => this.fail(message.replace(/^\d+:\d+: /, "").replace(/\.$/, "")))
    this.parser.on("doctype", (declaration) => this.doctype(declaration))
    this.parser.on("opentag", (tag) => this.guard(() => this.open(tag)))
    this.parser.on("closetag", (tag) => this.guard(() => this.close(tag)))
    this.parser.on("text", (text) => this.guard(() => this.entries?.text(text)))
    this.parser.on("cdata", (text) => this.guard(() => this.entries?.text(text)))
  }

  private get line(): number {
    return this.linesBefore + this.parser.line
  }

  get kind(): "index" | "urls" {
    return this.shape?.kind ?? "urls"
  }

  get format(): XmlShape["format"] | "unknown" {
    return this.shape?.format ?? "unknown"
  }

  write(text: string): void {
    this.silence += text.length
    this.guard(() => this.parser.write(text))
    if (this.silence > maxSilence && !this.ledger.isClosed) this.fail("text without markup is too long")
  }

  end(): void {
    this.guard(() => this.parser.close())
    this.entries?.flush()
  }

  private heard(): void {
    this.silence = 0
    this.tagLine = this.line
  }

  private guard(act: () => unknown): void {
    if (!this.ledger.isClosed) act()
  }

  private fail(message: string): void {
    if (this.ledger.isClosed) return
    this.entries?.flush()
    // At the end of the file the fault is where the markup stopped making sense: an unescaped & swallows all that follows.
    const line = message.startsWith("unclosed tag") ? this.tagLine : this.line
    this.ledger.fatal(this.shape === null ? "not_a_sitemap" : "malformed_xml", line, message)
  }

  private doctype(declaration: string): void {
    if (this.ledger.isClosed) return
    const isHtml = /^\s*html\b/i.test(declaration)
    this.ledger.fatal(isHtml ? "not_a_sitemap" : "dtd_refused", this.line, isHtml ? "an HTML page" : null)
  }

  private root({ attributes, name }: Tag): void {
    const shape = shapes.find(({ root }) => root === localOf(name))
    if (shape === undefined) this.fail(`root element <${name.slice(0, 50)}>`)
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

  private open(tag: Tag): void {
    this.heard()
    this.depth++
    if (this.depth > maxDepth) this.fail("elements are nested too deeply")
    else if (this.depth === 1) this.root(tag)
    else this.entries?.open(tag.name, tag.attributes, this.depth, this.line)
  }

  private close({ name }: Tag): void {
    this.heard()
    this.entries?.close(name, this.depth)
    this.depth--
  }
}
