import * as Data from "effect/Data"

/** Input that cannot be imported: the file (and the member of an archive), the line (1-based; 0 = the file as a whole) and why. */
export class ImportFailed extends Data.TaggedError("ImportFailed")<{
  readonly file: string
  readonly line: number
  readonly reason: string
}> {
  override get message() {
    return this.line === 0 ? `${this.file}: ${this.reason}` : `${this.file}:${this.line}: ${this.reason}`
  }
}
