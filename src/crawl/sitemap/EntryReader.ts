import { maxUrl } from "../page/Strings.ts"
import type { FileLedger } from "./FileLedger.ts"
import { hints } from "./Hints.ts"
import type { XmlShape } from "./XmlShape.ts"

/** Text gathered of one field: a little more than a URL may have, so that longer ones are seen to be longer. */
const maxField = maxUrl + 1000
/** Language versions that one entry may name. */
const maxAlternates = 200

interface Entry {
  readonly line: number
  /** Depth of the entry's element. */
  readonly depth: number
  /** Addresses by rank of the element they stood in. */
  readonly locations: Array<string | undefined>
  date: string | null
  /** Text that stands directly in the entry. */
  loose: string
  isTaken: boolean
  readonly alternates: Array<string>
}

interface Field {
  readonly name: string
  readonly depth: number
  text: string
}

/** Gathers the entries of a document from the events of its parser. */
export class EntryReader {
  private entry: Entry | null = null
  private field: Field | null = null

  constructor(
    private readonly ledger: FileLedger,
    private readonly shape: XmlShape,
    /** Only elements under the root's prefix are the document's own: `image:loc` is not `loc`. */
    private readonly prefix: string
  ) {}

  open(name: string, attributes: Readonly<Record<string, string>>, depth: number, line: number): void {
    if (this.entry !== null && this.field === null && depth === this.entry.depth + 1) this.alternate(name, attributes)
    const local = this.localName(name)
    if (local === null || this.field !== null) return
    if (this.entry === null) {
      if (local === this.shape.entry) this.entry = blank(line, depth)
      return
    }
    if (depth !== this.entry.depth + 1) return
    if (this.shape.format === "atom" && local === "link") this.link(attributes)
    else if (this.isField(local)) this.field = { name: local, depth, text: "" }
  }

  text(text: string): void {
    if (this.field !== null) this.field.text = (this.field.text + text).slice(0, maxField)
    else if (this.entry !== null) this.entry.loose = (this.entry.loose + text.trimStart()).slice(0, maxField)
  }

  close(name: string, depth: number): void {
    if (this.field?.depth === depth) this.settle(this.field)
    else if (this.entry?.depth === depth && this.localName(name) === this.shape.entry) this.flush()
  }

  /** Hands over the entry at hand, also when the document breaks off inside it. */
  flush(): void {
    const { entry } = this
    this.entry = null
    this.field = null
    const location = entry?.locations.find((found) => found !== undefined)
    if (entry === null) return
    if (location !== undefined) this.ledger.add(location, entry.date, entry.line, entry.alternates)
    else if (!entry.isTaken && this.shape.format === "xml") this.loose(entry)
  }

  /** Some files put the address straight into the entry: it is unmistakable, and still a fault. */
  private loose(entry: Entry): void {
    this.ledger.fault("missing_loc", entry.line)
    if (entry.loose.trim() !== "") this.ledger.add(entry.loose, entry.date, entry.line)
  }

  private localName(name: string): string | null {
    if (this.prefix === "") return name
    return name.startsWith(`${this.prefix}:`) ? name.slice(this.prefix.length + 1) : null
  }

  private isField(local: string): boolean {
    const isHint = this.shape.format === "xml" && Object.hasOwn(hints, local)
    return isHint || this.shape.location.includes(local) || this.shape.date.includes(local)
  }

  private settle({ name, text }: Field): void {
    const { entry } = this
    this.field = null
    if (entry === null) return
    const rank = this.shape.location.indexOf(name)
    if (rank === -1) {
      this.hint(name, text.trim(), entry.line)
      if (this.shape.date.includes(name)) entry.date ??= text.trim()
      return
    }
    if (this.shape.repeats && entry.locations[rank] !== undefined) {
      this.flush()
      this.entry = { ...blank(entry.line, entry.depth), isTaken: true }
    }
    this.place(rank, text)
  }

  /** What feeds say has rules of its own; an empty element says nothing. */
  private hint(name: string, text: string, line: number): void {
    const hint = this.shape.format === "xml" && Object.hasOwn(hints, name) ? hints[name] : undefined
    if (hint !== undefined && text !== "" && !hint.isValid(text)) this.ledger.fault(hint.kind, line, text)
  }

  /** A language version, in the namespace of XHTML, whose prefix is the file's choice. */
  private alternate(name: string, { href, hreflang, rel }: Readonly<Record<string, string>>): void {
    const isLink =
      this.shape.format === "xml" && name.endsWith(":link") && rel === "alternate" && hreflang !== undefined
    if (isLink && href !== undefined && (this.entry?.alternates.length ?? 0) < maxAlternates)
      this.entry?.alternates.push(href.slice(0, maxField))
  }

  private place(rank: number, text: string): void {
    if (this.entry !== null && this.entry.locations[rank] === undefined) this.entry.locations[rank] = text
  }

  /** Atom's address is an attribute; of the links of an entry the alternate one is the page (RFC 4287 §4.2.7). */
  private link({ href, rel }: Readonly<Record<string, string>>): void {
    if (href !== undefined && (rel === undefined || rel === "alternate")) this.place(0, href)
  }
}

const blank = (line: number, depth: number): Entry => ({
  line,
  depth,
  locations: [],
  date: null,
  loose: "",
  isTaken: false,
  alternates: []
})
