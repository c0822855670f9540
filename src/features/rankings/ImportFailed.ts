import * as Data from "effect/Data"

/** Characters of a reason: it may quote a header of thousands of columns. */
const longest = 1000

/** Input that cannot be imported: the file (and the member of an archive), the line (1-based; 0 = the file as a whole) and why. */
export class ImportFailed extends Data.TaggedError("ImportFailed")<{
  readonly file: string
  readonly line: number
  readonly reason: string
}> {
  constructor({ file, line, reason }: { readonly file: string; readonly line: number; readonly reason: string }) {
    super({ file, line, reason: reason.length > longest ? `${reason.slice(0, longest)}…` : reason })
  }

  override get message() {
    return this.line === 0 ? `${this.file}: ${this.reason}` : `${this.file}:${this.line}: ${this.reason}`
  }
}
