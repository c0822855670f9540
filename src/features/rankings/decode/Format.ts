import type { FileFormat } from "../FileFormat.ts"
import * as ApiJson from "./ApiJson.ts"
import * as BigQueryCsv from "./BigQueryCsv.ts"
import * as BigQueryJson from "./BigQueryJson.ts"
import { type Decoder, failing, ofReader, type Reader } from "./Decoder.ts"
import * as Gzip from "./Gzip.ts"
import type { Options } from "./Options.ts"
import * as SearchConsoleCsv from "./SearchConsoleCsv.ts"
import * as Sniffed from "./Sniffed.ts"
import * as Zip from "./Zip.ts"

/** The decoder of a file in a format; ZIP, gzip and, for bulk exports, JSON or CSV are recognised by their first bytes. */
export const decoder = (format: FileFormat, file: string, options: Options): Decoder =>
  Sniffed.decoder((start) => {
    if (!startsWith(start, zip)) return single(format, file, options, start)
    const member = (name: string) => Sniffed.decoder((start) => single(format, name, options, start))
    return Zip.decoder(file, { decoder: member, names: memberNames[format], varied: format === "gsc-csv" })
  })

/** What files in archives are called that are read. */
const memberNames: Readonly<Record<FileFormat, RegExp>> = {
  bigquery: /\.(csv|tsv|txt|json|jsonl|ndjson)(\.gz)?$/i,
  "gsc-api": /\.(json|jsonl|ndjson|txt)(\.gz)?$/i,
  "gsc-csv": /\.(csv|tsv|txt)(\.gz)?$/i
}

/** The decoder of a file that is no archive, by how it begins. */
const single = (format: FileFormat, file: string, options: Options, start: Uint8Array): Decoder => {
  if (startsWith(start, gzip))
    return Gzip.decoder(
      file,
      Sniffed.decoder((inner) => ofReader(plain(textOf(format, inner), file, options)))
    )
  const other = foreign.find(({ magic }) => startsWith(start, magic))
  if (other !== undefined)
    return refusing(file, `this is ${other.name}; export the table as CSV or, of the bulk export, as NDJSON`)
  return ofReader(plain(textOf(format, start), file, options))
}

/** Containers that are not read, by how they begin. */
const foreign: ReadonlyArray<{ readonly magic: ReadonlyArray<number>; readonly name: string }> = [
  { magic: [0x50, 0x41, 0x52, 0x31], name: "Parquet" },
  { magic: [0x4f, 0x62, 0x6a, 0x01], name: "Avro" },
  { magic: [0x4f, 0x52, 0x43], name: "ORC" },
  { magic: [0xd0, 0xcf, 0x11, 0xe0], name: "an Excel workbook (xls)" }
]

const refusing = (file: string, reason: string): Decoder =>
  ofReader({ push: () => failing(file, 0, reason), end: () => failing(file, 0, reason) })

/** Whether a file unpacks to more than it is, by how it begins. */
export const isPacked = (start: Uint8Array): boolean => [zip, gzip].some((magic) => startsWith(start, magic))

type Text = "search-csv" | "api-json" | "bulk-csv" | "bulk-json"

const zip = [0x50, 0x4b, 0x03, 0x04] as const
const gzip = [0x1f, 0x8b] as const

const startsWith = (bytes: Uint8Array, magic: ReadonlyArray<number>) =>
  magic.every((byte, index) => bytes[index] === byte)

const csvOf = (format: FileFormat): Text => (format === "bigquery" ? "bulk-csv" : "search-csv")

const textOf = (format: FileFormat, start: Uint8Array): Text => {
  if (format === "gsc-api") return "api-json"
  return format === "bigquery" && looksLikeJson(start) ? "bulk-json" : csvOf(format)
}

/** `{` or `[` after a byte order mark or blanks; a table always has a header, so a file of nothing is JSON of no rows. */
const looksLikeJson = (start: Uint8Array) => {
  const first = start.find((byte) => byte > 32 && byte < 0x80)
  return first === 0x7b || first === 0x5b || start.length === 0
}

const plain = (text: Text, file: string, options: Options): Reader => {
  switch (text) {
    case "search-csv":
      return SearchConsoleCsv.reader(file, options)
    case "api-json":
      return ApiJson.reader(file, options)
    case "bulk-csv":
      return BigQueryCsv.reader(file, options)
    case "bulk-json":
      return BigQueryJson.reader(file, options)
  }
}
