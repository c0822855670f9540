import { maxUrl } from "../page/Strings.ts"
import type { FileLedger } from "./FileLedger.ts"

/** Reads a plain list of URLs, one a line (sitemaps.org, text file), from pieces of text. */
export class TextForm {
  readonly kind = "urls"
  readonly format = "text"
  private rest = ""
  private line: number

  constructor(
    private readonly ledger: FileLedger,
    linesBefore: number
  ) {
    this.line = linesBefore
  }

  write(text: string): void {
    const lines = (this.rest + text).split(/\r\n|\r(?!$)|\n/)
    // A line without an end is not gathered forever: what is above the limit cannot be a URL.
    this.rest = (lines.pop() ?? "").slice(0, 2 * maxUrl)
    for (const line of lines) this.take(line)
  }

  end(): void {
    this.take(this.rest)
  }

  private take(line: string): void {
    this.line++
    if (!this.ledger.isClosed && line.trim() !== "") this.ledger.add(line, null, this.line)
  }
}
