import * as Either from "effect/Either"
import * as Csv from "./Csv.ts"
import * as Decoding from "./Decoding.ts"

/** A header is one line; this is more than any has. */
const longestHeader = 65536

/** Reads a delimited file from its bytes. */
interface CsvFile {
  /** Reads a piece; the problem of the file, where it has one, ends the reading. */
  readonly push: (bytes: Uint8Array, last: boolean, onRecord: Csv.OnRecord) => Csv.CsvProblem | undefined
}

/** Reads a delimited file piece by piece: its first bytes decide the encoding, its first line the delimiter; a preamble `sep=` is obeyed. */
export const reader = (): CsvFile => {
  const decode = Decoding.reader()
  let csv: Csv.CsvReader | undefined
  let head = ""
  const push: CsvFile["push"] = (bytes, last, onRecord) => {
    const decoded = decode(bytes, last)
    if (Either.isLeft(decoded)) return { line: csv?.line() ?? 1, reason: decoded.left }
    if (csv !== undefined) return csv.push(decoded.right, last, onRecord)
    head += decoded.right
    const newline = head.indexOf("\n")
    if (newline === -1 && !last && head.length < longestHeader) return undefined
    const preamble = /^sep=(.)\r?\n/i.exec(head)
    csv = Csv.reader(preamble?.[1] ?? delimiterOf(newline === -1 ? head : head.slice(0, newline)))
    if (preamble !== null) csv.push(preamble[0], false, () => undefined)
    const input = preamble === null ? head : head.slice(preamble[0].length)
    head = ""
    return csv.push(input, last, onRecord)
  }
  return { push }
}

/** The candidate that splits the header into most cells, quoted parts aside; a comma when none does. */
const delimiterOf = (header: string) => {
  const bare = header.replace(/"[^"]*"/g, "")
  const [best] = [",", ";", "\t"]
    .map((delimiter) => ({ delimiter, cells: bare.split(delimiter).length }))
    .sort((a, b) => b.cells - a.cells)
  return best?.delimiter ?? ","
}
